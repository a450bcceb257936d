/**
 * The SQLite driver: one writer connection and one reader on the same file. Between two transactions the writer reads
 * too, because its cache is warm: the reader's is thrown away with every commit of the writer's.
 */

import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Checkpoints } from './checkpoints.ts'
import type { Driver } from './driver.ts'
import { LogSync } from './log-sync.ts'
import type { Query, Sql } from './sql.ts'
import { asFault, isBusy, SqliteConnection } from './sqlite-connection.ts'

/** Another process may be writing. Its turn is waited for without blocking the event loop. */
const lockPatienceMs = 5_000
const lockRetryMs = 10

export class SqliteDriver implements Driver {
  readonly dialect = 'sqlite'
  readonly reader: Sql
  readonly unsyncedReader: Sql
  readonly #writer: SqliteConnection
  readonly #readOnly: SqliteConnection
  readonly #log: LogSync
  readonly #checkpoints: Checkpoints
  #tail: Promise<unknown> = Promise.resolve()
  #writing = false
  #reading = false

  /** `slowDisk`: take the disk for a slow one from the start. */
  constructor(path: string, slowDisk = false) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    this.#writer = new SqliteConnection(path, false)
    this.#readOnly = new SqliteConnection(path, true)
    this.#log = new LogSync(path, slowDisk)
    this.#checkpoints = new Checkpoints({
      path,
      length: () => this.#writer.logLength(),
      inTurn: work => this.#inTurn(work),
    })
    this.reader = { all: query => this.#readLasting(query) }
    this.unsyncedReader = { all: query => this.#read(query) }
  }

  async transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const { result, synced } = await this.#inTurn(() => this.#transact(work))
    if (synced) await synced
    return result
  }

  async close(): Promise<void> {
    await this.#tail
    await this.#checkpoints.close()
    await this.#log.close()
    this.#endReading()
    this.#readOnly.close()
    this.#writer.close()
  }

  /** Between two transactions. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(work)
    this.#tail = turn.catch(() => {})
    return turn
  }

  /** What is not on disk yet may still be lost, and must not be shown before it is. */
  #readLasting<Row>(query: Query): Row[] | Promise<Row[]> {
    const rows = this.#read<Row>(query)
    const { pending } = this.#log
    return pending ? pending.then(() => rows) : rows
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

  async #transact<T>(
    work: (sql: Sql) => Promise<T>,
  ): Promise<{ result: T; synced: Promise<void> | undefined }> {
    this.#log.check()
    await this.#begin()
    try {
      const result = await work(this.#writer)
      this.#writer.exec('COMMIT')
      this.#checkpoints.committed()
      return { result, synced: this.#log.committed() }
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
        if (!isBusy(error) || performance.now() > deadline) throw asFault(error)
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
