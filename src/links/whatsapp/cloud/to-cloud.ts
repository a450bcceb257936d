/** A message of ours, as the official API wants it. */

import { namedAs } from '../../../core/inbox/filename.ts'
import type { Failure } from '../../../core/messages/message.ts'
import type { MediaFile } from '../linked/to-whatsapp.ts'

export type Payload = Record<string, unknown>
type CloudFile = Pick<MediaFile, 'class' | 'extension' | 'filename'>

const megabyte = 1_000_000
/** What the official API takes, and how much of it. The rest must be converted before, or cannot be sent. */
const kinds: Readonly<Record<string, { as: 'image' | 'video' | 'audio' | 'document'; most: number }>> = {
  jpg: { as: 'image', most: 5 * megabyte },
  png: { as: 'image', most: 5 * megabyte },
  mp4: { as: 'video', most: 16 * megabyte },
  mp3: { as: 'audio', most: 16 * megabyte },
  ogg: { as: 'audio', most: 16 * megabyte },
  pdf: { as: 'document', most: 100 * megabyte },
  doc: { as: 'document', most: 100 * megabyte },
  docx: { as: 'document', most: 100 * megabyte },
  txt: { as: 'document', most: 100 * megabyte },
}

/** Why the official API would not take the file. */
export function unfitFile({ extension, size }: { extension: string; size: number }): Failure | undefined {
  const kind = kinds[extension]
  if (!kind)
    return {
      code: 'unsupported_media',
      detail: `WhatsApp’s official API does not take .${extension} files. A linked number does.`,
    }
  if (size <= kind.most) return undefined
  return {
    code: 'media_too_large',
    detail: `WhatsApp’s official API takes .${extension} files up to ${kind.most / megabyte} MB.`,
  }
}

/** What goes out, in this order: one message, or a sound and its words. */
export function payloadsOf(
  { id, recipient, text }: { id: string; recipient: string; text: string },
  file: (CloudFile & { mediaId: string }) | undefined,
): Payload[] {
  const bodies: Payload[] = file ? fileBodies(text, file) : [words(text)]
  return bodies.map((body, half) => ({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: recipient.slice(1),
    // Comes back with every status: what was sent is known even if the answer was lost.
    biz_opaque_callback_data: bodies.length === 1 ? id : `${id}/${half}`,
    ...body,
  }))
}

const words = (text: string): Payload => ({ type: 'text', text: { body: text, preview_url: false } })

function fileBodies(
  text: string,
  { extension, filename, mediaId }: CloudFile & { mediaId: string },
): Payload[] {
  const { as } = kinds[extension]!
  if (as === 'audio') return [{ type: 'audio', audio: { id: mediaId } }, words(text)]
  return [
    {
      type: as,
      [as]: {
        id: mediaId,
        caption: text,
        ...(as === 'document' && { filename: namedAs(filename, extension) }),
      },
    },
  ]
}

/** Our id, and which half it was if it went out as two, from what came back with a status. */
export function whoseStatus(data: unknown): { messageId: string; half: number | undefined } | undefined {
  const match = /^([0-9a-f-]{36})(?:\/([01]))?$/.exec(typeof data === 'string' ? data : '')
  return match
    ? { messageId: match[1]!, half: match[2] === undefined ? undefined : Number(match[2]) }
    : undefined
}
