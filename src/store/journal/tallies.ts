/** Counts what happened in each hour, from the journal, a stretch at a time. */

import { deliverySteps, hourMs, type Tally } from '../../core/stats/stats.ts'
import { raw, type Sql, sql } from '../engine/sql.ts'
import { each, type Verb } from '../engine/verb.ts'

/** The step that a delivery falls into; those that took longer than all steps count to the last. */
const within = raw(
  deliverySteps
    .slice(0, -1)
    .map(
      ms =>
        `WHEN COALESCE(m.delivered_at, m.read_at) - COALESCE(m.send_at, m.created_at) <= ${ms} THEN 'within ${ms}'`,
    )
    .join(' '),
)
const longest = raw(`'within ${deliverySteps.at(-1)}'`)

const hour = raw(`e.at - e.at % ${hourMs}`)
/** What was read without a word of its delivery was delivered. */
const arrived = raw(`(e.type = 'message.delivered' OR (e.type = 'message.read' AND NOT EXISTS (
  SELECT 1 FROM events d WHERE d.message_seq = e.message_seq AND d.type = 'message.delivered')))`)

/** Returns how many events it went through. Several nodes may try; writers take turns, so each event counts once. */
export const tally: Verb<number, number> = each(async (tx, limit) => {
  const [counter] = await tx.all<{ value: number }>(sql`SELECT value FROM counters WHERE name = 'tally'`)
  const after = counter!.value
  const [stretch] = await tx.all<{ last: number | null; count: number }>(sql`
      SELECT MAX(seq) AS last, COUNT(*) AS count
      FROM (SELECT seq FROM events WHERE seq > ${after} ORDER BY seq LIMIT ${limit}) AS stretch`)
  const { last, count } = stretch!
  if (last === null) return count
  tx.write(sql`
      INSERT INTO tallies (environment_id, hour, what, n)
      SELECT environment_id, hour, what, COUNT(*) FROM (
        SELECT e.environment_id, ${hour} AS hour,
          CASE
            WHEN e.type IN ('message.queued', 'message.scheduled') THEN 'accepted'
            WHEN e.type IN ('message.failed', 'message.expired') AND m.error_code IS NOT NULL
              THEN substr(e.type, 9) || ' ' || m.error_code
            -- A late answer takes the reason away.
            WHEN e.type = 'message.unknown' THEN 'unknown ' || COALESCE(m.error_code, 'no_answer')
            ELSE substr(e.type, 9)
          END AS what
        FROM events e LEFT JOIN messages m ON m.seq = e.message_seq
          AND e.type IN ('message.failed', 'message.expired', 'message.unknown')
        WHERE e.seq > ${after} AND e.seq <= ${last} AND (
          e.type IN ('message.sent', 'message.failed', 'message.expired', 'message.unknown', 'message.canceled',
            'message.received')
          OR (e.type IN ('message.queued', 'message.scheduled') AND e.n = 1))
        UNION ALL
        SELECT e.environment_id, ${hour} AS hour, 'delivered' AS what FROM events e
        WHERE e.seq > ${after} AND e.seq <= ${last} AND ${arrived}
        UNION ALL
        SELECT e.environment_id, ${hour} AS hour, 'sent' AS what FROM events e
        WHERE e.seq > ${after} AND e.seq <= ${last} AND ${arrived} AND NOT EXISTS (
          SELECT 1 FROM events s WHERE s.message_seq = e.message_seq AND s.type = 'message.sent')
        UNION ALL
        SELECT e.environment_id, ${hour} AS hour, CASE ${within} ELSE ${longest} END AS what
        FROM events e JOIN messages m ON m.seq = e.message_seq
        WHERE e.seq > ${after} AND e.seq <= ${last} AND ${arrived}
          AND COALESCE(m.delivered_at, m.read_at) IS NOT NULL
        UNION ALL
        SELECT e.environment_id, ${hour} AS hour, 'found' AS what FROM events e
        WHERE e.seq > ${after} AND e.seq <= ${last} AND e.type IN ('message.sent', 'message.delivered', 'message.failed')
          AND EXISTS (SELECT 1 FROM events u
            WHERE u.message_seq = e.message_seq AND u.type = 'message.unknown' AND u.n = e.n - 1)
      ) AS happened
      WHERE true
      GROUP BY environment_id, hour, what
      ON CONFLICT (environment_id, hour, what) DO UPDATE SET n = tallies.n + excluded.n`)
  tx.write(sql`UPDATE counters SET value = ${last} WHERE name = 'tally'`)
  return count
})

export async function tallies(connection: Sql, environmentId: number, since: number): Promise<Tally[]> {
  return await connection.all<Tally>(sql`
    SELECT hour, what, n FROM tallies WHERE environment_id = ${environmentId} AND hour >= ${since}`)
}
