/** Port: what we need remembered of API keys and of the environments they belong to. */

import type { Environment, Owned, Settings } from '../environment.ts'
import type { Keep } from '../idempotency.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Key, KeyDraft, Rotation } from './key.ts'

/** A key's requests are counted in fixed windows of this length. */
export const requestWindowMs = 60_000

export type Window = { startedAt: number; count: number }

export interface KeyStore {
  addKey(draft: KeyDraft, hash: string, hint: string, keep?: Keep<Key>): Promise<Key>
  revokeKey(key: Owned): Promise<Key | undefined>
  /** A new key like this one, which goes on working until then. */
  rotateKey(rotation: Rotation, keep?: Keep<Key | undefined>): Promise<Key | undefined>
  touchKey(id: string): Promise<void>
  key(hash: string): Awaitable<Key | undefined>
  keys(environmentId: number): Awaitable<Key[]>
  /** Those of all environments: for the command line. */
  allKeys(): Awaitable<Key[]>
  environments(): Awaitable<Environment[]>
  configure(environmentId: number, settings: Settings): Promise<void>
  /** Counts a request in the key's window. Only where several nodes must share the count. */
  countRequest?(keyId: string): Promise<Window>

  /** Notes under which address the gateway is reached, for commands beside it. */
  announce(publicUrl: string): Promise<void>
  announced(): Awaitable<string | undefined>
}
