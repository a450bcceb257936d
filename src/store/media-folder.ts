/** Files that came with messages, in a folder beside the database. */

import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

export class MediaFolder {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** On disk under its name, whole, when the promise resolves. The same file may be saved again, at the same time too. */
  async save(id: string, bytes: Buffer | AsyncIterable<Buffer>): Promise<void> {
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
      await rename(unfinished, join(folder, id))
    } catch (error) {
      await rm(unfinished, { force: true })
      throw error
    }
    for (const path of [folder, this.#path, dirname(this.#path)]) await syncFolder(path)
  }

  /** Gone when the promise resolves, if it was there. */
  async remove(id: string): Promise<void> {
    await rm(join(this.#path, id.slice(0, 2), id), { force: true })
  }

  /** Undefined when somebody took the file away. */
  async read(id: string): Promise<Readable | undefined> {
    try {
      return (await open(join(this.#path, id.slice(0, 2), id))).createReadStream()
    } catch (error) {
      if ((error as { code?: string }).code === 'ENOENT') return undefined
      throw error
    }
  }
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
