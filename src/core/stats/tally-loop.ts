/** Keeps the counts of what happened up to date: a step behind what happens, and never in its way. */

import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import type { Store } from '../store.ts'

const restMs = 1_000
/** One commit's worth: about a millisecond of work, which a request may have to wait for. */
const step = 500
/** The shorter interval while more is left to count, so that the statistics are not far behind. */
const busyMs = 25

export class TallyLoop {
  readonly #store: Pick<Store, 'tally'>
  readonly #loop: Loop

  constructor(store: Pick<Store, 'tally'>, log: Log) {
    this.#store = store
    this.#loop = new Loop(
      restMs,
      () => this.#round(),
      error => log.error({ err: error }, 'statistics failed; will retry'),
    )
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  async #round(): Promise<number | undefined> {
    return (await this.#store.tally(step)) === step ? busyMs : undefined
  }
}
