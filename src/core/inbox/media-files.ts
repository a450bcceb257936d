/** Port: where the files are kept that came with messages. */

import type { Readable } from 'node:stream'
import type { Awaitable } from '../lib/awaitable.ts'

export interface MediaFiles {
  /** Kept whole under its name when the promise resolves. The same file may be saved again, at the same time too. */
  save(id: string, bytes: Buffer | AsyncIterable<Buffer>): Promise<void>
  /** Undefined when there is none. */
  read(id: string): Promise<Readable | undefined>
  /** Gone when the promise resolves, if it was there. */
  remove(id: string): Promise<void>
}

/** Files kept in the database, in parts: what is written counts once it is finished. */
export interface FileStore {
  writePart(part: { token: string; n: number; content: string }): Promise<void>
  /** From now on these parts are the file, in place of any before. */
  finishFile(file: { id: string; token: string; size: number }): Promise<void>
  removeFile(id: string): Promise<void>
  storedFile(id: string): Awaitable<{ token: string; size: number } | undefined>
  /** Base64. */
  filePart(token: string, n: number): Awaitable<string | undefined>
  /** Bytes of all files together. */
  storedBytes(): Awaitable<number>
  /** Forgets parts written before then that never became a file. */
  forgetParts(before: number): Promise<void>
}
