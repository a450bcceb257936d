/** The SQLite driver: one writer connection and one reader on the same file. */

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Driver, StorageFault } from './driver.ts'
import { type Query, runsOf, type Sql, textOf } from './sql.ts'

/** Another process may be writing. Its turn is waited for without blocking the event loop. */
const lockPatienceMs = 5_000
const lockRetryMs = 10

const primaryCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff
const [busy, readOnly, ioError, corrupt, full, cannotOpen, notADatabase] = [5, 8, 10, 11, 13, 14, 26]
const faults = [busy, readOnly, ioError, corrupt, full, cannotOpen, notADatabase]
/** After a failed write to disk SQLite's memory and the file may differ. */
const fatal = [ioError, corrupt, notADatabase]

export class SqliteDriver implements Driver {
  readonly dialect = 'sqlite'
  readonly reader: Sql
  readonly #writer: Connection
  readonly #readOnly: Connection
  #tail: Promise<unknown> = Promise.resolve()

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    this.#writer = new Connection(path, false)
    this.#readOnly = new Connection(path, true)
    this.reader = this.#readOnly
  }

  transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const turn = this.#tail.then(() => this.#transact(work))
    this.#tail = turn.catch(() => {})
    return turn
  }

  async close(): Promise<void> {
    await this.#tail
    this.#readOnly.close()
    this.#writer.close()
  }

  async #transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    await this.#begin()
    let result: T
    try {
      result = await work(this.#writer)
      this.#writer.exec('COMMIT')
    } catch (error) {
      this.#rollback()
      throw asFault(error)
    }
    return result
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + lockPatienceMs
    for (;;) {
      try {
        this.#writer.exec('BEGIN IMMEDIATE')
        return
      } catch (error) {
        if (primaryCode(error) !== busy || performance.now() > deadline) throw asFault(error)
      }
      await sleep(lockRetryMs)
    }
  }

  #rollback(): void {
    try {
      this.#writer.exec('ROLLBACK')
    } catch {
      // SQLite has rolled back by itself after some errors; there is nothing left to undo.
    }
  }
}

class Connection implements Sql {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()

  constructor(path: string, readOnly: boolean) {
    try {
      this.#database = new DatabaseSync(path, { readOnly, timeout: 0 })
      if (!readOnly) this.#prepareForWriting()
      // Readers never wait for writers in WAL mode; this is for the moment in which a log is being replayed.
      else this.#database.exec('PRAGMA busy_timeout = 2000')
    } catch (error) {
      throw asFault(error)
    }
  }

  #prepareForWriting(): void {
    const database = this.#database
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    const [{ synchronous } = { synchronous: 0 }] = database.prepare('PRAGMA synchronous').all() as { synchronous: number }[]
    const [{ journal_mode: mode } = { journal_mode: '' }] = database.prepare('PRAGMA journal_mode').all() as {
      journal_mode: string
    }[]
    if (synchronous !== 2 || mode !== 'wal')
      throw new StorageFault(`SQLite must run with WAL and synchronous=FULL, not ${mode} and ${synchronous}.`)
    // From here on the lock is waited for outside, so that the event loop goes on.
    database.exec('PRAGMA busy_timeout = 0; PRAGMA temp_store = MEMORY')
  }

  all<Row>(query: Query): Row[] {
    try {
      const statement = this.#statement(textOf(query, 'sqlite'))
      const runs = runsOf(query)
      if (runs.length === 1) return statement.all(...(runs[0] as never[])) as Row[]
      const found: Row[] = []
      for (const run of runs) for (const row of statement.all(...(run as never[]))) found.push(row as Row)
      return found
    } catch (error) {
      throw asFault(error)
    }
  }

  exec(text: string): void {
    this.#database.exec(text)
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #statement(text: string): StatementSync {
    let statement = this.#statements.get(text)
    if (!statement) {
      statement = this.#database.prepare(text)
      this.#statements.set(text, statement)
    }
    return statement
  }
}

function asFault(error: unknown): unknown {
  const code = primaryCode(error)
  if (!faults.includes(code)) return error
  return new StorageFault((error as Error).message, { cause: error, fatal: fatal.includes(code) })
}
