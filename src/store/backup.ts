/** Backups: one SQLite file, whichever database it came from, that can be restored into either. */

import { existsSync, renameSync, rmSync } from 'node:fs'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { backup as copyOnline, DatabaseSync } from 'node:sqlite'
import type { Driver } from './engine/driver.ts'
import { StorageFault } from './engine/driver.ts'
import { migrate } from './engine/migrate.ts'
import { type Sql, sql, type Value, values, varying } from './engine/sql.ts'
import { SqliteDriver } from './engine/sqlite.ts'
import { openDriver } from './open.ts'

/** The tables that a backup holds, each with its key. */
export const tables = {
  accounts: 'id',
  environments: 'id',
  counters: 'name',
  keys: 'id',
  devices: 'id',
  loads: 'device_id',
  phones: 'device_id',
  leases: 'name',
  messages: 'seq',
  received: 'seq',
  media: 'id',
  stored_files: 'id',
  file_parts: 'token, n',
  events: 'seq',
  batches: 'id',
  answers: 'name',
  opt_outs: 'digest',
  webhooks: 'id',
  users: 'id',
  audit: 'id',
  conversations: 'last_seq',
  tallies: 'environment_id, hour, what',
  secrets: 'name',
}
/** What belongs to the database that was there, and to none that takes its place. */
export const emptied = [
  'vault',
  'deliveries',
  'replays',
  'forgotten',
  'passed_over',
  'removed_files',
  'sessions',
  'tickets',
  'login_tries',
]
/** What only lives while a gateway runs, or says how the database is made. */
export const transient = ['nodes', 'gateway', 'schema_version', 'request_windows']
/** Numbers of events are names that others remember: none that was ever given is given again. */
const numbersLeftOut = 1_000_000_000
const page = 1_000
const partsAtOnce = 8

/** Writes a consistent copy while the gateway goes on working. Never overwrites a file. */
export async function backup(url: string, file: string, now: () => number): Promise<void> {
  if (existsSync(file)) throw new StorageFault(`${file} exists already.`)
  const unfinished = `${file}.unfinished`
  rmSync(unfinished, { force: true })
  if (url.startsWith('sqlite:')) {
    const path = resolve(url.slice('sqlite:'.length))
    if (!existsSync(path)) throw new StorageFault(`There is no database at ${path}.`)
    const source = new DatabaseSync(path, { readOnly: true })
    try {
      // Held open for the whole copy: without it each commit of the gateway would make the copy start over.
      source.exec('BEGIN')
      source.prepare('SELECT value FROM counters').all()
      await copyOnline(source, unfinished)
    } finally {
      source.close()
    }
  } else await exportTo(unfinished, await openDriver(url, true), now)
  const copy = new DatabaseSync(unfinished)
  // A single file without a log beside it, on disk before it gets its name.
  copy.exec('PRAGMA journal_mode = DELETE')
  copy.close()
  renameSync(unfinished, file)
}

