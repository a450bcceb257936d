/** Messages that are sent at another time. */

import { type Sql, sql } from '../engine/sql.ts'
import { each, type Verb } from '../engine/verb.ts'
import { move, numbered } from './move.ts'

export const fallDue: Verb<number, string[]> = each(async (tx, limit) => {
  const due = await tx.all<{ seq: number }>(sql`
    SELECT seq FROM messages WHERE status = 'scheduled' AND held = 0 AND due_at <= ${tx.now}
    ORDER BY due_at LIMIT ${limit}`)
  const queued = await move(tx, {
    to: 'queued',
    only: ['scheduled'],
    ...numbered(due.map(({ seq }) => seq)),
    data: () => ({ reason: 'due' }),
  })
  return queued.map(({ deviceId }) => deviceId)
})

export async function nextDue(connection: Sql): Promise<number | undefined> {
  const [row] = await connection.all<{ at: number }>(sql`
    SELECT due_at AS at FROM messages WHERE status = 'scheduled' AND held = 0 ORDER BY due_at LIMIT 1`)
  return row?.at
}
