/** How a message lies in its table, and how its changes are told. */

import type { EventType } from '../../core/events/event.ts'
import type { Message, Status } from '../../core/messages/message.ts'
import { oneOf, raw } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'

export const columns =
  raw(`seq, id, environment_id AS "environmentId", batch_id AS "batchId", device_id AS "deviceId", pinned,
  recipient, text, media_url AS "mediaUrl", sim_slot AS "simSlot", parts, status, error_code AS "errorCode",
  error_detail AS "errorDetail", created_at AS "createdAt", send_at AS "sendAt", expires_at AS "expiresAt", handed_at AS "handedAt",
  sent_at AS "sentAt", delivered_at AS "deliveredAt", read_at AS "readAt", attempts, registration AS epoch, version, reported,
  cancel_asked AS "cancelAsked"`)

export type MessageRow = Omit<Message, 'pinned' | 'recipient' | 'reported' | 'cancelAsked'> & {
  pinned: number
  recipient: number
  reported: string | null
  cancelAsked: number
}
/** The row becomes the message; copying it would cost more than reading it did. */
export const fromRow = (row: MessageRow): Message =>
  Object.assign(row, {
    pinned: row.pinned === 1,
    recipient: recipientOf(row.recipient),
    reported: row.reported === null ? null : JSON.parse(row.reported),
    cancelAsked: row.cancelAsked === 1,
  })

/** The states for which there is an index, and its condition in its very words. */
export const rare: readonly Status[] = ['scheduled', 'failed', 'expired', 'canceled', 'unknown']
export const isRare = oneOf('status', rare)

/** What an event of a message is made from. */
export type Trace = Pick<Message, 'seq' | 'environmentId' | 'deviceId' | 'version'>
export const trace = raw(`seq, environment_id AS "environmentId", device_id AS "deviceId", version`)

export function tell(tx: Transaction, status: Status, of: Trace, data?: Record<string, unknown>): void {
  const type: EventType = `message.${status}`
  tx.journal({
    environmentId: of.environmentId,
    type,
    messageSeq: of.seq,
    deviceId: of.deviceId,
    n: of.version,
    ...(data && { data }),
  })
}

/**
 * A recipient as it is kept: a number in international format has at most 15 digits, which a number holds exactly.
 * Somebody whose number is hidden has an id of digits, too: it is kept below zero, so that no number is like it.
 */
export const digitsOf = (recipient: string): number =>
  recipient.endsWith('@lid') ? -Number(recipient.slice(0, -'@lid'.length)) : Number(recipient.slice(1))

/** Zero is nobody: the person was forgotten. */
export const recipientOf = (digits: number): string =>
  digits === 0 ? '' : digits < 0 ? `${-digits}@lid` : `+${digits}`
