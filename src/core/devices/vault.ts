/** Port: what a link remembers for its own device and nobody else, kept secret. */

import type { Keep } from '../idempotency.ts'
import type { Awaitable } from '../lib/awaitable.ts'

/** Null takes the entry away. */
export type VaultChange = { type: string; id: string; value: string | null }

export interface Vault {
  /** Those of the ids that are there. */
  read(type: string, ids: readonly string[]): Promise<Map<string, string>>
  /** Entries of a type, in the order of their ids. */
  list(type: string, range?: VaultRange): Promise<Map<string, string>>
  /** All or nothing, and on disk when the promise resolves. */
  write(changes: readonly VaultChange[]): Promise<void>
  forget(part: VaultPart): Promise<void>
}

/** Entries of a type, or of all types but one, that were written before then, or whenever. */
export type VaultPart = { type?: string; before?: number; but?: string }

/** The first of them, up to an id. */
export type VaultRange = { limit?: number; before?: string }

/** Where sealed entries are kept, for all devices. */
export interface VaultStore {
  vaultRead(
    deviceId: string,
    type: string,
    ids: readonly string[],
  ): Awaitable<{ id: string; value: string }[]>
  vaultList(deviceId: string, type: string, range?: VaultRange): Awaitable<{ id: string; value: string }[]>
  /** With an epoch, only while that lease of the device's link is the newest; else it throws `LeaseLost`. */
  vaultWrite(deviceId: string, changes: readonly VaultChange[], epoch?: number): Promise<void>
  /** Instead of all there is, save that of one type. */
  vaultReplace(
    deviceId: string,
    changes: readonly VaultChange[],
    but: string,
    keep?: Keep<void>,
  ): Promise<void>
  vaultForget(deviceId: string, part: VaultPart, epoch?: number): Promise<void>
}
