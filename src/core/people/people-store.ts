/** Port: what we need remembered of people who want no messages, and what has to be forgotten. */

import type { Keep } from '../idempotency.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { OptOut, OptOutPage, OptOutSource } from './opt-out.ts'

/** Whom to forget. `token` takes the place of the number where something must. */
export type ErasureStep = { environmentId: number; number: string; token: string; limit: number }

export type Erased = { messages: number; received: number; files: number }

export type Old = { environmentId: number; before: number; limit: number }

export interface PeopleStore {
  /** Adds a number to those who want no messages, and cancels what waits for it. */
  optOut(environmentId: number, number: string, source: OptOutSource, keep?: Keep<OptOut>): Promise<OptOut>
  /** Takes it off. False: it was not there. */
  optIn(environmentId: number, number: string): Promise<boolean>
  /** Both names are one person's: whoever opted out under one did under both. True: they did. */
  sameOptOut(environmentId: number, number: string, alias: string): Promise<boolean>
  optOuts(environmentId: number, page: OptOutPage): Awaitable<OptOut[]>
  /** Those of the numbers that opted out. */
  optedOut(environmentId: number, numbers: readonly string[]): Awaitable<Set<string>>

  /** Blanks texts and numbers of one person: some of each. Whoever asks goes on until nothing is left. */
  erase(step: ErasureStep): Promise<Erased>
  /** Notes that a person was forgotten, and how much there was of them. */
  noteErased(environmentId: number, counts: Erased): Promise<void>
  /** Forgets texts and files of messages from before then, oldest first. Returns how many; as many as the limit: more may be left. */
  forgetTexts(old: Old): Promise<number>
  /** Removes messages from before then, and their events in the journal, oldest first. */
  removeOld(old: Old): Promise<number>
  /** Files that belong to nothing any more. */
  removedFiles(limit: number): Awaitable<string[]>
  /** They are gone from the folder. */
  noteRemoved(files: readonly string[]): Promise<void>
}
