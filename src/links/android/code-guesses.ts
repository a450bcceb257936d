/** Limits code guessing: after a few wrong codes, an address can use no code that was open by then. */

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

  /** Counted before it is checked: of many guesses at once, only the first few can succeed. */
  begin(address: string): void {
    const place = placeOfAddress(address)
    const known = this.#wrong.get(place)
    const count = known && known.at > this.#now() - codeMs ? known.count + 1 : 1
    this.#wrong.set(place, { count, at: this.#now() })
  }

  /** It was the right code, so it is not counted. */
  takeBack(address: string): void {
    const known = this.#wrong.get(placeOfAddress(address))
    if (known) known.count -= 1
  }
}
