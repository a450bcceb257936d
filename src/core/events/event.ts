/** One thing that happened: a row of the journal, written in the commit that made it true. */

import type { Received } from '../inbox/received.ts'
import { type Message, type Status, statuses } from '../messages/message.ts'

export const eventTypes = [
  ...statuses.map(status => `message.${status}` as const),
  'message.received',
  'message.reaction',
  'received.edited',
  'received.deleted',
  'received.reaction',
  'device.online',
  'device.offline',
  'device.attention',
  'device.added',
  'device.changed',
  'device.paused',
  'device.resumed',
  'device.removed',
  'webhook.disabled',
  'person.erased',
] as const
export type EventType = `message.${Status}` | Exclude<(typeof eventTypes)[number], `message.${Status}`>

export const isEventType = (word: string): word is EventType =>
  (eventTypes as readonly string[]).includes(word)

export type JournalEvent = {
  seq: number
  environmentId: number
  type: EventType
  at: number
  messageSeq: number | null
  receivedSeq: number | null
  deviceId: string | null
  /** Counts the events of one message, from 1, without gaps. */
  n: number | null
  data: Record<string, unknown>
}

/** An event with what it is about, as that is now. */
export type EventWithSubject = JournalEvent & { message?: Message; received?: Received }

/** Its name outside: the same in lists, in streams and at webhooks. */
export const eventIdOf = (seq: number): string => `evt_${seq}`

export function seqOf(eventId: string): number | undefined {
  const seq = /^evt_(\d{1,16})$/.exec(eventId)?.[1]
  return seq !== undefined && Number.isSafeInteger(Number(seq)) ? Number(seq) : undefined
}

/** Which events a reader wants. Nothing given: all of them. */
export type Interest = { types?: readonly string[] | null; deviceId?: string | null }

export const concerns = (
  { types, deviceId }: Interest,
  event: Pick<JournalEvent, 'type' | 'deviceId'>,
): boolean => (!types || types.includes(event.type)) && (!deviceId || deviceId === event.deviceId)
