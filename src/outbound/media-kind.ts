/** What a file is, by its content and not by its name. */

import { open } from 'node:fs/promises'

export type MediaClass = 'image' | 'video' | 'audio' | 'document'
export type MediaKind = { class: MediaClass; extension: string; mime: string }

const kind = (mediaClass: MediaClass, extension: string, mime: string): MediaKind => ({
  class: mediaClass,
  extension,
  mime,
})

/** What can be sent, under the name that the content goes by. */
const byContent: ReadonlyMap<string, MediaKind> = new Map([
  ['pdf', kind('document', 'pdf', 'application/pdf')],
  ['jpg', kind('image', 'jpg', 'image/jpeg')],
  ['png', kind('image', 'png', 'image/png')],
  ['gif', kind('image', 'gif', 'image/gif')],
  ['webp', kind('image', 'webp', 'image/webp')],
  ['mp4', kind('video', 'mp4', 'video/mp4')],
  ['webm', kind('video', 'webm', 'video/webm')],
  ['mp3', kind('audio', 'mp3', 'audio/mpeg')],
  // Opus, which WhatsApp plays; and Vorbis and FLAC, which it does not.
  ['opus', kind('audio', 'ogg', 'audio/ogg')],
  ['ogg', kind('audio', 'oga', 'audio/ogg')],
  ['oga', kind('audio', 'oga', 'audio/ogg')],
  ['wav', kind('audio', 'wav', 'audio/wav')],
  [
    'docx',
    kind('document', 'docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'),
  ],
  ['zip', kind('document', 'zip', 'application/zip')],
])
const doc = kind('document', 'doc', 'application/msword')
const txt = kind('document', 'txt', 'text/plain')

/** What the server, or the address, says it is. */
export type Hints = { name: string; declared: string }

/** Undefined: none of the kinds that can be sent. */
export async function mediaKindOf(path: string, { name, declared }: Hints): Promise<MediaKind | undefined> {
  const says = (extension: string, mime: string) =>
    name.toLowerCase().endsWith(`.${extension}`) || declared.toLowerCase().split(';')[0]!.trim() === mime
  // Loaded with the first file: most starts of the program never see one.
  const { fileTypeFromFile } = await import('file-type')
  const found = await fileTypeFromFile(path)
  // An old office file is a container that many programs use: only its name or its sender can tell.
  if (found?.ext === 'cfb') return says('doc', doc.mime) ? doc : undefined
  if (found) return byContent.get(found.ext)
  return says('txt', txt.mime) && (await isCleanText(path)) ? txt : undefined
}

/** UTF-8 throughout, without the control characters that no text has. */
async function isCleanText(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const file = await open(path)
  try {
    for await (const chunk of file.createReadStream({ autoClose: false }))
      if (hasControls(decoder.decode(chunk as Buffer, { stream: true }))) return false
    decoder.decode()
    return true
  } catch {
    return false
  } finally {
    await file.close()
  }
}

const hasControls = (text: string) => /(?![\t\n\v\f\r])\p{Cc}/u.test(text)
