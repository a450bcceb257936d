/** Whether a connection that seems open is alive. */

import type { Arrivals } from './arrivals.ts'

/** The server answers a ping every half minute: longer silence means that nobody is there. */
const silentMs = 90_000
/** Messages that lie undecrypted for so long, and nothing moves: the library has got stuck, though it answers pings. */
const deafMs = 60_000

export class Pulse {
  readonly #now: () => number
  #heardAt = 0

  constructor(now: () => number) {
    this.#now = now
  }

  heard(): void {
    this.#heardAt = this.#now()
  }

  /** What is wrong; undefined: nothing. */
  trouble(arrivals: Arrivals | undefined): 'silent' | 'deaf' | undefined {
    if (this.#now() - this.#heardAt > silentMs) return 'silent'
    return (arrivals?.stuckMs() ?? 0) > deafMs ? 'deaf' : undefined
  }
}
