/** Taking messages back. */

import type { Message, Status } from '../../core/messages/message.ts'
import { isWritable } from '../../core/people/number.ts'
import { oneOf, type Sql, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { columns, digitsOf, fromRow, type MessageRow } from './message-row.ts'
import { move, numbered } from './move.ts'

type Asked = { environmentId: number; id: string; ask: boolean }

export const cancel: Verb<Asked, Status | undefined> = each(async (tx, { environmentId, id, ask }) => {
  const matching = await tx.all<{ seq: number }>(
    sql`SELECT seq FROM messages WHERE id = ${id} AND environment_id = ${environmentId}`,
  )
  if ((await takeBack(tx, matching, 'requested')) > 0) {
    return 'canceled'
  }
  if (ask)
    await tx.all(sql`
    UPDATE messages SET cancel_asked = 1
    WHERE id = ${id} AND environment_id = ${environmentId} AND status = 'sending'`)
  const [row] = await tx.all<{ status: Status }>(
    sql`SELECT status FROM messages WHERE id = ${id} AND environment_id = ${environmentId}`,
  )
  return row?.status
})

/** Cancels everything that waits for one recipient. */
export async function cancelAllFor(
  tx: Transaction,
  environmentId: number,
  number: string,
  reason: string,
): Promise<void> {
  if (!isWritable(number)) return
  const waiting = await tx.all<{ seq: number }>(sql`
    SELECT seq FROM messages
    WHERE recipient = ${digitsOf(number)} AND environment_id = ${environmentId} AND ${oneOf('status', atHand)}`)
  await takeBack(tx, waiting, reason)
}

/** No device has these. */
const atHand = ['queued', 'scheduled'] as const

/** Returns how many ended. */
async function takeBack(tx: Transaction, found: readonly { seq: number }[], reason: string): Promise<number> {
  const seqs = found.map(({ seq }) => seq)
  const canceled = await move(tx, {
    to: 'canceled',
    only: atHand,
    ...numbered(seqs),
    data: () => ({ reason }),
  })
  return canceled.length
}

export async function toCancel(
  connection: Sql,
  now: number,
  limit: number,
  deviceId?: string,
): Promise<Message[]> {
  const found = await connection.all<MessageRow>(
    deviceId === undefined
      ? sql`
          SELECT ${columns} FROM messages
          WHERE cancel_asked = 1 AND status = 'sending' AND held = 0 AND expires_at > ${now}
          ORDER BY seq LIMIT ${limit}`
      : sql`
          SELECT ${columns} FROM messages
          WHERE device_id = ${deviceId} AND cancel_asked = 1 AND status = 'sending' AND held = 0
            AND expires_at > ${now}
          ORDER BY seq LIMIT ${limit}`,
  )
  return found.map(fromRow)
}
