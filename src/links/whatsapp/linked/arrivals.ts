/** The messages that have come over a connection and are not decrypted yet. */

import type { BinaryNode } from 'baileys'

/** Where a message stands in the order of arrival, and what its envelope says. */
export type Arrival = { place: string; attrs: Readonly<Record<string, string>> }

/** One that is not decrypted holds up those behind it for so long, unless others are being decrypted all the while. */
const patienceMs = 2_000

export class Arrivals {
  readonly #now: () => number
  readonly #byCiphertext = new WeakMap<object, Arrival>()
  readonly #underWay = new Map<string, number>()
  #count = 0
  #settledAt = 0
  /** The earliest of them, and since when later ones have been decrypted before it. */
  #overtaken: { place: string; at: number } | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  /** The library hands on the very same bytes when it decrypts: by them the envelope is found again. */
  came({ attrs }: BinaryNode, ciphertexts: readonly Uint8Array[]): void {
    if (ciphertexts.length === 0) return
    const now = this.#now()
    this.#count += 1
    // Grows with each message, also over restarts: messages are reported in order of arrival.
    const place = `${String(now).padStart(15, '0')}.${String(this.#count).padStart(9, '0')}`
    this.#underWay.set(place, now)
    for (const bytes of ciphertexts) this.#byCiphertext.set(bytes, { place, attrs })
  }

  of(ciphertext: Uint8Array): Arrival | undefined {
    return this.#byCiphertext.get(ciphertext)
  }

  /** It was decrypted, or cannot be. */
  settled({ place }: Arrival): void {
    this.#underWay.delete(place)
    this.#settledAt = this.#now()
    const [head] = this.#underWay
    if (head && head[0] < place && this.#overtaken?.place !== head[0])
      this.#overtaken = { place: head[0], at: this.#now() }
  }

  /** The place of the earliest that is not decrypted yet: what lies behind it has to wait. */
  frontier(): string | undefined {
    const [head] = this.#underWay
    if (!head) return undefined
    // The library has skipped it and will not return to it: stop waiting for it.
    if (this.#overtaken?.place === head[0] && this.#now() - this.#overtaken.at > patienceMs) {
      this.#underWay.delete(head[0])
      return this.frontier()
    }
    return this.#stillFor(head[1]) < patienceMs ? head[0] : undefined
  }

  /** For how long messages have lain here while none was decrypted. */
  stuckMs(): number {
    const [first] = this.#underWay
    return first ? this.#stillFor(first[1]) : 0
  }

  #stillFor(since: number): number {
    return this.#now() - Math.max(since, this.#settledAt)
  }
}
