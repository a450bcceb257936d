/** One thing that happened: a row of the journal, written in the commit that made it true. */

import type { Status } from './message.ts'

export type EventType =
  | `message.${Status}`
  | 'message.received'
  | `device.${'added' | 'changed' | 'paused' | 'resumed' | 'removed' | 'online' | 'offline' | 'attention'}`

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
