/** What WhatsApp brings, in our words. */

import type { proto } from 'baileys'
import type { Incoming } from '../../core/received.ts'
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

/** Undefined: nothing for people, such as keys, reactions or what our own phone sent. */
export function incomingOf(
  library: Library,
  { attrs, plain }: Kept,
  resolve: (lid: string) => Promise<string | undefined>,
): Promise<Omit<Incoming, 'deviceId'> | undefined> {
  const message = library.proto.Message.decode(library.unpadRandomMax16(Buffer.from(plain, 'base64')))
  return readMessage(library, message, attrs, resolve)
}

async function readMessage(
  library: Library,
  message: proto.IMessage,
  attrs: Kept['attrs'],
  resolve: (lid: string) => Promise<string | undefined>,
): Promise<Omit<Incoming, 'deviceId'> | undefined> {
  const text = textOf(library, message)
  if (text === undefined || attrs.category === 'peer') return undefined
  const { from = '', t } = attrs
  const number = numberOf(from) ?? numberOf(attrs.sender_pn) ?? numberOf(await resolve(from))
  const at = Number(t) * 1_000
  return {
    // Where WhatsApp hides the number, its id is all there is.
    sender: number ?? from,
    text,
    type: 'whatsapp',
    metadata: {
      ...(Number.isFinite(at) && { sent_at: new Date(at).toISOString() }),
      ...(number === undefined && { sender_id: from }),
    },
    externalId: externalIdOf(attrs),
  }
}

/** The words of a message, whatever it is wrapped in. Undefined: it has no place for words. */
function textOf(library: Library, message: proto.IMessage): string | undefined {
  const content = library.normalizeMessageContent(message)
  if (!content || content.protocolMessage || content.reactionMessage) return undefined
  const captioned =
    content.imageMessage ??
    content.videoMessage ??
    content.documentMessage ??
    content.stickerMessage ??
    content.audioMessage
  const words = content.conversation || content.extendedTextMessage?.text
  if (words) return words
  return captioned ? ((captioned as { caption?: string | null }).caption ?? '') : undefined
}
