/** Taking messages back. */

import type { Message, Status } from '../core/message.ts'
import type { Verb } from './group.ts'
import { columns, fromRow, type MessageRow, type Trace, tell, trace } from './message-row.ts'
import { type Sql, sql } from './sql.ts'

type Canceled = Trace & { parts: number; pinned: number; held: number }

type Asked = { environmentId: number; id: string; ask: boolean }

export const cancel: Verb<Asked, Status | undefined> = async (tx, asked) => {
  const found: (Status | undefined)[] = []
  for (const { environmentId, id, ask } of asked) {
    const [canceled] = await tx.all<Canceled>(sql`
      UPDATE messages SET status = 'canceled', due_at = NULL, version = version + 1
      WHERE id = ${id} AND environment_id = ${environmentId} AND status = 'queued'
      RETURNING ${trace}, parts, pinned, held`)
    if (canceled) {
      if (!canceled.held) tx.queued(canceled.deviceId, -1, canceled.parts, canceled.pinned === 1)
      tell(tx, 'canceled', canceled)
      found.push('canceled')
      continue
    }
    if (ask)
      await tx.all(sql`
      UPDATE messages SET cancel_asked = 1
      WHERE id = ${id} AND environment_id = ${environmentId} AND status = 'sending'`)
    const [row] = await tx.all<{ status: Status }>(
      sql`SELECT status FROM messages WHERE id = ${id} AND environment_id = ${environmentId}`,
    )
    found.push(row?.status)
  }
  return found
}

export async function toCancel(connection: Sql, now: number, limit: number): Promise<Message[]> {
  const found = await connection.all<MessageRow>(sql`
    SELECT ${columns} FROM messages
    WHERE cancel_asked = 1 AND status = 'sending' AND held = 0 AND expires_at > ${now}
    ORDER BY seq LIMIT ${limit}`)
  return found.map(fromRow)
}
