/** What a database driver offers the store. */

import { Problem } from '../../core/problem.ts'
import type { Dialect, Sql } from './sql.ts'

export interface Driver {
  readonly dialect: Dialect
  /** Answers from what is committed and on disk. */
  readonly reader: Sql
  /** Answers from what is committed, on disk or not: only for what ends in a write, which lasts only if they do. */
  readonly unsyncedReader: Sql
  /**
   * Runs the work in one transaction that no other writer shares, and resolves when it is on disk. When the work
   * throws, nothing of it remains.
   */
  transact<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** Storage itself failed; the fault is not in what was asked. Whether a commit under way was kept is not known. */
export class StorageFault extends Problem {
  /** Disk and memory may differ from now on: the process must stop. */
  readonly fatal: boolean

  constructor(detail: string, extras: { cause?: unknown; fatal?: boolean } = {}) {
    super('storage_unavailable', detail, { cause: extras.cause, retryAfter: 5 })
    this.fatal = extras.fatal ?? false
  }
}
