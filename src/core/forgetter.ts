/** Forgets: people who ask for it, and what is older than an environment wants to keep. */

import { randomUUID } from 'node:crypto'
import type { Environment } from './environment.ts'
import type { Log } from './log.ts'
import { Loop } from './loop.ts'
import type { Forgotten, Old, Store } from './store.ts'

export type ForgetterParts = {
  store: Pick<Store, 'erase' | 'noteErased' | 'forgetTexts' | 'removeOld'>
  environments: () => readonly Environment[]
  /** Removes a file that came with a message. */
  removeFile: (id: string) => Promise<void>
  now: () => number
  log: Log
}

export type Counts = { messages: number; received: number; files: number }

const lookMs = 60_000
/** One commit's worth: a past of millions is forgotten in steps, between which others get their turn. */
const step = 500
const day = 24 * 3_600_000

export class Forgetter {
  readonly #parts: ForgetterParts
  readonly #loop: Loop

  constructor(parts: ForgetterParts) {
    this.#parts = parts
    this.#loop = new Loop(
      lookMs,
      () => this.tidy(),
      error => parts.log.error({ err: error }, 'could not forget what is old'),
    )
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Blanks everything of one person. Safe to repeat, also after a crash half-way. */
  async erase(environment: Pick<Environment, 'id'>, number: string): Promise<Counts> {
    const { store } = this.#parts
    const counts: Counts = { messages: 0, received: 0, files: 0 }
    const token = randomUUID()
    for (;;) {
      const erased = await store.erase({ environmentId: environment.id, number, token, limit: step })
      await this.#removeAll(erased.files)
      counts.messages += erased.messages
      counts.received += erased.received
      counts.files += erased.files.length
      if (erased.messages < step && erased.received < step) break
    }
    await store.noteErased(environment.id, counts)
    return counts
  }

  /** One round; 0 when more may be left. */
  async tidy(): Promise<number | undefined> {
    const { store, environments } = this.#parts
    let more = false
    for (const { id, settings } of environments()) {
      const { forgetTextsAfterDays, removeAfterDays } = settings
      if (await this.#some(id, forgetTextsAfterDays, old => store.forgetTexts(old))) more = true
      if (await this.#some(id, removeAfterDays, old => store.removeOld(old))) more = true
    }
    return more ? 0 : undefined
  }

  async #some(
    environmentId: number,
    days: number | null,
    forget: (old: Old) => Promise<Forgotten>,
  ): Promise<boolean> {
    if (days === null) return false
    const before = this.#parts.now() - days * day
    const { count, files } = await forget({ environmentId, before, limit: step })
    await this.#removeAll(files)
    return count === step
  }

  async #removeAll(files: readonly string[]): Promise<void> {
    for (const id of files) await this.#parts.removeFile(id)
  }
}
