/** Files that came with messages, in a folder beside the database. */

import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { MediaFiles } from '../../core/inbox/media-files.ts'
import { NoRoom } from '../../core/inbox/no-room.ts'
import type { DiskRoom } from './disk-room.ts'

export type MediaFolderLimits = {
  room: DiskRoom
  /** Most bytes of all files together; undefined: as many as fit. */
  quota?: number | undefined
}

export class MediaFolder implements MediaFiles {
  readonly #path: string
  readonly #limits: MediaFolderLimits
  /** Counted once, when the first file is saved, and kept up to date from then on. */
  #used: Promise<number> | undefined

  constructor(path: string, limits: MediaFolderLimits) {
    this.#path = path
    this.#limits = limits
  }

  async save(id: string, bytes: Buffer | AsyncIterable<Buffer>): Promise<void> {
    // How much is on its way is known only at its end; at least something must fit.
    await this.#requireRoom(bytes instanceof Buffer ? bytes.length : 0)
    const folder = join(this.#path, id.slice(0, 2))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const unfinished = join(folder, `${randomUUID()}.unfinished`)
    try {
      const file = await open(unfinished, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await this.#note((await stat(unfinished)).size)
      await rename(unfinished, join(folder, id))
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
    for (const path of [folder, this.#path, dirname(this.#path)]) await syncFolder(path)
  }

  async remove(id: string): Promise<void> {
    const file = join(this.#path, id.slice(0, 2), id)
    const size = await stat(file).then(
      found => found.size,
      () => 0,
    )
    await rm(file, { force: true })
    await this.#note(-size)
  }

  async #requireRoom(bytes: number): Promise<void> {
    const { room, quota } = this.#limits
    await room.require(bytes)
    if (quota === undefined) return
    this.#used ??= sizeOf(this.#path)
    if ((await this.#used) + bytes > quota) throw new NoRoom('the quota of received files is used up')
  }

  async #note(bytes: number): Promise<void> {
    if (this.#used) this.#used = Promise.resolve((await this.#used) + bytes)
  }

  async read(id: string): Promise<Readable | undefined> {
    try {
      return (await open(join(this.#path, id.slice(0, 2), id))).createReadStream()
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return undefined
      throw error
    }
  }
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  let sum = 0
  for (const entry of entries)
    if (entry.isFile())
      sum += (await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }))).size
  return sum
}

/** A new name is on disk when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
