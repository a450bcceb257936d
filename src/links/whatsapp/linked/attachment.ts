/** A file that came with a message: it lies sealed at WhatsApp, and is opened on its way to us. */

import { createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { proto } from 'baileys'
import { attachmentName, attachmentType } from '../../../core/inbox/attachment.ts'
import { Hopeless } from '../received-file.ts'
import type { Library } from './library.ts'

export type FileClass = 'image' | 'video' | 'audio' | 'document'

export type SealedFile = {
  class: FileClass
  mime: string
  filename: string | null
  /** As its sender says. */
  size: number
  mediaKey: Uint8Array
  sha256: Uint8Array | undefined
  url: string
  directPath: string
}

export function sealedFileOf(library: Library, message: proto.IMessage): SealedFile | undefined {
  const content = library.normalizeMessageContent(message)
  const file = (fileClass: FileClass, part: Part | null | undefined) =>
    part?.mediaKey?.length ? sealed(fileClass, part, part.mediaKey) : undefined
  return (
    file('image', content?.imageMessage) ??
    file('image', content?.stickerMessage) ??
    file('image', content?.lottieStickerMessage?.message?.stickerMessage) ??
    file('video', content?.videoMessage) ??
    file('video', content?.ptvMessage) ??
    file('audio', content?.audioMessage) ??
    file('document', content?.documentMessage)
  )
}

type Part = {
  mediaKey?: Uint8Array | null
  mimetype?: string | null
  fileName?: string | null
  fileLength?: number | { toNumber(): number } | null
  fileSha256?: Uint8Array | null
  url?: string | null
  directPath?: string | null
}

const sealed = (fileClass: FileClass, part: Part, mediaKey: Uint8Array): SealedFile => ({
  class: fileClass,
  mime: attachmentType(part.mimetype),
  filename: attachmentName(part.fileName),
  size: Number(part.fileLength ?? 0),
  mediaKey,
  sha256: part.fileSha256?.length ? part.fileSha256 : undefined,
  url: part.url ?? '',
  directPath: part.directPath ?? '',
})

/** The sender of a message may name any machine as the place of a file: only WhatsApp's own are asked. */
export function addressOf({ url, directPath }: SealedFile, host: string): string | undefined {
  const own = URL.canParse(url) ? new URL(url) : undefined
  if (own?.protocol === 'https:' && /\.whatsapp\.net$/.test(own.hostname)) return url
  return directPath.startsWith('/') ? `https://${host}${directPath}` : undefined
}

const sealBytes = 10

/** The plain bytes as they come. Throws at the end if they were tampered with, so nothing may be used before. */
export async function* unsealed(
  library: Library,
  file: SealedFile,
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  const { cipherKey, iv, macKey } = await library.getMediaKeys(file.mediaKey, file.class)
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  const hmac = createHmac('sha256', macKey!).update(iv)
  const hash = createHash('sha256')
  const passed = (plain: Buffer) => {
    hash.update(plain)
    return plain
  }
  let seal = Buffer.alloc(0)
  for await (const chunk of bytes) {
    const known = Buffer.concat([seal, chunk])
    const body = known.subarray(0, Math.max(0, known.length - sealBytes))
    seal = known.subarray(body.length)
    hmac.update(body)
    yield passed(decipher.update(body))
  }
  const expected = hmac.digest().subarray(0, sealBytes)
  if (seal.length !== sealBytes || !timingSafeEqual(seal, expected)) throw new Hopeless('the seal is broken')
  yield passed(decipher.final())
  if (file.sha256 && !hash.digest().equals(file.sha256)) throw new Hopeless('it is another file')
}
