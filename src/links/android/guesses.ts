/** Who guesses codes: after a few wrong ones, an address has lost its chance with every code that was open then. */

import { codeMs, codeTries } from '../../core/phone.ts'

const mostAddresses = 10_000

export class Guesses {
  readonly #now: () => number
  readonly #wrong = new Map<string, { count: number; at: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Only codes made after this moment count for the address; undefined: any. */
  issuedAfter(address: string): number | undefined {
    const known = this.#wrong.get(placeOf(address))
    return known && known.count >= codeTries && known.at > this.#now() - codeMs ? known.at : undefined
  }

  wrong(address: string): void {
    const place = placeOf(address)
    const known = this.#wrong.get(place)
    const count = known && known.at > this.#now() - codeMs ? known.count + 1 : 1
    // Taken out and put back at the end, so that the first of the map is the one that guessed longest ago.
    this.#wrong.delete(place)
    this.#wrong.set(place, { count, at: this.#now() })
    if (this.#wrong.size > mostAddresses) this.#wrong.delete(this.#wrong.keys().next().value!)
  }
}

/** Somebody with an IPv6 address has a whole network of them: its first four groups are one place. */
function placeOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0')
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}