async function exportTo(file: string, source: Driver, now: () => number): Promise<void> {
  const target = new SqliteDriver(file)
  try {
    await migrate(target, now)
    await source.transact(async from => {
      await from.all(sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`)
      await target.transact(into => copyTables(from, into))
    })
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

export type Restored = { messages: number; held: number }

/**
 * Puts a backup in the place of what the database holds, and holds back every message that was not settled: what
 * happened to it since the backup is not known here, and the past must not be sent again.
 */
export async function restore(url: string, file: string, now: () => number): Promise<Restored> {
  if (!existsSync(file)) throw new StorageFault(`There is no file ${file}.`)
  // Worked on is a copy: the backup may be on a disk that cannot be written to, and should stay as it is.
  const folder = await mkdtemp(join(tmpdir(), 'basestation-restore-'))
  const copy = join(folder, 'backup.db')
  await copyFile(file, copy)
  const source = new SqliteDriver(copy)
  const target = await openDriver(url, true)
  try {
    await migrate(source, now)
    await migrate(target, now)
    return await target.transact(async into => {
      await copyTables(source.reader, into)
      return await hold(into)
    })
  } finally {
    await Promise.all([source.close(), target.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

async function hold(into: Sql): Promise<Restored> {
  const held = await into.all(sql`
    UPDATE messages SET held = 1 WHERE status IN ('scheduled', 'queued', 'sending') RETURNING seq`)
  await into.all(sql`UPDATE loads SET waiting = 0, waiting_parts = 0, movable = 0`)
  await into.all(sql`UPDATE devices SET online = 0, held_by = NULL`)
  await into.all(sql`DELETE FROM nodes`)
  await into.all(sql`UPDATE leases SET node = NULL`)
  await into.all(sql`UPDATE counters SET value = value + ${numbersLeftOut} WHERE name = 'journal'`)
  const [row] = await into.all<{ count: number }>(sql`SELECT COUNT(*) AS count FROM messages`)
  return { messages: row!.count, held: held.length }
}

async function copyTables(from: Sql, into: Sql): Promise<void> {
  const names = Object.entries(tables)
  for (const table of emptied) await into.all(sql`DELETE FROM ${varying(table)}`)
  // Backwards, because of what refers to what.
  for (const [table] of names.toReversed()) await into.all(sql`DELETE FROM ${varying(table)}`)
  for (const [table, key] of names) await copyTable(from, into, table, key)
}

async function copyTable(from: Sql, into: Sql, table: string, key: string): Promise<void> {
  if (table === 'file_parts') return await copyFiles(from, into)
  if (key.includes(',')) return await copySmallTable(from, into, table, key)
  let last: Value | undefined
  for (;;) {
    const found: Record<string, Value>[] =
      last === undefined
        ? await from.all(sql`SELECT * FROM ${varying(table)} ORDER BY ${varying(key)} LIMIT ${page}`)
        : await from.all(
            sql`SELECT * FROM ${varying(table)} WHERE ${varying(key)} > ${last} ORDER BY ${varying(key)} LIMIT ${page}`,
          )
    if (found.length === 0) return
    await insert(into, table, found)
    last = found.at(-1)![key]!
  }
}

/** One whose rows have several columns for a name, and are few enough to be counted. */
async function copySmallTable(from: Sql, into: Sql, table: string, key: string): Promise<void> {
  for (let done = 0; ; done += page) {
    const found = await from.all<Record<string, Value>>(
      sql`SELECT * FROM ${varying(table)} ORDER BY ${varying(key)} LIMIT ${page} OFFSET ${done}`,
    )
    if (found.length === 0) return
    await insert(into, table, found)
  }
}

/** Parts are large: few at a time. Those that never became a file stay behind. */
async function copyFiles(from: Sql, into: Sql): Promise<void> {
  for (let id = ''; ; ) {
    const [file] = await from.all<{ id: string; token: string }>(
      sql`SELECT id, token FROM stored_files WHERE id > ${id} ORDER BY id LIMIT 1`,
    )
    if (!file) return
    id = file.id
    for (let n = -1; ; ) {
      const found = await from.all<Record<string, Value>>(sql`
        SELECT * FROM file_parts WHERE token = ${file.token} AND n > ${n} ORDER BY n LIMIT ${partsAtOnce}`)
      if (found.length === 0) break
      await insert(into, 'file_parts', found)
      n = found.at(-1)!.n as number
    }
  }
}

async function insert(into: Sql, table: string, found: readonly Record<string, Value>[]): Promise<void> {
  const columns = Object.fromEntries(Object.keys(found[0]!).map(name => [name, typeOf(found, name)]))
  await into.all(sql`INSERT INTO ${varying(table)} ${values(columns, found)}`)
}

/** A column is text where any of its values is. */
const typeOf = (found: readonly Record<string, Value>[], name: string) =>
  found.some(row => typeof row[name] === 'string') ? ('text' as const) : ('bigint' as const)
