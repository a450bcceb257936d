/** A message of ours, as WhatsApp wants it. */

import type { AnyMessageContent } from 'baileys'
import { namedAs } from '../../../core/inbox/filename.ts'

/** A file that was fetched for sending. */
export type MediaFile = {
  class: 'image' | 'video' | 'audio' | 'document'
  extension: string
  mime: string
  path: string
  filename: string
  size: number
  /** It was a moving picture, and is to be shown as one. */
  loops?: boolean
  /** A small JPEG of it. */
  thumbnail?: Buffer
  /** How long it plays. */
  seconds?: number
}

export type Habits = {
  /** WhatsApp has no place for words beside a sound: it goes with a second message, or else as a document with a caption. */
  audio: 'playable' | 'document'
}

/** What goes out, in this order: one message, or a sound and its words. */
export function contentsOf(
  text: string,
  media: MediaFile | undefined,
  { audio }: Habits,
): readonly AnyMessageContent[] {
  // A preview would make the gateway fetch a link that a stranger wrote.
  const words = { text, linkPreview: null }
  if (!media) return [words]
  const { class: kind, mime: mimetype, path, extension, filename, loops, thumbnail, seconds = 0 } = media
  // Said outright, none at all too: otherwise the library makes one itself, of whatever it was given.
  const jpegThumbnail = thumbnail?.toString('base64') ?? ''
  const file = { url: path }
  if (kind === 'image' && extension !== 'gif')
    return [{ image: file, caption: text, mimetype, jpegThumbnail }]
  if (kind === 'video' && extension === 'mp4')
    return [{ video: file, caption: text, mimetype, jpegThumbnail, ...(loops && { gifPlayback: true }) }]
  if (kind === 'audio' && audio === 'playable' && extension !== 'oga')
    return [
      { audio: file, mimetype: extension === 'ogg' ? 'audio/ogg; codecs=opus' : mimetype, seconds },
      words,
    ]
  // Pictures that move, films of another kind and sounds that are not Opus cannot be played.
  return [{ document: file, fileName: namedAs(filename, extension), caption: text, mimetype }]
}
