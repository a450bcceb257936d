/** Taking messages back. */

import type { Message, Status } from '../../core/messages/message.ts'
import { isWritable } from '../../core/people/number.ts'
import { from, type Sql, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import type { Verb } from '../engine/verb.ts'
import { columns, digitsOf, fromRow, type MessageRow, type Trace, tell, trace } from './message-row.ts'

type Asked = { environmentId: number; id: string; ask: boolean }

export const cancel: Verb<Asked, Status | undefined> = async (tx, asked) => {
  const found: (Status | undefined)[] = []
  for (const { environmentId, id, ask } of asked) {
    const waiting = await tx.all<Waiting>(sql`
      SELECT seq, status FROM messages
      WHERE id = ${id} AND environment_id = ${environmentId} AND status IN ('queued', 'scheduled')`)
    if ((await end(tx, waiting, { reason: 'requested' })) > 0) {
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

/** Cancels everything that waits for one recipient. */
export async function cancelAllFor(
  tx: Transaction,
  environmentId: number,
  number: string,
  reason: string,
): Promise<void> {
  if (!isWritable(number)) return
  const waiting = await tx.all<Waiting>(sql`
    SELECT seq, status FROM messages
    WHERE recipient = ${digitsOf(number)} AND environment_id = ${environmentId} AND status IN ('queued', 'scheduled')`)
  await end(tx, waiting, { reason })
}

type Waiting = { seq: number; status: Status }
type Canceled = Trace & { parts: number; pinned: number; held: number }

/** Returns how many ended. */
async function end(
  tx: Transaction,
  waiting: readonly Waiting[],
  data: Record<string, unknown>,
): Promise<number> {
  let count = 0
  for (const before of ['queued', 'scheduled'] as const) {
    const items = waiting.filter(({ status }) => status === before).map(({ seq }) => ({ message_seq: seq }))
    if (items.length === 0) continue
    const canceled = await tx.all<Canceled>(sql`
      UPDATE messages SET status = 'canceled', due_at = NULL, version = version + 1
      ${from({ message_seq: 'bigint' }, items)}
      WHERE messages.seq = r.message_seq AND messages.status = ${before}
      RETURNING ${trace}, parts, pinned, held`)
    for (const message of canceled) {
      // Only what was queued was counted as waiting for its device.
      if (before === 'queued' && !message.held)
        tx.queued(message.deviceId, -1, message.parts, message.pinned === 1)
      tell(tx, 'canceled', message, data)
    }
    count += canceled.length
  }
  return count
}

export async function toCancel(connection: Sql, now: number, limit: number): Promise<Message[]> {
  const found = await connection.all<MessageRow>(sql`
    SELECT ${columns} FROM messages
    WHERE cancel_asked = 1 AND status = 'sending' AND held = 0 AND expires_at > ${now}
    ORDER BY seq LIMIT ${limit}`)
  return found.map(fromRow)
}
