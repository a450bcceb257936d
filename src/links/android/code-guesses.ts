/** Who guesses codes: after a few wrong ones, an address has lost its chance with every code that was open then. */

import { placeOfAddress } from '../../core/access/network.ts'
import { codeMs, codeTries } from '../../core/devices/phone.ts'
import { BoundedMap } from '../../core/lib/bounded-map.ts'

const mostAddresses = 10_000

export class CodeGuesses {
  readonly #now: () => number
  readonly #wrong = new BoundedMap<string, { count: number; at: number }>(mostAddresses)

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
    this.#wrong.set(place, { count, at: this.#now() })
  }

  /** It was the right one, and none of the guesses. */
  takeBack(address: string): void {
    const known = this.#wrong.get(placeOfAddress(address))
    if (known) known.count -= 1
  }
}
