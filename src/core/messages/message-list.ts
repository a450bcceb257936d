/** Which messages to list, and what comes back. */

import type { Message, Status } from './message.ts'

export type MessageFilter = {
  limit: number
  /** Only those that were accepted before this one. */
  beforeSeq?: number
  status?: Status
  deviceId?: string
  recipient?: string
  batchId?: string
  /** Only those whose text has this in it, in small letters. */
  contains?: string
  since?: number
  until?: number
}

/** Newest first. `next`: where to go on; null: there is no more. */
export type MessagePage = { items: Message[]; next: number | null }
