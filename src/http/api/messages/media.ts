/** Files that came with received messages. */

import type { Readable } from 'node:stream'
import { isUuid } from '../../../core/lib/uuid.ts'
import { Problem } from '../../../core/problem.ts'
import type { Store } from '../../../core/store.ts'
import type { Action } from '../route.ts'

/** An answer that is a file. */
export class FileAnswer {
  readonly mime: string
  readonly size: number
  readonly filename: string
  readonly content: Readable

  constructor(mime: string, size: number, filename: string, content: Readable) {
    this.mime = mime
    this.size = size
    this.filename = filename
    this.content = content
  }

  /** Strangers sent it: a browser must neither guess what it is nor run what is in it. */
  headers(): Record<string, string> {
    const plain = this.filename.replaceAll(/[^\w.-]/g, '_')
    return {
      'content-type': this.mime,
      'content-length': String(this.size),
      'content-disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(this.filename)}`,
      'content-security-policy': "default-src 'none'; sandbox",
    }
  }
}

export type ReadFile = (id: string) => Promise<Readable | undefined>

export const media =
  (store: Pick<Store, 'media'>, readFile: ReadFile): Action<FileAnswer> =>
  async ({ environment, params }) => {
    const id = params.media_id!.toLowerCase()
    const file = isUuid(id) ? await store.media(environment.id, id) : undefined
    const content = file && (await readFile(file.id))
    if (!content) throw new Problem('media_not_found', 'There is no file with this id.')
    return new FileAnswer(file.mime, file.size, file.filename ?? id, content)
  }
