/** How a message is shown: in lists, in events, to webhooks. */

import type { Received } from '../inbox/received.ts'
import { isoTime, isoTimeOrNull } from '../lib/time.ts'
import { failures, type Message, meaningOf } from '../messages/message.ts'

export function errorOf({ status, errorCode, errorDetail }: Message) {
  if (errorCode === null || !['failed', 'expired', 'unknown'].includes(status)) return undefined
  const { detail, retryable } = meaningOf(errorCode)
  const code = errorCode in failures ? errorCode : 'failed'
  return { code, detail: errorDetail ?? detail, retryable }
}

export function shownMessage(message: Message) {
  return {
    message_id: message.id,
    batch_id: message.batchId,
    device_id: message.deviceId,
    status: message.status,
    to: message.recipient,
    message: message.text,
    media_url: message.mediaUrl,
    sim_slot: message.simSlot,
    segments: message.parts,
    attempts: message.attempts,
    created_at: isoTime(message.createdAt),
    send_at: isoTimeOrNull(message.sendAt),
    expires_at: isoTime(message.expiresAt),
    sent_at: isoTimeOrNull(message.sentAt),
    delivered_at: isoTimeOrNull(message.deliveredAt),
    read_at: isoTimeOrNull(message.readAt),
    error: errorOf(message) ?? null,
  }
}

export const shownReceived = (received: Received) => ({
  id: received.id,
  from: received.sender,
  message: received.text,
  received_at: isoTime(received.receivedAt),
  device_id: received.deviceId,
  device_name: received.deviceName,
  device_phone: received.devicePhone,
  type: received.type,
  metadata: received.metadata,
})
