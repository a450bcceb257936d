/** What WhatsApp brings, in our words. */

import type { proto } from 'baileys'
import type { Incoming } from '../../core/received.ts'
import { type SealedFile, sealedFileOf } from './attachment.ts'
import type { Library } from './library.ts'

/** A decrypted message as it lies in the vault until it is told: the stanza's attributes and the plain bytes. */
export type Kept = { attrs: Readonly<Record<string, string>>; plain: string }

/** `15550002000:3@s.whatsapp.net` is the number +15550002000; anything that is no phone number is undefined. */
export function numberOf(jid: string | undefined): string | undefined {
  const digits = /^(\d{7,15})(?::\d+)?@s\.whatsapp\.net$/.exec(jid ?? '')?.[1]
  return digits === undefined ? undefined : `+${digits}`
}

/** The sender chose the id, so it means something only beside the sender. */
export const externalIdOf = ({ from = '', id = '' }: Kept['attrs']): string =>
  `${from.split(/[:@]/)[0]}/${id}`

/** What a message says, and the file that came with it. */
export type Read = { incoming: Omit<Incoming, 'deviceId'>; file?: SealedFile }

/** Undefined: nothing for people, such as keys, reactions or what our own phone sent. */
export async function incomingOf(
  library: Library,
  { attrs, plain }: Kept,
  resolve: (lid: string) => Promise<string | undefined>,
): Promise<Read | undefined> {
  const message = library.proto.Message.decode(library.unpadRandomMax16(Buffer.from(plain, 'base64')))
  const words = wordsOf(library, message)
  const file = sealedFileOf(library, message)
  if ((words === undefined && !file) || attrs.category === 'peer') return undefined
  const { from = '', t } = attrs
  const number = numberOf(from) ?? numberOf(attrs.sender_pn) ?? numberOf(await resolve(from))
  const at = Number(t) * 1_000
  const incoming: Read['incoming'] = {
    // Where WhatsApp hides the number, its id is all there is.
    sender: number ?? from,
    text: words ?? '',
    type: 'whatsapp',
    metadata: {
      ...(Number.isFinite(at) && { sent_at: new Date(at).toISOString() }),
      ...(number === undefined && { sender_id: from }),
    },
    externalId: externalIdOf(attrs),
  }
  return { incoming, ...(file && { file }) }
}

/** The words of a message, whatever it is wrapped in. Undefined: it has none. */
function wordsOf(library: Library, message: proto.IMessage): string | undefined {
  const content = library.normalizeMessageContent(message)
  if (!content || content.protocolMessage || content.reactionMessage) return undefined
  const { locationMessage: place } = content
  return (
    content.conversation ||
    content.extendedTextMessage?.text ||
    content.imageMessage?.caption ||
    content.videoMessage?.caption ||
    content.documentMessage?.caption ||
    content.buttonsResponseMessage?.selectedDisplayText ||
    content.templateButtonReplyMessage?.selectedDisplayText ||
    content.listResponseMessage?.title ||
    content.contactMessage?.vcard ||
    (place &&
      [place.name, place.address, `geo:${place.degreesLatitude},${place.degreesLongitude}`]
        .filter(Boolean)
        .join('\n')) ||
    undefined
  )
}
