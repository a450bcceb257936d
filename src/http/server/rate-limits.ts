/** How many requests a key may make, and how patient we are with those who have none. */

import { requestWindowMs, type Window } from '../../core/access/key-store.ts'
import type { Awaitable } from '../../core/lib/awaitable.ts'
import { BoundedMap } from '../../core/lib/bounded-map.ts'
import type { Store } from '../../core/store.ts'

export type Allowance = { limit: number; remaining: number; resetAt: number; exceeded: boolean }

/** Counts requests per key in a fixed minute that starts with the key's first request. */
export class RequestLimits {
  readonly #now: () => number
  readonly #share: Store['countRequest']
  readonly #windows = new Map<string, Window>()

  /** Where the store counts for several nodes, its count is the one that holds. */
  constructor(now: () => number, share: Store['countRequest']) {
    this.#now = now
    this.#share = share
  }

  take(keyId: string, limit: number): Awaitable<Allowance> {
    const judge = (window: Window): Allowance => ({
      limit,
      remaining: Math.max(0, limit - window.count),
      resetAt: window.startedAt + requestWindowMs,
      exceeded: window.count > limit,
    })
    return this.#share ? this.#share(keyId).then(judge) : judge(this.#count(keyId))
  }

  #count(keyId: string): Window {
    const now = this.#now()
    let window = this.#windows.get(keyId)
    if (!window || window.startedAt <= now - requestWindowMs || window.startedAt > now) {
      window = { startedAt: now, count: 0 }
      this.#windows.set(keyId, window)
    }
    window.count += 1
    return window
  }
}

const patience = 10
const firstDelayMs = 50
const longestDelayMs = 2_000
const mostAddresses = 10_000

/**
 * Answers repeated failures from one address slower and slower. The answer stays the same, and a valid key from that
 * address never waits: a neighbour behind the same proxy must not suffer.
 */
export class FailureDelay {
  readonly #now: () => number
  readonly #failures = new BoundedMap<string, { count: number; at: number }>(mostAddresses)

  constructor(now: () => number) {
    this.#now = now
  }

  /** Notes a failure and returns for how long to hold the answer back. */
  next(address: string): number {
    const now = this.#now()
    const before = this.#failures.get(address)
    const count = before && before.at > now - requestWindowMs ? before.count + 1 : 1
    this.#failures.set(address, { count, at: now })
    return count <= patience
      ? 0
      : Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(10, count - patience - 1))
  }
}
