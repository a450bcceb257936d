/**
 * Waits until what SQLite has appended to its log is on disk: a commit counts once it is. A quick disk is waited for on
 * the spot; a slow one beside the event loop, where one sync serves every commit that was in the log when it began.
 */

import { closeSync, fdatasync, fdatasyncSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { StorageFault } from './driver.ts'

/** Up to here, handing the wait over to another thread and back costs more than the wait itself. */
const quickMs = 1
/** How much the newest sync counts in the share of slow ones; with half of them slow the disk is a slow one. */
const weight = 0.1

export class LogSync {
  readonly #path: string
  #log: number | undefined
  #slowShare = 0
  #isSlow: boolean
  /** The sync under way. */
  #running: Promise<void> | undefined
  /** The one after it, for what was committed since. */
  #next: Promise<void> | undefined
  #fault: StorageFault | undefined

  /** The log of this database. SQLite keeps the file for as long as a connection is open. */
  constructor(database: string, isSlow = false) {
    this.#path = `${database}-wal`
    this.#isSlow = isSlow
  }

  /** Resolves when everything that was committed so far is on disk. Undefined: it is. */
  get pending(): Promise<void> | undefined {
    return this.#next ?? this.#running
  }

  /** Something was committed. Resolves when it is on disk; undefined: it is. */
  committed(): Promise<void> | undefined {
    if (!this.#isSlow) return this.#syncNow()
    if (!this.#running) {
      this.#running = this.#sync()
      return this.#running
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      this.#running = this.#sync()
      return this.#running
    })
    return this.#next
  }

  /** Throws once a sync has failed: from then on nothing is known of what lies in the log. */
  check(): void {
    if (this.#fault) throw this.#fault
  }

  async close(): Promise<void> {
    await this.pending?.catch(() => {})
    if (this.#log !== undefined) closeSync(this.#log)
    this.#log = undefined
  }

  #syncNow(): undefined {
    try {
      const started = performance.now()
      fdatasyncSync(this.#file())
      const isSlow = performance.now() - started > quickMs
      this.#slowShare += weight * (Number(isSlow) - this.#slowShare)
      if (this.#slowShare > 0.5) this.#isSlow = true
    } catch (error) {
      throw this.#fail(error)
    }
  }

  #sync(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    try {
      fdatasync(this.#file(), error => {
        if (error) {
          reject(this.#fail(error))
          return
        }
        // What was committed meanwhile is synced next; whoever reads until then has to wait for it.
        if (!this.#next) this.#running = undefined
        resolve()
      })
    } catch (error) {
      reject(this.#fail(error))
    }
    return promise
  }

  #file(): number {
    this.check()
    this.#log ??= this.#open()
    return this.#log
  }

  #open(): number {
    // The name of a new file has to last, too.
    const folder = openSync(dirname(this.#path), 'r')
    fsyncSync(folder)
    closeSync(folder)
    return openSync(this.#path, 'r+')
  }

  #fail(error: unknown): StorageFault {
    this.#fault ??= new StorageFault((error as Error).message, { cause: error, fatal: true })
    return this.#fault
  }
}
