/** A WhatsApp session in the vault: the account's credentials, and the keys of each conversation. */

import type { AuthenticationCreds, SignalDataSet, SignalKeyStore } from 'baileys'
import type { Vault, VaultChange } from '../../../core/devices/vault.ts'
import type { Library } from './library.ts'

/** What a decrypted message is called in the store, so that it is kept in the commit that moves the session on. */
export const inboxType = 'x-inbox'
/** Which messages were ever decrypted: none can be decrypted twice. */
export const seenType = 'x-seen'
/** The server keeps what it could not hand over for no longer than this. */
export const seenMs = 30 * 24 * 3_600_000
const ours: readonly string[] = [inboxType, seenType]
const placeOf = (type: string) => (ours.includes(type) ? type : `key:${type}`)

export type Session = {
  creds: AuthenticationCreds
  keys: SignalKeyStore
  /** Keeps the credentials as they are now. */
  save: () => Promise<void>
  /** From now on it writes nothing: another session continues from what is stored. */
  abandon: () => void
}

type KeyStore = Pick<Vault, 'read' | 'write'>

/** Linking a number again gives it a new identity. */
export const identityOf = (session: Session | undefined): string | undefined =>
  session && Buffer.from(session.creds.noiseKey.public).toString('base64')

/** `onTrouble` is told at once when storage fails: what the library does then would lose messages. */
export async function openSession(
  library: Library,
  vault: KeyStore,
  onTrouble: (error: unknown) => void = () => {},
): Promise<Session> {
  const { BufferJSON, initAuthCreds } = library
  const write = (value: unknown) => JSON.stringify(value, BufferJSON.replacer)
  const read = (text: string) => JSON.parse(text, BufferJSON.reviver)
  const stored = (await vault.read('creds', ['creds'])).get('creds')
  const creds: AuthenticationCreds = stored === undefined ? initAuthCreds() : read(stored)
  // One after the other: an older state must never be written over a newer one.
  let saving: Promise<void> = Promise.resolve()
  let abandoned = false
  const keep = async (changes: readonly VaultChange[]) => {
    if (abandoned) throw new Error('this session was given up')
    await watched(vault.write(changes))
  }
  const watched = <T>(work: Promise<T>): Promise<T> =>
    work.catch(error => {
      if (!abandoned) onTrouble(error)
      throw error
    })
  return {
    creds,
    save: () => {
      const work = () => keep([{ type: 'creds', id: 'creds', value: write(creds) }])
      saving = saving.then(work, work)
      return saving
    },
    abandon: () => {
      abandoned = true
    },
    keys: {
      get: async (type, ids) => {
        const found = await watched(vault.read(placeOf(type), ids))
        const values = [...found].map(([id, text]) => [id, revived(library, type, read(text))])
        return Object.fromEntries(values)
      },
      // All types of one call together: the only atomicity that the library offers.
      set: data => keep(changesOf(data, write)),
    },
  }
}

function changesOf(data: SignalDataSet, write: (value: unknown) => string): VaultChange[] {
  return Object.entries(data).flatMap(([type, entries]) =>
    Object.entries(entries ?? {}).map(([id, value]) => ({
      type: placeOf(type),
      id,
      value: value === null || value === undefined ? null : write(value),
    })),
  )
}

const revived = ({ proto }: Library, type: string, value: object) =>
  type === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value) : value

/** A store for an attempt that may be given up: nothing is kept until it succeeded. */
export class Scratch implements KeyStore {
  readonly entries = new Map<string, VaultChange>()

  async read(type: string, ids: readonly string[]): Promise<Map<string, string>> {
    const found = ids.flatMap(id => {
      const value = this.entries.get(`${type}/${id}`)?.value
      return value === null || value === undefined ? [] : [[id, value] as const]
    })
    return new Map(found)
  }

  async write(changes: readonly VaultChange[]): Promise<void> {
    for (const change of changes) this.entries.set(`${change.type}/${change.id}`, change)
  }
}
