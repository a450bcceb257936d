/** Files fetched for sending: each once, however many recipients it is for, and gone after a while. */

import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Converted } from './convert.ts'
import { type Downloaded, type DownloadOptions, download } from './download.ts'
import { Turns } from './turns.ts'

/** Long enough for a bulk request to go through a slow device's first hours without fetching again. */
const keepMs = 6 * 3_600_000

type Entry = { file: Promise<Converted>; usedAt: number }

/** Whose file it is, and what was asked for together. */
export type Wanted = { environmentId: number; request: string; address: string }

export type CacheOptions = DownloadOptions & {
  /** Makes a file fit for sending. */
  convert?: (file: Downloaded) => Promise<Converted>
  /** Throws when there is no room for another file. */
  room?: () => Promise<void>
}

export class MediaCache {
  readonly #folder: string
  readonly #options: CacheOptions
  readonly #now: () => number
  readonly #entries = new Map<string, Entry>()
  readonly #turns = new Turns()
  /** Files by their content: the same one, sent a thousand times in a thousand requests, lies here once. */
  readonly #byContent = new Map<string, { path: string; users: number }>()

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

  /** The file behind the address. A failure is not remembered. */
  get(wanted: Wanted): Promise<Converted> {
    this.#tidy()
    const key = JSON.stringify([wanted.request, wanted.address])
    const known = this.#entries.get(key)
    if (known) {
      known.usedAt = this.#now()
      return known.file
    }
    const file = this.#fetch(wanted)
    this.#entries.set(key, { file, usedAt: this.#now() })
    file.catch(() => this.#entries.delete(key))
    return file
  }

  #fetch({ environmentId, address }: Wanted): Promise<Converted> {
    return this.#turns.run(environmentId, hostOf(address), async () => {
      await this.#options.room?.()
      const file = await download(address, join(this.#folder, randomUUID()), this.#options)
      const fit = (await this.#options.convert?.(file)) ?? file
      return await this.#shared(fit)
    })
  }

  /** Under the path of the first file with the same content. */
  async #shared(file: Converted): Promise<Converted> {
    const content = `${await digestOf(file.path)}.${file.extension}`
    const known = this.#byContent.get(content)
    if (!known) {
      this.#byContent.set(content, { path: file.path, users: 1 })
      return file
    }
    known.users += 1
    await rm(file.path, { force: true })
    return { ...file, path: known.path }
  }

  #tidy(): void {
    for (const [key, { file, usedAt }] of this.#entries)
      if (this.#now() - usedAt > keepMs) {
        this.#entries.delete(key)
        void file.then(({ path }) => this.#release(path)).catch(() => {})
      }
  }

  async #release(path: string): Promise<void> {
    const shared = [...this.#byContent].find(([, one]) => one.path === path)
    if (shared) {
      shared[1].users -= 1
      if (shared[1].users > 0) return
      this.#byContent.delete(shared[0])
    }
    await rm(path, { force: true })
  }
}

const hostOf = (address: string): string => (URL.canParse(address) ? new URL(address).host : address)

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return hash.digest('base64url')
}
