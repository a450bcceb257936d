/** Messages that are sent at another time. */

import { type Sql, sql } from '../engine/sql.ts'
import type { Verb } from '../engine/verb.ts'
import { type Trace, tell, trace } from './message-row.ts'

export const fallDue: Verb<number, string[]> = async (tx, limits) => {
  const results: string[][] = []
  for (const limit of limits) {
    const due = await tx.all<Trace & { parts: number; pinned: number }>(sql`
      UPDATE messages SET status = 'queued', due_at = expires_at, version = version + 1
      WHERE status = 'scheduled' AND held = 0 AND seq IN (
        SELECT seq FROM messages WHERE status = 'scheduled' AND held = 0 AND due_at <= ${tx.now}
        ORDER BY due_at LIMIT ${limit})
      RETURNING ${trace}, parts, pinned`)
    for (const message of due) {
      tx.queued(message.deviceId, 1, message.parts, message.pinned === 1)
      tell(tx, 'queued', message, { reason: 'due' })
    }
    results.push(due.map(({ deviceId }) => deviceId))
  }
  return results
}

export async function nextDue(connection: Sql): Promise<number | undefined> {
  const [row] = await connection.all<{ at: number }>(sql`
    SELECT due_at AS at FROM messages WHERE status = 'scheduled' AND held = 0 ORDER BY due_at LIMIT 1`)
  return row?.at
}
