/** What was said with one person, both ways. */

import type { Message } from '../messages/message.ts'
import type { Received } from './received.ts'

/** A person who wrote, and the newest of what they wrote. */
export type Conversation = {
  person: string
  lastSeq: number
  last: Received
  unread: number
}

export type ConversationFilter = {
  limit: number
  beforeSeq?: number
  /** Only those with something nobody has seen. */
  unread?: boolean
  /** Only those whose number, name or newest text has this in it. */
  contains?: string
  /** The same as a number, without what people put between digits. */
  number?: string
}
export type ConversationPage = { items: Conversation[]; next: number | null }

/** Where a conversation goes on: below this number, and this one of the person's own. */
export type ThreadPlace = { seq: number; n: number }

export type ThreadEntry = { seq: number } & ({ message: Message } | { received: Received; n: number })

/** Newest first. */
export type Thread = { entries: ThreadEntry[]; next: ThreadPlace | null }
