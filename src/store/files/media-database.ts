/** Files that came with messages, in the database: every node finds them. */

import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FileStore, MediaFiles } from '../../core/inbox/media-files.ts'
import { NoRoom } from '../../core/inbox/no-room.ts'

/** Small enough that sends do not wait for one. */
const partBytes = 192 * 1_024
/** A file that takes longer than this to arrive never will. */
const abandonedMs = 24 * 3_600_000

const forgetMs = 3_600_000

export class MediaDatabase implements MediaFiles {
  readonly #store: FileStore & { now(): number }
  readonly #quota: number | undefined
  #forgetAt = 0

  /** `quota`: most bytes of all files together; undefined: as many as fit. */
  constructor(store: FileStore & { now(): number }, quota: number | undefined) {
    this.#store = store
    this.#quota = quota
  }

  async save(id: string, bytes: Buffer | AsyncIterable<Buffer>): Promise<void> {
    const store = this.#store
    if (store.now() >= this.#forgetAt) {
      this.#forgetAt = store.now() + forgetMs
      await store.forgetParts(store.now() - abandonedMs)
    }
    const used = this.#quota === undefined ? 0 : await store.storedBytes()
    const token = randomUUID()
    let [n, size] = [0, 0]
    for await (const part of inParts(bytes)) {
      size += part.length
      if (used + size > (this.#quota ?? Infinity)) throw new NoRoom('the quota of received files is used up')
      await store.writePart({ token, n, content: part.toString('base64') })
      n += 1
    }
    await store.finishFile({ id, token, size })
  }

  async read(id: string): Promise<Readable | undefined> {
    const file = await this.#store.storedFile(id)
    return file && Readable.from(this.#parts(file), { objectMode: false })
  }

  async remove(id: string): Promise<void> {
    await this.#store.removeFile(id)
  }

  async *#parts({ token, size }: { token: string; size: number }): AsyncGenerator<Buffer> {
    let read = 0
    for (let n = 0; read < size; n += 1) {
      const content = await this.#store.filePart(token, n)
      // The reader must not take half a file for a whole one.
      if (content === undefined) throw new Error('the file was removed while it was read')
      const part = Buffer.from(content, 'base64')
      read += part.length
      yield part
    }
  }
}

async function* inParts(bytes: Buffer | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const chunks = Buffer.isBuffer(bytes) ? [bytes] : bytes
  let rest: Buffer[] = []
  let length = 0
  for await (const chunk of chunks) {
    rest.push(chunk)
    length += chunk.length
    if (length < partBytes) continue
    const all = Buffer.concat(rest)
    let at = 0
    for (; all.length - at >= partBytes; at += partBytes) yield all.subarray(at, at + partBytes)
    rest = [all.subarray(at)]
    length = all.length - at
  }
  if (length > 0) yield Buffer.concat(rest)
}
