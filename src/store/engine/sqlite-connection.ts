/** One connection to an SQLite file, and what its errors mean. */

import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { LogLength } from './checkpoints.ts'
import { StorageFault } from './driver.ts'
import { forSqlite, type Query, type Sql, sql } from './sql.ts'

const primaryCode = (error: unknown) => ((error as { errcode?: number }).errcode ?? 0) & 0xff
const [busy, readOnly, ioError, corrupt, full, cannotOpen, notADatabase] = [5, 8, 10, 11, 13, 14, 26]
const faults = [busy, readOnly, ioError, corrupt, full, cannotOpen, notADatabase]
/** After a failed write to disk SQLite's memory and the file may differ. */
const fatal = [ioError, corrupt, notADatabase]
/** How node:sqlite says that a connection was closed. */
const closedCode = 'ERR_INVALID_STATE'

/** Pages in the log from which on the writer itself copies them back: only if nobody else does (checkpoints.ts). */
const mostPagesInLog = 40_000
/** A log that grew while somebody read for long, such as a backup, is cut to this when it begins anew. */
const mostBytesKept = 64 * 2 ** 20

export class SqliteConnection implements Sql {
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
        if (columns.length === 0) statement.run(...(parameters as never[]))
        else
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

  /** NOOP: looks, and copies nothing. */
  logLength(): LogLength {
    return this.all<LogLength>(sql`PRAGMA wal_checkpoint(NOOP)`)[0]!
  }

  close(): void {
    this.#statements.clear()
    this.#database.close()
  }

  #prepareForWriting(): void {
    const database = this.#database
    // NORMAL: the log is synced before its pages are copied back, which keeps the file whole. What makes a commit last
    // is the driver's own sync of the log, which does not block the event loop (log-sync.ts).
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    const [mode] = this.all<{ journal_mode: string }>(sql`PRAGMA journal_mode`)
    const [level] = this.all<{ synchronous: number }>(sql`PRAGMA synchronous`)
    if (level?.synchronous !== 1 || mode?.journal_mode !== 'wal')
      throw new StorageFault('SQLite must run in WAL mode with synchronous=NORMAL; this file refuses to.')
    // From here on the lock is waited for outside, so that the event loop goes on. The index of recipients is written
    // all over: a larger cache finds its pages.
    // What is deleted is overwritten where that costs no more writing: forgotten people must not lie in free space.
    database.exec(`PRAGMA busy_timeout = 0; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = FAST;
      PRAGMA wal_autocheckpoint = ${mostPagesInLog}; PRAGMA journal_size_limit = ${mostBytesKept};
      PRAGMA cache_size = -16000`)
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

export const isBusy = (error: unknown): boolean => primaryCode(error) === busy

export function asFault(error: unknown): unknown {
  const code = primaryCode(error)
  if (!faults.includes(code) && (error as { code?: string }).code !== closedCode) return error
  return new StorageFault((error as Error).message, { cause: error, fatal: fatal.includes(code) })
}
