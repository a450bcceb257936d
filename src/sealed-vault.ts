/** Seals what links keep: AES-256-GCM, each entry bound to its place, so that none can be put in another's. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Vault, VaultChange, VaultStore } from './core/vault.ts'

const ivBytes = 12
const tagBytes = 16

export class SealedVault implements Vault {
  readonly #store: VaultStore
  readonly #deviceId: string
  readonly #key: Buffer

  constructor(store: VaultStore, deviceId: string, key: Buffer) {
    this.#store = store
    this.#deviceId = deviceId
    this.#key = key
  }

  async read(type: string, ids: readonly string[]): Promise<Map<string, string>> {
    return this.#opened(type, await this.#store.vaultRead(this.#deviceId, type, ids))
  }

  async list(type: string): Promise<Map<string, string>> {
    return this.#opened(type, await this.#store.vaultRead(this.#deviceId, type))
  }

  write(changes: readonly VaultChange[]): Promise<void> {
    return this.#store.vaultWrite(
      this.#deviceId,
      changes.map(change => ({ ...change, value: change.value === null ? null : this.#seal(change) })),
    )
  }

  forget(type?: string, before?: number, but?: string): Promise<void> {
    return this.#store.vaultForget(this.#deviceId, type ?? null, before ?? null, but)
  }

  #opened(type: string, rows: readonly { id: string; value: string }[]): Map<string, string> {
    return new Map(rows.map(({ id, value }) => [id, this.#open(type, id, value)]))
  }

  #place(type: string, id: string): Buffer {
    return Buffer.from(JSON.stringify([this.#deviceId, type, id]))
  }

  #seal({ type, id, value }: VaultChange): string {
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv).setAAD(this.#place(type, id))
    const sealed = [cipher.update(value!, 'utf8'), cipher.final()]
    return Buffer.concat([iv, ...sealed, cipher.getAuthTag()]).toString('base64')
  }

  #open(type: string, id: string, value: string): string {
    const bytes = Buffer.from(value, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, ivBytes))
      .setAAD(this.#place(type, id))
      .setAuthTag(bytes.subarray(-tagBytes))
    const opened = [decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]
    return Buffer.concat(opened).toString('utf8')
  }
}
