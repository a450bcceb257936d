/** Counts what happened in each hour, from the journal, a stretch at a time. */

import type { EventType } from '../../core/events/event.ts'
import { deliverySteps, hourMs, type Tally } from '../../core/stats/stats.ts'
import { oneOf, raw, type Sql, sql, values } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'

/** The step that a delivery falls into; those that took longer than all steps count to the last. */
const steps = raw(
  `WHEN COALESCE(m.delivered_at, m.read_at) IS NULL THEN NULL ${deliverySteps
    .slice(0, -1)
    .map(
      ms =>
        `WHEN COALESCE(m.delivered_at, m.read_at) - COALESCE(m.send_at, m.created_at) <= ${ms} THEN 'within ${ms}'`,
    )
    .join(' ')}`,
)
const longest = raw(`'within ${deliverySteps.at(-1)}'`)

const hour = raw(`e.at - e.at % ${hourMs}`)
/** What an event alone says; how messages ended, and how long they took, is looked up in the messages. */
const plainly: Partial<Record<EventType, string>> = {
  'message.sent': 'sent',
  'message.canceled': 'canceled',
  'message.received': 'received',
}
const isAccepted = (type: EventType) => type === 'message.queued' || type === 'message.scheduled'

type Happened = { environmentId: number; hour: number; type: EventType; isFirst: number; n: number }

/** Returns how many events it went through. Several nodes may try; writers take turns, so each event counts once. */
export const tally: Verb<number, number> = each(async (tx, limit) => {
  const [counter] = await tx.all<{ value: number }>(sql`SELECT value FROM counters WHERE name = 'tally'`)
  const after = counter!.value
  const [stretch] = await tx.all<{ last: number | null; count: number }>(sql`
      SELECT MAX(seq) AS last, COUNT(*) AS count
      FROM (SELECT seq FROM events WHERE seq > ${after} ORDER BY seq LIMIT ${limit}) AS stretch`)
  const { last, count } = stretch!
  if (last === null) return count
  const happened = await tx.all<Happened>(sql`
      SELECT e.environment_id AS "environmentId", ${hour} AS hour, e.type, CASE WHEN e.n = 1 THEN 1 ELSE 0 END AS "isFirst",
        COUNT(*) AS n
      FROM events e WHERE e.seq > ${after} AND e.seq <= ${last} GROUP BY 1, 2, 3, 4`)
  const counts = happened.flatMap(({ environmentId, hour, type, isFirst, n }) => {
    const what = isAccepted(type) && isFirst === 1 ? 'accepted' : plainly[type]
    return what === undefined ? [] : [{ environmentId, hour, what, n }]
  })
  const types = new Set(happened.map(({ type }) => type))
  const within = { after, last }
  if (ends.some(type => types.has(type))) counts.push(...(await tx.all<Count>(endings(within))))
  if (arrivals.some(type => types.has(type)))
    counts.push(...(await tx.all<Arrival>(arrived(within))).flatMap(countsOf))
  if (answers.some(type => types.has(type))) counts.push(...(await tx.all<Count>(found(within))))
  add(tx, counts)
  tx.write(sql`UPDATE counters SET value = ${last} WHERE name = 'tally'`)
  return count
})

type Count = { environmentId: number; hour: number; what: string; n: number }
type Stretch = { after: number; last: number }

const ends: readonly EventType[] = ['message.failed', 'message.expired', 'message.unknown']
/** With the reason. A late answer takes it away. */
const endings = ({ after, last }: Stretch) => sql`
  SELECT e.environment_id AS "environmentId", ${hour} AS hour,
    CASE
      WHEN e.type = 'message.unknown' THEN 'unknown ' || COALESCE(m.error_code, 'no_answer')
      WHEN m.error_code IS NOT NULL THEN substr(e.type, 9) || ' ' || m.error_code
      ELSE substr(e.type, 9)
    END AS what,
    COUNT(*) AS n
  FROM events e LEFT JOIN messages m ON m.seq = e.message_seq
  WHERE e.seq > ${after} AND e.seq <= ${last} AND ${oneOf('e.type', ends)}
  GROUP BY 1, 2, 3`

const arrivals: readonly EventType[] = ['message.delivered', 'message.read']
type Arrival = Omit<Count, 'what'> & { step: string | null; wasSent: number }
/** What was read without a word of its delivery was delivered. `step`: in which it took so long, if that is known. */
const arrived = ({ after, last }: Stretch) => sql`
  SELECT e.environment_id AS "environmentId", ${hour} AS hour, CASE ${steps} ELSE ${longest} END AS step,
    CASE WHEN EXISTS (SELECT 1 FROM events s WHERE s.message_seq = e.message_seq AND s.type = 'message.sent')
      THEN 1 ELSE 0 END AS "wasSent",
    COUNT(*) AS n
  FROM events e LEFT JOIN messages m ON m.seq = e.message_seq
  WHERE e.seq > ${after} AND e.seq <= ${last} AND (e.type = 'message.delivered' OR (e.type = 'message.read'
    AND NOT EXISTS (SELECT 1 FROM events d WHERE d.message_seq = e.message_seq AND d.type = 'message.delivered')))
  GROUP BY 1, 2, 3, 4`

/** What was delivered without a word of its sending was sent. */
const countsOf = ({ step, wasSent, ...place }: Arrival): Count[] => [
  { ...place, what: 'delivered' },
  ...(wasSent === 1 ? [] : [{ ...place, what: 'sent' }]),
  ...(step === null ? [] : [{ ...place, what: step }]),
]

const answers: readonly EventType[] = ['message.sent', 'message.delivered', 'message.failed']
/** An answer after all, for a message that was given up: queued, sending, unknown came before it. */
const found = ({ after, last }: Stretch) => sql`
  SELECT e.environment_id AS "environmentId", ${hour} AS hour, 'found' AS what, COUNT(*) AS n FROM events e
  WHERE e.seq > ${after} AND e.seq <= ${last} AND ${oneOf('e.type', answers)} AND e.n > 3
    AND EXISTS (SELECT 1 FROM events u
      WHERE u.message_seq = e.message_seq AND u.type = 'message.unknown' AND u.n = e.n - 1)
  GROUP BY 1, 2, 3`

function add(tx: Transaction, counts: readonly Count[]): void {
  // PostgreSQL takes no two rows for the same place: what is counted by two ways is added up first.
  const sums = new Map<string, Count>()
  for (const count of counts) {
    const name = `${count.environmentId} ${count.hour} ${count.what}`
    const sum = sums.get(name)
    if (sum) sum.n += count.n
    else sums.set(name, { ...count })
  }
  if (sums.size === 0) return
  const items = [...sums.values()].map(({ environmentId, ...rest }) => ({
    environment_id: environmentId,
    ...rest,
  }))
  const types = { environment_id: 'bigint', hour: 'bigint', what: 'text', n: 'bigint' } as const
  tx.write(sql`
    INSERT INTO tallies ${values(types, items)}
    ON CONFLICT (environment_id, hour, what) DO UPDATE SET n = tallies.n + excluded.n`)
}

export async function tallies(connection: Sql, environmentId: number, since: number): Promise<Tally[]> {
  return await connection.all<Tally>(sql`
    SELECT hour, what, n FROM tallies WHERE environment_id = ${environmentId} AND hour >= ${since}`)
}
