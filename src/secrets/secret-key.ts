/** The secret key: from the settings, or from a file that the first start makes. */

import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Resealing, Sealing, SecretStore } from '../core/access/secret-store.ts'
import type { Store } from '../core/store.ts'
import { ConfigProblem } from '../host/setting.ts'
import { Sealer, type Secret } from './sealer.ts'

export type KeySettings = Pick<Config, 'SECRET_KEY' | 'DATA_DIR'>
type KeyStore = SecretStore & Pick<Store, 'allWebhooks'>

/** Where the key is when it is not in the settings. */
export const secretKeyPath = (folder: string): string => join(folder, 'secret.key')
/** The key that is about to take its place. A stop in the middle of a rotation leaves it behind. */
const nextKeyPath = (folder: string): string => `${secretKeyPath(folder)}.next`

const newKey = () => randomBytes(32).toString('base64url')
const newSalt = () => randomBytes(16).toString('base64url')
const typed = (text: string): Secret => ({ text, isTyped: true })

function readKey(path: string): Secret | undefined {
  return existsSync(path) ? { text: readFileSync(path, 'utf8').trim(), isTyped: false } : undefined
}

function writeKey(path: string, key: string, flag: 'w' | 'wx'): void {
  writeFileSync(path, `${key}\n`, { flag, mode: 0o600, flush: true })
}

function readOrMakeKey({ SECRET_KEY, DATA_DIR }: KeySettings): Secret {
  if (SECRET_KEY !== undefined) return typed(SECRET_KEY)
  const path = secretKeyPath(DATA_DIR)
  mkdirSync(DATA_DIR, { recursive: true, mode: 0o700 })
  try {
    // Only if there is none: of two that start at once, one makes it and both read it.
    writeKey(path, newKey(), 'wx')
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  return readKey(path)!
}

const checkPlace = ['check']

/** What a database needs to know its key again: salt and check. */
function sealingBy(secret: Secret): { sealer: Sealer; salt: string; check: string } {
  const salt = newSalt()
  const sealer = new Sealer(secret, salt)
  return { sealer, salt, check: sealer.seal(checkPlace, 'basestation') }
}

/** `new`: nothing is sealed yet. `missing`: there is no key at all. `wrong`: it opens nothing that is there. */
export type KeyFit = 'fits' | 'new' | 'missing' | 'wrong'

type Found = { fit: KeyFit; kept: Sealing; sealer?: Sealer; isNext?: boolean }

async function find(store: KeyStore, { SECRET_KEY, DATA_DIR }: KeySettings): Promise<Found> {
  const kept = await store.sealing()
  // Databases of earlier versions have no check, but may have a webhook.
  const [webhook] = await store.allWebhooks()
  const sample =
    kept.check !== undefined
      ? { place: checkPlace, sealed: kept.check }
      : webhook && { place: ['webhook', webhook.id], sealed: webhook.secret }
  if (!sample) return { fit: 'new', kept }
  const present = SECRET_KEY === undefined ? readKey(secretKeyPath(DATA_DIR)) : typed(SECRET_KEY)
  const next = SECRET_KEY === undefined ? readKey(nextKeyPath(DATA_DIR)) : undefined
  for (const secret of [present, next]) {
    if (!secret) continue
    const sealer = new Sealer(secret, kept.salt ?? '')
    try {
      sealer.open(sample.place, sample.sealed)
      return { fit: 'fits', kept, sealer, isNext: secret === next }
    } catch {
      // Another key.
    }
  }
  return { fit: present ? 'wrong' : 'missing', kept }
}

/** Whether the key is the one that the database was sealed with. Changes nothing, and makes no key. */
export const keyFit = async (store: KeyStore, settings: KeySettings): Promise<KeyFit> =>
  (await find(store, settings)).fit

/** What to do about a key that does not fit. */
export const keyAdvice = (fit: 'missing' | 'wrong', { SECRET_KEY, DATA_DIR }: KeySettings): string =>
  [
    fit === 'missing'
      ? `the secrets in the database were sealed with a key that is not there: ${secretKeyPath(DATA_DIR)} does not exist and SECRET_KEY is not set.`
      : `the secrets in the database were sealed with another key than ${SECRET_KEY === undefined ? secretKeyPath(DATA_DIR) : 'this'}.`,
    `Put the file secret.key of the earlier DATA_DIR into ${DATA_DIR}, or set SECRET_KEY as it was.`,
    'If it is lost, run: npx basestation secrets reset',
  ].join(' ')

/**
 * The sealer of a database. Throws when the key is another than the one it was sealed with: everything sealed would fail
 * later on. What was sealed before keys had ids is sealed again.
 */
export async function openSealer(store: KeyStore, settings: KeySettings): Promise<Sealer> {
  const { fit, kept, sealer: present, isNext } = await find(store, settings)
  if (fit === 'missing' || fit === 'wrong')
    throw new ConfigProblem([`SECRET_KEY: ${keyAdvice(fit, settings)}`])
  if (isNext) renameSync(nextKeyPath(settings.DATA_DIR), secretKeyPath(settings.DATA_DIR))
  if (present && kept.salt !== undefined) return present
  const { sealer, salt, check } = sealingBy(readOrMakeKey(settings))
  await store.reseal({ from: undefined, salt, check, again: again(sealer, sealer) })
  // Of several that start at once, the first counts.
  return await openSealer(store, settings)
}

/** Undefined: nobody can open it, so that it stays as it is. */
const again =
  (before: Sealer, after: Sealer): Resealing['again'] =>
  (place, sealed) => {
    try {
      return after.seal(place, before.open(place, sealed))
    } catch {
      return undefined
    }
  }

/**
 * Gives the database a new key and seals everything again in one commit. `next`: what will be SECRET_KEY; undefined: a
 * new file. A stop at any point leaves a database and a key that fit: the next start looks at the file of the next key too.
 */
export async function rotateKey(
  store: KeyStore,
  settings: KeySettings,
  next: string | undefined,
): Promise<{ before: string; after: string; oldFile?: string }> {
  const before = await openSealer(store, settings)
  const { salt: from } = await store.sealing()
  const [path, nextPath] = [secretKeyPath(settings.DATA_DIR), nextKeyPath(settings.DATA_DIR)]
  const text = next ?? newKey()
  if (next === undefined) writeKey(nextPath, text, 'w')
  const { sealer: after, salt, check } = sealingBy({ text, isTyped: next !== undefined })
  await store.reseal({ from, salt, check, again: again(before, after) })
  if (settings.SECRET_KEY !== undefined) return { before: before.id, after: after.id }
  // Backups from before are sealed with the old one.
  const oldFile = `${path}.${before.id}`
  renameSync(path, oldFile)
  if (next === undefined) renameSync(nextPath, path)
  return { before: before.id, after: after.id, oldFile }
}

/** A key for a database whose key is lost. What it sealed is gone. */
export async function resetKey(store: KeyStore, settings: KeySettings): Promise<Sealer> {
  rmSync(nextKeyPath(settings.DATA_DIR), { force: true })
  const { sealer, salt, check } = sealingBy(readOrMakeKey(settings))
  await store.forgetSealed({ salt, check })
  return sealer
}
