/**
 * The SQLite driver: one writer connection and one reader on the same file. Between two transactions the writer reads
 * too, because its cache is warm: the reader's is thrown away with every commit of the writer's.
 */

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Driver, StorageFault } from './driver.ts'
import { forSqlite, type Query, type Sql, sql } from './sql.ts'

/** Another process may be writing. Its turn is waited for without blocking the event loop. */
const lockPatienceMs = 5_000
const lockRetryMs = 10

const primaryCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff
const [busy, readOnly, ioError, corrupt, full, cannotOpen, notADatabase] = [5, 8, 10, 11, 13, 14, 26]
const faults = [busy, readOnly, ioError, corrupt, full, cannotOpen, notADatabase]
/** After a failed write to disk SQLite's memory and the file may differ. */
const fatal = [ioError, corrupt, notADatabase]
/** How node:sqlite says that a connection was closed. */
const closedCode = 'ERR_INVALID_STATE'

export class SqliteDriver implements Driver {
  readonly dialect = 'sqlite'
  readonly reader: Sql
  readonly #writer: Connection
  readonly #readOnly: Connection
  #tail: Promise<unknown> = Promise.resolve()
  #writing = false
  #reading = false

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    this.#writer = new Connection(path, false)
    this.#readOnly = new Connection(path, true)
    this.reader = { all: query => this.#read(query) }
  }

  transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const turn = this.#tail.then(() => this.#transact(work))
    this.#tail = turn.catch(() => {})
    return turn
  }

  async close(): Promise<void> {
    await this.#tail
    this.#endReading()
    this.#readOnly.close()
    this.#writer.close()
  }

  /** Questions of one turn of the event loop share a read transaction: taking and leaving its locks costs most. */
  #read<Row>(query: Query): Row[] {
    if (this.#writing) return this.#readOnly.all(query)
    if (!this.#reading) {
      try {
        this.#writer.exec('BEGIN')
      } catch (error) {
        throw asFault(error)
      }
      this.#reading = true
      setImmediate(() => this.#endReading())
    }
    return this.#writer.all(query)
  }

  #endReading(): void {
    if (!this.#reading) return
    this.#reading = false
    try {
      this.#writer.exec('COMMIT')
    } catch {
      // Nothing was written. After some errors SQLite has ended the transaction by itself.
    }
  }

  async #transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    await this.#begin()
    try {
      const result = await work(this.#writer)
      this.#writer.exec('COMMIT')
      return result
    } catch (error) {
      this.#rollback()
      throw asFault(error)
    } finally {
      this.#writing = false
    }
  }

  async #begin(): Promise<void> {
    const deadline = performance.now() + lockPatienceMs
    for (;;) {
      this.#endReading()
      try {
        this.#writer.exec('BEGIN IMMEDIATE')
        this.#writing = true
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
  readonly #statements = new Map<string, { statement: StatementSync; columns: string[] }>()

  constructor(path: string, readOnly: boolean) {
    try {
      this.#database = new DatabaseSync(path, { readOnly })
      if (!readOnly) this.#prepareForWriting()
      // Readers never wait for writers in WAL mode; this is for the moment in which a log is being replayed.
      else this.#database.exec('PRAGMA busy_timeout = 2000')
    } catch (error) {
      throw asFault(error)
    }
  }

  all<Row>(query: Query): Row[] {
    try {
      const found: Row[] = []
      for (const { text, parameters } of forSqlite(query)) {
        const { statement, columns } = this.#statement(text)
        for (const values of statement.all(...(parameters as never[])))
          found.push(record(columns, values as never) as Row)
      }
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

  #prepareForWriting(): void {
    const database = this.#database
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    const [mode] = this.all<{ journal_mode: string }>(sql`PRAGMA journal_mode`)
    const [level] = this.all<{ synchronous: number }>(sql`PRAGMA synchronous`)
    if (level?.synchronous !== 2 || mode?.journal_mode !== 'wal')
      throw new StorageFault('SQLite must run in WAL mode with synchronous=FULL; this file refuses to.')
    // From here on the lock is waited for outside, so that the event loop goes on. The index of recipients is written
    // all over: a larger log lets its pages be copied back once for many commits, and a larger cache finds them.
    // What is deleted is overwritten where that costs no more writing: forgotten people must not lie in free space.
    database.exec(`PRAGMA busy_timeout = 0; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = FAST;
      PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -16000`)
  }

  #statement(text: string): { statement: StatementSync; columns: string[] } {
    let known = this.#statements.get(text)
    if (!known) {
      const statement = this.#database.prepare(text)
      statement.setReturnArrays(true)
      known = { statement, columns: statement.columns().map(({ name }) => name) }
      this.#statements.set(text, known)
    }
    return known
  }
}

/** Built here rather than by node:sqlite, whose objects are slow to read and slower to copy. */
function record(columns: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (let index = 0; index < columns.length; index += 1) row[columns[index]!] = values[index]
  return row
}

function asFault(error: unknown): unknown {
  const code = primaryCode(error)
  if (!faults.includes(code) && (error as { code?: string }).code !== closedCode) return error
  return new StorageFault((error as Error).message, { cause: error, fatal: fatal.includes(code) })
}
