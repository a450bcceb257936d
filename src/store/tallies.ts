/** Counts what happened in each hour, from the journal, a stretch at a time. */

import { deliverySteps, hourMs, type Tally } from '../core/stats.ts'
import type { Verb } from './group.ts'
import { raw, type Sql, sql } from './sql.ts'

/** The step that a delivery falls into; those that took longer than all steps count to the last. */
const within = raw(
  deliverySteps
    .slice(0, -1)
    .map(ms => `WHEN m.delivered_at - COALESCE(m.send_at, m.created_at) <= ${ms} THEN 'within ${ms}'`)
    .join(' '),
)
const longest = raw(`'within ${deliverySteps.at(-1)}'`)

/** Returns how many events it went through. Several nodes may try; writers take turns, so each event counts once. */
export const tally: Verb<number, number> = async (tx, limits) => {
  const counts: number[] = []
  for (const limit of limits) {
    const [counter] = await tx.all<{ value: number }>(sql`SELECT value FROM counters WHERE name = 'tally'`)
    const after = counter!.value
    const [stretch] = await tx.all<{ last: number | null; count: number }>(sql`
      SELECT MAX(seq) AS last, COUNT(*) AS count
      FROM (SELECT seq FROM events WHERE seq > ${after} ORDER BY seq LIMIT ${limit}) AS stretch`)
    const { last, count } = stretch!
    counts.push(count)
    if (last === null) continue
    tx.write(sql`
      INSERT INTO tallies (environment_id, hour, what, n)
      SELECT environment_id, hour, what, COUNT(*) FROM (
        SELECT e.environment_id, e.at - e.at % ${raw(String(hourMs))} AS hour,
          CASE
            WHEN e.type IN ('message.queued', 'message.scheduled') THEN 'accepted'
            WHEN e.type IN ('message.failed', 'message.expired', 'message.unknown') AND m.error_code IS NOT NULL
              THEN substr(e.type, 9) || ' ' || m.error_code
            ELSE substr(e.type, 9)
          END AS what
        FROM events e LEFT JOIN messages m ON m.seq = e.message_seq
          AND e.type IN ('message.failed', 'message.expired', 'message.unknown')
        WHERE e.seq > ${after} AND e.seq <= ${last} AND (
          e.type IN ('message.sent', 'message.delivered', 'message.failed', 'message.expired', 'message.unknown',
            'message.canceled', 'message.received')
          OR (e.type IN ('message.queued', 'message.scheduled') AND e.n = 1))
        UNION ALL
        SELECT e.environment_id, e.at - e.at % ${raw(String(hourMs))} AS hour,
          CASE ${within} ELSE ${longest} END AS what
        FROM events e JOIN messages m ON m.seq = e.message_seq
        WHERE e.seq > ${after} AND e.seq <= ${last} AND e.type = 'message.delivered' AND m.delivered_at IS NOT NULL
      ) AS happened
      WHERE true
      GROUP BY environment_id, hour, what
      ON CONFLICT (environment_id, hour, what) DO UPDATE SET n = tallies.n + excluded.n`)
    tx.write(sql`UPDATE counters SET value = ${last} WHERE name = 'tally'`)
  }
  return counts
}

export async function tallies(connection: Sql, environmentId: number, since: number): Promise<Tally[]> {
  return await connection.all<Tally>(sql`
    SELECT hour, what, n FROM tallies WHERE environment_id = ${environmentId} AND hour >= ${since}`)
}
