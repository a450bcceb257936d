/** The keys in use, remembered for so short a time that a revoked one is out within a second. */

import type { Awaitable } from '../lib/awaitable.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Store } from '../store.ts'
import { hashSecret, type Key } from './key.ts'

const rememberMs = 500
const mostRemembered = 10_000
const touchMs = 60_000

export class KeyCache {
  readonly #store: Pick<Store, 'key' | 'touchKey'>
  readonly #now: () => number
  readonly #remembered = new BoundedMap<string, { key: Key; until: number }>(mostRemembered)
  readonly #touched = new BoundedMap<string, number>(mostRemembered)

  constructor(store: Pick<Store, 'key' | 'touchKey'>, now: () => number) {
    this.#store = store
    this.#now = now
  }

  /** Remembered by the secret itself, not by its hash, which would have to be made for each request. */
  find(secret: string): Awaitable<Key | undefined> {
    const known = this.#remembered.get(secret)
    if (known && known.until > this.#now()) return known.key
    return this.#look(secret)
  }

  /** Notes that the key was used: at most once a minute, without delaying requests. */
  touch(key: Key): void {
    const now = this.#now()
    if ((this.#touched.get(key.id) ?? key.lastUsedAt ?? 0) > now - touchMs) return
    this.#touched.set(key.id, now)
    this.#store.touchKey(key.id).catch(() => this.#touched.delete(key.id))
  }

  async #look(secret: string): Promise<Key | undefined> {
    const key = await this.#store.key(hashSecret(secret))
    if (!key) {
      this.#remembered.delete(secret)
      return undefined
    }
    this.#remembered.set(secret, { key, until: this.#now() + rememberMs })
    return key
  }
}
