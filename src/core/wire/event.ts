/** How an event is told: in lists, in streams and to webhooks alike. */

import type { DeviceThen } from '../devices/device.ts'
import { type EventWithSubject, eventIdOf } from '../events/event.ts'
import type { Amended } from '../inbox/amendment.ts'
import type { Received } from '../inbox/received.ts'
import { isoTime } from '../lib/time.ts'
import type { Candidate } from '../messages/choose.ts'
import { type Failure, type Message, meaningOf, type Status } from '../messages/message.ts'
import { shownDevice } from './device.ts'
import { shownMessage, shownReceived } from './message.ts'

type MemberOf = (deviceId: string) => Candidate | undefined

export type ShownEvent = ReturnType<typeof shownEvent>

export function shownEvent(event: EventWithSubject, memberOf: MemberOf) {
  return {
    id: eventIdOf(event.seq),
    type: event.type,
    created_at: isoTime(event.at),
    sequence: event.n,
    data: subjectOf(event, memberOf),
  }
}

function subjectOf(event: EventWithSubject, memberOf: MemberOf): Record<string, unknown> {
  const { type, deviceId, message, received, data, at } = event
  if (message && type === 'message.reaction')
    return { ...shownMessage(message), reaction: data.reaction ?? null }
  if (message) return shownMessage(asOf(message, event))
  if (received) return { ...shownReceived(received), ...editOf(received, data) }
  if (deviceId === null || !type.startsWith('device.')) return data
  const { then } = data as { then?: DeviceThen }
  if (then) return shownDevice({ ...then, online: then.device.online }, at)
  // Written by an earlier version, which did not note the device with its events.
  const member = memberOf(deviceId)
  if (!member) return data
  const isOnline = type === 'device.online' || (type !== 'device.offline' && member.online)
  return shownDevice({ ...member, online: isOnline }, at)
}

/** What an edit made of the text; the words it had before stay in `message`. */
function editOf({ metadata }: Received, { edit: id }: Record<string, unknown>): { edited_message?: string } {
  const found = (metadata as Amended).edits?.find(edit => edit.id === id)
  return found ? { edited_message: found.text } : {}
}

/** How far a message that came to a state has got at most. */
const reached: Partial<Record<Status, number>> = { sent: 1, delivered: 2, read: 3, failed: 1, unknown: 0 }

/** Ends whose reason goes without saying. */
const ends: Partial<Record<Status, Failure>> = {
  unknown: { code: 'no_answer' },
  expired: { code: 'expired' },
}

/**
 * The message as it was when this happened: by the time it is told more may have. Times never change once they are
 * known, so those of later states are simply left out.
 */
function asOf(message: Message, { type, deviceId, n, data }: EventWithSubject): Message {
  if (n === message.version) return message
  const status = type.slice('message.'.length) as Status
  const { error = ends[status], attempt } = data as { error?: Failure; attempt?: number }
  const far = reached[status] ?? 0
  return {
    ...message,
    status,
    deviceId: deviceId ?? message.deviceId,
    attempts: attempt ?? (n === 1 ? 0 : message.attempts),
    sentAt: far >= 1 ? message.sentAt : null,
    deliveredAt: far >= 2 ? message.deliveredAt : null,
    readAt: far >= 3 ? message.readAt : null,
    errorCode: error?.code ?? null,
    errorDetail: error ? (error.detail ?? meaningOf(error.code).detail) : null,
  }
}
