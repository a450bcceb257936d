/** Seals secrets at rest with one key. Each sealed text names the key, so that a text of another one is told apart. */

import { hash, hkdfSync, scryptSync } from 'node:crypto'
import { type Place, seal, unseal } from './seal.ts'

/** What keys are derived from. `isTyped`: somebody chose it, so guessing has to be made expensive. */
export type Secret = { text: string; isTyped: boolean }

const keyBytes = 32
/** A fifth of a second and 32 MiB, once at each start. */
const stretching = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 }

/** Between the key's id and the text; in neither of them. */
const separator = '.'

export class Sealer {
  /** Shows which key it is, and nothing about it. */
  readonly id: string
  readonly #key: Buffer
  /** Of texts that were sealed before keys had ids. */
  readonly #firstKey: Buffer

  constructor({ text, isTyped }: Secret, salt: string) {
    this.#key = isTyped
      ? scryptSync(text, salt, keyBytes, stretching)
      : Buffer.from(hkdfSync('sha256', text, salt, 'basestation', keyBytes))
    this.id = hash('sha256', Buffer.concat([Buffer.from('key id '), this.#key])).slice(0, 8)
    this.#firstKey = hash('sha256', `basestation ${text}`, 'buffer')
  }

  seal(place: Place, text: string): string {
    return `${this.id}${separator}${seal(this.#key, place, text)}`
  }

  /** Throws when it was sealed with another key, or for another place. */
  open(place: Place, sealed: string): string {
    const id = sealedWith(sealed)
    if (id === undefined) return unseal(this.#firstKey, place, sealed)
    if (id !== this.id) throw new Error(`sealed with the key ${id}, not with ${this.id}`)
    return unseal(this.#key, place, sealed.slice(id.length + separator.length))
  }
}

/** The id of the key that sealed it; undefined: it is from before keys had ids. */
function sealedWith(sealed: string): string | undefined {
  const end = sealed.indexOf(separator)
  return end === -1 ? undefined : sealed.slice(0, end)
}
