/** Both databases, for tests that must hold on either: empty, or bare of tables too. */

import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { barePostgres, emptyPostgres, leavePostgres } from './postgres.ts'

let folder: string | undefined

/** A folder that is gone after the tests of this file. */
export function scratch(): string {
  folder ??= mkdtempSync(join(tmpdir(), 'basestation-test-'))
  return folder
}

let count = 0
export const emptySqlite = async (): Promise<string> => {
  count += 1
  return `sqlite:${join(scratch(), `${count}.db`)}`
}

export const databases = [
  { name: 'SQLite', empty: emptySqlite, bare: emptySqlite },
  { name: 'PostgreSQL', empty: emptyPostgres, bare: barePostgres },
] as const

after(async () => {
  await leavePostgres()
  if (folder !== undefined) await rm(folder, { recursive: true, force: true })
})
