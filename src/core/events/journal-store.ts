/** Port: reading what happened, and counting it. */

import type { Awaitable } from '../lib/awaitable.ts'
import type { Tally } from '../stats/stats.ts'
import type { EventWithSubject, JournalEvent } from './event.ts'

export interface JournalStore {
  /** Everything that happened to a message, in order. */
  story(messageSeq: number): Awaitable<JournalEvent[]>
  events(afterSeq: number, limit: number): Awaitable<JournalEvent[]>
  /** The same, each with what it is about. */
  tellable(afterSeq: number, limit: number): Awaitable<EventWithSubject[]>
  /** The number of the newest event. */
  journalHead(): Awaitable<number>
  /** The number of the last event before then. */
  seqBefore(at: number): Awaitable<number>

  /** Counts what happened since it was last asked, for `tallies`. Returns how many events it went through. */
  tally(limit: number): Promise<number>
  tallies(environmentId: number, since: number): Awaitable<Tally[]>
}
