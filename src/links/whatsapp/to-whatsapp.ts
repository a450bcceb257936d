/** A message of ours, as WhatsApp wants it. */

import type { AnyMessageContent } from 'baileys'

/** A file that was fetched for sending. */
export type MediaFile = {
  class: 'image' | 'video' | 'audio' | 'document'
  extension: string
  mime: string
  path: string
  filename: string
}

/**
 * Pictures that move and films of another kind cannot be played, so they go as documents. So does a sound: WhatsApp has no
 * place for words beside one.
 */
export function contentOf(text: string, media: MediaFile | undefined): AnyMessageContent {
  // A preview would make the gateway fetch a link that a stranger wrote.
  if (!media) return { text, linkPreview: null }
  const { class: kind, mime: mimetype, path, extension, filename } = media
  const file = { url: path }
  if (kind === 'image' && extension !== 'gif') return { image: file, caption: text, mimetype }
  if (kind === 'video' && extension === 'mp4') return { video: file, caption: text, mimetype }
  const named = filename.toLowerCase().endsWith(`.${extension}`)
    ? filename
    : `${filename || 'file'}.${extension}`
  return { document: file, fileName: named, caption: text, mimetype }
}
