/** Files fetched for sending: each once, however many recipients it is for, and gone after a while. */

import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { SomeAtOnce } from '../core/some-at-once.ts'
import type { Converted } from './convert.ts'
import { type Downloaded, type DownloadOptions, download } from './download.ts'

/** Long enough for a bulk request to go through a slow device's first hours without fetching again. */
const keepMs = 6 * 3_600_000
const atOnce = 8

type Entry = { file: Promise<Converted>; usedAt: number }

export type CacheOptions = DownloadOptions & {
  /** Makes a file fit for sending. */
  convert?: (file: Downloaded) => Promise<Converted>
}

export class MediaCache {
  readonly #folder: string
  readonly #options: CacheOptions
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()
  readonly #fetches = new SomeAtOnce(atOnce)

  constructor(folder: string, options: CacheOptions, now: () => number) {
    this.#folder = folder
    this.#options = options
    this.#now = now
  }

  /** What an earlier process left behind is nobody's; what is younger may be that of another node on the same folder. */
  async start(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(this.#folder)) {
      const path = join(this.#folder, name)
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }))
      if (this.#now() - mtimeMs > keepMs) await rm(path, { force: true })
    }
  }

  /** The file behind the address. `request` names what was asked for together; a failure is not remembered. */
  get(request: string, address: string): Promise<Converted> {
    this.#tidy()
    const key = JSON.stringify([request, address])
    const known = this.#entries.get(key)
    if (known) {
      known.usedAt = this.#now()
      return known.file
    }
    const file = this.#fetch(address)
    this.#entries.set(key, { file, usedAt: this.#now() })
    file.catch(() => this.#entries.delete(key))
    return file
  }

  #fetch(address: string): Promise<Converted> {
    return this.#fetches.run(async () => {
      const file = await download(address, join(this.#folder, randomUUID()), this.#options)
      return (await this.#options.convert?.(file)) ?? file
    })
  }

  #tidy(): void {
    for (const [key, { file, usedAt }] of this.#entries)
      if (this.#now() - usedAt > keepMs) {
        this.#entries.delete(key)
        void file.then(({ path }) => rm(path, { force: true })).catch(() => {})
      }
  }
}
