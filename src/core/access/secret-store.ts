/** Port: what we need remembered about the key that seals secrets. */

import type { Awaitable } from '../lib/awaitable.ts'

/** By what a database knows its key again: the salt it was derived with, and something that only it opens. */
export type Sealing = { salt?: string; check?: string }

export type Resealing = {
  /** The salt that there is before; with another one nothing is done. */
  from: string | undefined
  salt: string
  check: string
  /** Seals it with the new key. Undefined: it cannot be opened, and stays as it is. */
  again: (place: readonly string[], sealed: string) => string | undefined
}

export interface SecretStore {
  sealing(): Awaitable<Sealing>
  /** Everything sealed is sealed again, in one commit. */
  reseal(change: Resealing): Promise<void>
  /** Forgets what nobody can open any more; webhooks need new secrets then. */
  forgetSealed(next: { salt: string; check: string }): Promise<void>
}
