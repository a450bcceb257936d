/** Who guesses codes: after a few wrong ones, an address has lost its chance with every code that was open then. */

import { placeOfAddress } from '../../core/access/network.ts'
import { codeMs, codeTries } from '../../core/devices/phone.ts'

const mostAddresses = 10_000

export class CodeGuesses {
  readonly #now: () => number
  readonly #wrong = new Map<string, { count: number; at: number }>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Only codes made after this moment count for the address; undefined: any. */
  issuedAfter(address: string): number | undefined {
    const known = this.#wrong.get(placeOfAddress(address))
    return known && known.count >= codeTries && known.at > this.#now() - codeMs ? known.at : undefined
  }

  /** Counted before it is looked at: of many at once, only the first few have a chance. */
  begin(address: string): void {
    const place = placeOfAddress(address)
    const known = this.#wrong.get(place)
    const count = known && known.at > this.#now() - codeMs ? known.count + 1 : 1
    // Taken out and put back at the end, so that the first of the map is the one that guessed longest ago.
    this.#wrong.delete(place)
    this.#wrong.set(place, { count, at: this.#now() })
    if (this.#wrong.size > mostAddresses) this.#wrong.delete(this.#wrong.keys().next().value!)
  }

  /** It was the right one, and none of the guesses. */
  takeBack(address: string): void {
    const known = this.#wrong.get(placeOfAddress(address))
    if (known) known.count -= 1
  }
}
