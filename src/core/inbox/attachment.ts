/** A file that came with a message. */

import { createHash } from 'node:crypto'
import { cut } from '../lib/cut.ts'
import { harmlessName } from './filename.ts'
import type { MediaFile } from './received.ts'

/** The same source has the same id always: what is handed over twice is one file. */
export function attachmentId(source: string): string {
  const hex = createHash('sha256').update(source).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** A name is for people: no folders, nothing that could mislead a program that uses it. */
export function attachmentName(name: string | null | undefined): string | null {
  const plain = cut(harmlessName(name ?? '').replace(/^\.+/, ''), 120)
  return plain === '' ? null : plain
}

/** What a stranger says it is, if that has the form of a type at all. */
export const attachmentType = (declared: string | null | undefined): string =>
  /^[\w.+-]{1,60}\/[\w.+-]{1,80}/.exec(declared ?? '')?.[0].toLowerCase() ?? 'application/octet-stream'

/** As it is listed in `metadata.media`. */
export const shownAttachment = ({ id, mime, size, filename }: MediaFile) => ({
  id,
  kind: ['image', 'video', 'audio'].find(kind => mime.startsWith(`${kind}/`)) ?? 'document',
  mime,
  size,
  filename,
})
