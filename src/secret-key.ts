/** The key that seals secrets at rest: from the settings, or from a file that the first start makes. */

import { hash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'

export function secretKey({ SECRET_KEY, DATA_DIR }: Pick<Config, 'SECRET_KEY' | 'DATA_DIR'>): Buffer {
  return hash('sha256', `basestation ${SECRET_KEY ?? fileKey(DATA_DIR)}`, 'buffer')
}

function fileKey(folder: string): string {
  const path = join(folder, 'secret.key')
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
