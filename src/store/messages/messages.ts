/** Messages on their way out: accepting them, finding them, holding them back. */

import type { Message, NewMessage, Status } from '../../core/messages/message.ts'
import type { Accepted, Unheld } from '../../core/messages/message-store.ts'
import { type Sql, sql, values } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { optedOut } from '../people/opt-outs.ts'
import { columns, digitsOf, fromRow, type MessageRow } from './message-row.ts'

export const accept: Verb<readonly NewMessage[], Accepted> = async (tx, batches) => {
  const all = batches.flat()
  const refused = await optedOut(
    tx,
    all.map(({ environmentId, recipient }) => ({ environmentId, number: recipient })),
  )
  const items = all.flatMap((message, index) => {
    if (refused.has(index)) return []
    const { environmentId, deviceId, parts, pinned, sendAt = null, choice } = message
    const status: Status = sendAt === null ? 'queued' : 'scheduled'
    const seq = tx.journal({
      environmentId,
      type: `message.${status}`,
      messageSeq: 'self',
      deviceId,
      n: 1,
      ...(choice && { data: choice }),
    })
    if (sendAt === null) tx.queued(deviceId, 1, parts, pinned)
    return {
      seq,
      id: message.id,
      environment_id: environmentId,
      batch_id: message.batchId,
      device_id: deviceId,
      pinned,
      recipient: digitsOf(message.recipient),
      text: message.text,
      media_url: message.mediaUrl,
      sim_slot: message.simSlot,
      parts,
      status,
      send_at: sendAt,
      expires_at: message.expiresAt,
      due_at: sendAt ?? message.expiresAt,
    }
  })
  const types = {
    seq: 'bigint',
    id: 'text',
    environment_id: 'bigint',
    batch_id: 'text',
    device_id: 'text',
    pinned: 'bigint',
    recipient: 'bigint',
    text: 'text',
    media_url: 'text',
    sim_slot: 'bigint',
    parts: 'bigint',
    status: 'text',
    send_at: 'bigint',
    expires_at: 'bigint',
    due_at: 'bigint',
  } as const
  if (items.length > 0) tx.write(sql`INSERT INTO messages ${values(types, items, { created_at: tx.at })}`)
  noteBatches(tx, items)
  let at = 0
  return batches.map(batch => {
    const begin = at
    at += batch.length
    return { optedOut: new Set(batch.filter((_, place) => refused.has(begin + place)).map(({ id }) => id)) }
  })
}

/** Messages of one request stand in a row, so that its two ends say where they are. */
function noteBatches(tx: Transaction, items: readonly { seq: number; batch_id: string | null }[]): void {
  const ends = new Map<string, { id: string; first_seq: number; last_seq: number }>()
  for (const { seq, batch_id: id } of items) {
    if (id === null) continue
    const known = ends.get(id)
    if (known) known.last_seq = seq
    else ends.set(id, { id, first_seq: seq, last_seq: seq })
  }
  if (ends.size === 0) return
  const types = { id: 'text', first_seq: 'bigint', last_seq: 'bigint' } as const
  tx.write(sql`INSERT INTO batches ${values(types, [...ends.values()])} ON CONFLICT (id) DO NOTHING`)
}

export async function message(
  connection: Sql,
  environmentId: number,
  id: string,
): Promise<Message | undefined> {
  const [row] = await connection.all<MessageRow>(
    sql`SELECT ${columns} FROM messages WHERE id = ${id} AND environment_id = ${environmentId}`,
  )
  return row && fromRow(row)
}

export const unhold: Verb<number, Unheld> = each(async (tx, limit) => {
  const freed = await tx.all<{ deviceId: string; status: Status; parts: number; pinned: number }>(sql`
    UPDATE messages SET held = 0 WHERE seq IN (SELECT seq FROM messages WHERE held = 1 ORDER BY seq LIMIT ${limit})
    RETURNING device_id AS "deviceId", status, parts, pinned`)
  const queued = freed.filter(({ status }) => status === 'queued')
  for (const { deviceId, parts, pinned } of queued) tx.queued(deviceId, 1, parts, pinned === 1)
  const taken = freed.filter(({ status }) => status === 'sending').length
  return { queued: freed.length - taken, taken }
})

export async function heldCount(connection: Sql): Promise<number> {
  const [row] = await connection.all<{ count: number }>(
    sql`SELECT COUNT(*) AS count FROM messages WHERE held = 1`,
  )
  return row!.count
}

export async function oldestWaiting(connection: Sql): Promise<{ deviceId: string; createdAt: number }[]> {
  return await connection.all(sql`
    SELECT l.device_id AS "deviceId", (
      SELECT created_at FROM messages
      WHERE messages.device_id = l.device_id AND status = 'queued' AND held = 0
      ORDER BY seq LIMIT 1) AS "createdAt"
    FROM loads l WHERE l.waiting > 0`)
}
