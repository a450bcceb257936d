/** The key that seals secrets at rest: from the settings, or from a file that the first start makes. */

import { hash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, ConfigProblem } from '../config.ts'
import type { Store } from '../core/store.ts'
import { seal, unseal } from './seal.ts'

type KeySettings = Pick<Config, 'SECRET_KEY' | 'DATA_DIR'>

export function secretKey({ SECRET_KEY, DATA_DIR }: KeySettings): Buffer {
  return hash('sha256', `basestation ${SECRET_KEY ?? fileKey(DATA_DIR)}`, 'buffer')
}

/** Where the key is when it is not in the settings. */
export const secretKeyPath = (folder: string): string => join(folder, 'secret.key')

function fileKey(folder: string): string {
  const path = secretKeyPath(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    // Only if there is none: of two that start at once, one makes it and both read it.
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, {
      flag: 'wx',
      mode: 0o600,
      flush: true,
    })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  return readFileSync(path, 'utf8').trim()
}

const checkPlace = ['check']

/** `new`: nothing is sealed yet. `missing`: there is no key at all. `wrong`: it opens nothing that is there. */
export type KeyFit = 'fits' | 'new' | 'missing' | 'wrong'

/** Whether the key is the one that the database was sealed with. Makes none. */
export async function keyFit(
  store: Pick<Store, 'sealCheck' | 'webhooks'>,
  settings: KeySettings,
): Promise<KeyFit> {
  const check = await store.sealCheck()
  // Databases of earlier versions have no check, but may have a webhook.
  const [webhook] = await store.webhooks()
  if (check === undefined && !webhook) return 'new'
  if (settings.SECRET_KEY === undefined && !existsSync(secretKeyPath(settings.DATA_DIR))) return 'missing'
  try {
    if (check !== undefined) unseal(secretKey(settings), checkPlace, check)
    else unseal(secretKey(settings), ['webhook', webhook!.id], webhook!.secret)
    return 'fits'
  } catch {
    return 'wrong'
  }
}

/** What to do about a key that does not fit. */
export const keyAdvice = (fit: 'missing' | 'wrong', { SECRET_KEY, DATA_DIR }: KeySettings): string =>
  [
    fit === 'missing'
      ? `the secrets in the database were sealed with a key that is not there: ${secretKeyPath(DATA_DIR)} does not exist and SECRET_KEY is not set.`
      : `the secrets in the database were sealed with another key than ${SECRET_KEY === undefined ? secretKeyPath(DATA_DIR) : 'this'}.`,
    `Put the file secret.key of the earlier DATA_DIR into ${DATA_DIR}, or set SECRET_KEY as it was.`,
    'If it is lost, run: npx basestation secrets reset',
  ].join(' ')

/** Throws when the key is another than the one the database was sealed with: everything sealed would fail later on. */
export async function requireFittingKey(
  store: Pick<Store, 'sealCheck' | 'keepSealCheck' | 'webhooks'>,
  settings: KeySettings,
): Promise<void> {
  const fit = await keyFit(store, settings)
  if (fit === 'missing' || fit === 'wrong')
    throw new ConfigProblem([`SECRET_KEY: ${keyAdvice(fit, settings)}`])
  await store.keepSealCheck(seal(secretKey(settings), checkPlace, 'basestation'))
}
