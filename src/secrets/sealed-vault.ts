/** Seals what links keep, each entry bound to its device, type and id. */

import type { Vault, VaultChange, VaultPart, VaultRange, VaultStore } from '../core/devices/vault.ts'
import type { Sealer } from './sealer.ts'

export class SealedVault implements Vault {
  readonly #store: VaultStore
  readonly #deviceId: string
  readonly #sealer: Sealer
  readonly #epoch: number | undefined

  /** With an epoch, it writes only while that lease of the device's link is the newest. */
  constructor(store: VaultStore, deviceId: string, sealer: Sealer, epoch?: number) {
    this.#store = store
    this.#deviceId = deviceId
    this.#sealer = sealer
    this.#epoch = epoch
  }

  async read(type: string, ids: readonly string[]): Promise<Map<string, string>> {
    return this.#opened(type, await this.#store.vaultRead(this.#deviceId, type, ids))
  }

  async list(type: string, range?: VaultRange): Promise<Map<string, string>> {
    return this.#opened(type, await this.#store.vaultList(this.#deviceId, type, range))
  }

  write(changes: readonly VaultChange[]): Promise<void> {
    return this.#store.vaultWrite(this.#deviceId, this.sealed(changes), this.#epoch)
  }

  /** As they are kept, for whoever writes them together with something else. */
  sealed(changes: readonly VaultChange[]): VaultChange[] {
    return changes.map(({ type, id, value }) => ({
      type,
      id,
      value: value === null ? null : this.#sealer.seal([this.#deviceId, type, id], value),
    }))
  }

  forget(part: VaultPart): Promise<void> {
    return this.#store.vaultForget(this.#deviceId, part, this.#epoch)
  }

  #opened(type: string, rows: readonly { id: string; value: string }[]): Map<string, string> {
    return new Map(rows.map(({ id, value }) => [id, this.#sealer.open([this.#deviceId, type, id], value)]))
  }
}
