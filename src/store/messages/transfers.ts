/** Queued messages that go from a device that cannot take them to one that can. */

import type { Message } from '../../core/messages/message.ts'
import type { Transfer } from '../../core/messages/message-store.ts'
import { from, type Sql, sql, varying } from '../engine/sql.ts'
import type { Verb } from '../engine/verb.ts'
import { columns, fromRow, type MessageRow, type Trace, tell, trace } from './message-row.ts'
import { isFriend } from './safe-claims.ts'

export const transfer: Verb<readonly Transfer[], void> = async (tx, batches) => {
  const transfers = batches.flat()
  const moved = await tx.all<Trace & { id: string }>(sql`
    UPDATE messages SET device_id = r.receiver, parts = r.new_parts, version = version + 1
    ${from(
      { message_id: 'text', giver: 'text', receiver: 'text', new_parts: 'bigint' },
      transfers.map(({ messageId, from, to, parts }) => ({
        message_id: messageId,
        giver: from,
        receiver: to,
        new_parts: parts,
      })),
    )}
    WHERE messages.id = r.message_id AND messages.device_id = r.giver AND messages.status = 'queued' AND messages.pinned = 0 AND messages.held = 0
    RETURNING ${trace}, id`)
  const wanted = new Map(transfers.map(item => [item.messageId, item]))
  for (const message of moved) {
    const { from, to, parts, oldParts, reason } = wanted.get(message.id)!
    tx.queued(from, -1, oldParts, false)
    tx.queued(to, 1, parts, false)
    tell(tx, 'queued', message, { reason, from })
  }
  return batches.map(() => undefined)
}

/** `onlyStrangers`: those to people whom the device has never exchanged messages with. */
export async function movable(
  connection: Sql,
  deviceId: string,
  limit: number,
  onlyStrangers = false,
): Promise<Message[]> {
  const strangers = varying(onlyStrangers ? `AND NOT ${isFriend}` : '')
  const found = await connection.all<MessageRow>(sql`
    SELECT ${columns} FROM messages
    WHERE device_id = ${deviceId} AND status = 'queued' AND held = 0
      AND pinned = 0 ${strangers}
    ORDER BY seq LIMIT ${limit}`)
  return found.map(fromRow)
}
