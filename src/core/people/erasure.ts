/** Forgets: people who ask for it, and what is older than an environment wants to keep. */

import { randomUUID } from 'node:crypto'
import type { Environment } from '../environment.ts'
import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import type { Store } from '../store.ts'
import type { Erased, Old } from './people-store.ts'

export type ForgetterParts = {
  store: Pick<Store, 'erase' | 'noteErased' | 'forgetTexts' | 'removeOld' | 'removedFiles' | 'noteRemoved'>
  environments: () => readonly Environment[]
  /** Removes a file that came with a message. */
  removeFile: (id: string) => Promise<void>
  now: () => number
  log: Log
}

const lookMs = 60_000
/** One commit's worth of what somebody waits for. */
const step = 500
/** A past of millions is forgotten in small steps: sends wait for no more than one of them, and most of the time is theirs. */
const [stepMs, leastStep, mostStep] = [5, 20, 500]
const restShare = 0.9
const filesAtOnce = 50
const day = 24 * 3_600_000

export class Erasure {
  readonly #parts: ForgetterParts
  readonly #loop: Loop
  /** How many are forgotten at a time: as many as the disk takes in a few milliseconds. */
  #limit = leastStep

  constructor(parts: ForgetterParts) {
    this.#parts = parts
    this.#loop = new Loop(
      lookMs,
      () => this.tidy(),
      error => parts.log.error({ err: error }, 'retention failed; will retry'),
    )
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Blanks everything of one person. Safe to repeat, also after a crash half-way. */
  async erase(environment: Pick<Environment, 'id'>, number: string): Promise<Erased> {
    const { store } = this.#parts
    const counts: Erased = { messages: 0, received: 0, files: 0 }
    const token = randomUUID()
    for (;;) {
      const erased = await store.erase({ environmentId: environment.id, number, token, limit: step })
      counts.messages += erased.messages
      counts.received += erased.received
      counts.files += erased.files
      if (erased.messages < step && erased.received < step) break
    }
    await store.noteErased(environment.id, counts)
    while (await this.#removeSomeFiles());
    return counts
  }

  /** One round. A short rest when more may be left. */
  async tidy(): Promise<number | undefined> {
    const { store, environments } = this.#parts
    const started = performance.now()
    let more = false
    for (const { id, settings } of environments()) {
      const { forgetTextsAfterDays, removeAfterDays } = settings
      if (await this.#some(id, forgetTextsAfterDays, old => store.forgetTexts(old))) more = true
      if (await this.#some(id, removeAfterDays, old => store.removeOld(old))) more = true
    }
    if (await this.#removeSomeFiles()) more = true
    return more ? (performance.now() - started) * (restShare / (1 - restShare)) : undefined
  }

  async #some(
    environmentId: number,
    days: number | null,
    forget: (old: Old) => Promise<number>,
  ): Promise<boolean> {
    if (days === null) return false
    const before = this.#parts.now() - days * day
    const limit = this.#limit
    const started = performance.now()
    const isFull = (await forget({ environmentId, before, limit })) === limit
    const wanted = (limit * stepMs) / (performance.now() - started)
    this.#limit = Math.round(Math.min(mostStep, 2 * limit, Math.max(leastStep, wanted)))
    return isFull
  }

  /** Those noted by whomever, also before a crash. True: more may be left. */
  async #removeSomeFiles(): Promise<boolean> {
    const { store, removeFile } = this.#parts
    const files = await store.removedFiles(filesAtOnce)
    for (const id of files) await removeFile(id)
    if (files.length > 0) await store.noteRemoved(files)
    return files.length === filesAtOnce
  }
}
