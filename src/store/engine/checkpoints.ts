/**
 * Copies pages from SQLite's log back into the file, on a thread of its own: thousands of pages and two syncs must not
 * hold up a request. The thread starts when there is enough to copy for the first time.
 */

import { Worker } from 'node:worker_threads'

/** Commits between two looks at the log. */
const every = 8
/** Pages that are worth a copy: 4 MiB. */
const worthCopying = 1_000
/** From this length on, writers wait for the last pages to be copied, so that the log begins again at its start. */
const long = 6_000

/** Pages in the log, and how many of them have been copied. */
export type LogLength = { log: number; checkpointed: number }

export type CheckpointParts = {
  path: string
  length: () => LogLength
  /** Runs work between two transactions. */
  inTurn: (work: () => Promise<void>) => Promise<void>
}

export class Checkpoints {
  readonly #parts: CheckpointParts
  #thread: Worker | undefined
  #commits = 0
  #running: Promise<void> | undefined
  #isClosed = false

  constructor(parts: CheckpointParts) {
    this.#parts = parts
  }

  committed(): void {
    this.#commits += 1
    if (this.#commits % every !== 0 || this.#running || this.#isClosed) return
    const { log, checkpointed } = this.#parts.length()
    if (log - checkpointed < worthCopying) return
    this.#running = this.#run(log >= long).finally(() => {
      this.#running = undefined
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#running
    await this.#thread?.terminate()
  }

  async #run(isLong: boolean): Promise<void> {
    await this.#copy()
    if (!isLong || this.#isClosed) return
    // What was written meanwhile; then the few pages that were written meanwhile again.
    await this.#copy()
    await this.#parts.inTurn(() => this.#copy())
  }

  /** Ends when the thread is done, or gone: then the writer copies by itself, when its own limit is reached. */
  #copy(): Promise<void> {
    this.#thread ??= this.#start()
    const thread = this.#thread
    return new Promise(resolve => {
      const done = () => {
        thread.off('message', done).off('exit', done)
        resolve()
      }
      thread.on('message', done).on('exit', done)
      thread.postMessage('')
    })
  }

  #start(): Worker {
    const thread = new Worker(new URL('./checkpoint-thread.ts', import.meta.url), {
      workerData: this.#parts.path,
    })
    thread.unref()
    thread.on('error', () => {})
    thread.on('exit', () => {
      this.#thread = undefined
    })
    return thread
  }
}
