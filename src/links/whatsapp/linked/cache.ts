/** What the library remembers for a while: outlives a connection, and is bounded. */

import { BoundedMap } from '../../../core/lib/bounded-map.ts'

export class Cache {
  readonly #keepMs: number
  readonly #now: () => number
  readonly #entries: BoundedMap<string, { value: unknown; at: number }>

  constructor(keepMs: number, most: number, now: () => number) {
    this.#keepMs = keepMs
    this.#entries = new BoundedMap(most)
    this.#now = now
  }

  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    if (this.#now() - entry.at < this.#keepMs) return entry.value as T
    this.#entries.delete(key)
    return undefined
  }

  set<T>(key: string, value: T): void {
    this.#entries.set(key, { value, at: this.#now() })
  }

  del(key: string): void {
    this.#entries.delete(key)
  }

  flushAll(): void {
    this.#entries.clear()
  }
}

const hourMs = 3_600_000

/** All that one number needs. Without the first, messages that cannot be read are asked for again at each reconnect. */
export const cachesFor = (now: () => number) => ({
  msgRetryCounterCache: new Cache(hourMs, 5_000, now),
  placeholderResendCache: new Cache(hourMs, 1_000, now),
  callOfferCache: new Cache(hourMs / 12, 100, now),
  userDevicesCache: new Cache(hourMs / 12, 1_000, now),
})
