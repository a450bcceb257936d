/** What WhatsApp brings, in our words. */

import type { proto } from 'baileys'
import type { Amendment, Change } from '../../../core/inbox/amendment.ts'
import type { Incoming } from '../../../core/inbox/received.ts'
import { cut } from '../../../core/lib/cut.ts'
import { hiddenPerson } from '../../../core/people/number.ts'
import { type SealedFile, sealedFileOf } from './attachment.ts'
import type { Library } from './library.ts'
import { shownOf } from './message-kinds.ts'

/** A decrypted message as it lies in the vault until it is told: the stanza's attributes and the plain bytes. */
export type Kept = { attrs: Readonly<Record<string, string>>; plain: string }

/** `15550002000:3@s.whatsapp.net` is the number +15550002000; anything that is no phone number is undefined. */
export function numberOf(jid: string | undefined): string | undefined {
  const digits = /^(\d{7,15})(?::\d+)?@s\.whatsapp\.net$/.exec(jid ?? '')?.[1]
  return digits === undefined ? undefined : `+${digits}`
}

/** Ids are chosen by senders: one that no client makes is none. */
const idOf = (given: string | null | undefined): string | undefined =>
  given && /^[\x21-\x7e]{1,128}$/.test(given) ? given : undefined

const userOf = (jid: string): string => jid.split(/[:@]/)[0]!

/** The sender chose the id, so it means something only beside the sender. */
export const externalIdOf = ({ from = '', id = '' }: Kept['attrs']): string => `${userOf(from)}/${id}`

/** What a message says, with the file that came with it; or what it changes about one that came before. */
export type Read = {
  incoming?: Omit<Incoming, 'deviceId'>
  file?: SealedFile
  /** If its target is not stored, `incoming` is reported instead. */
  amendment?: Omit<Amendment, 'deviceId'>
}

export type ReadParts = {
  library: Library
  /** The name of somebody's number, for one that hides it. */
  resolve: (lid: string) => Promise<string | undefined>
  /** Our own message that went out under this id. */
  ours: (whatsappId: string) => Promise<string | undefined>
}

/** Undefined: nothing for people, such as keys or what our own phone sent. */
export async function readMessage(parts: ReadParts, kept: Kept): Promise<Read | undefined> {
  const { library } = parts
  const { attrs } = kept
  const message = library.proto.Message.decode(library.unpadRandomMax16(Buffer.from(kept.plain, 'base64')))
  if (attrs.category === 'peer') return undefined
  const content = library.normalizeMessageContent(message)
  const who = await senderOf(parts, attrs)
  const changed = content && changeOf(library, content)
  if (changed) return await amending(parts, kept, who, changed)
  const shown = shownOf(content)
  const file = sealedFileOf(library, message)
  if (!shown && !file) return undefined
  const { kind, text } = shown ?? { kind: undefined, text: '' }
  const answer = content && (await answerOf(parts, who, content))
  const incoming = {
    ...row(attrs, who, text, kind),
    ...(answer?.answers && { answers: answer.answers }),
  }
  return {
    incoming: { ...incoming, metadata: { ...incoming.metadata, ...answer?.metadata } },
    ...(file && { file }),
  }
}

/** Somebody, under all the names by which WhatsApp may call them. */
type Who = { number: string | undefined; from: string; users: readonly string[] }

async function senderOf({ resolve }: ReadParts, attrs: Kept['attrs']): Promise<Who> {
  const { from = '', sender_pn, sender_lid } = attrs
  const resolved = await resolve(from)
  const number = numberOf(from) ?? numberOf(sender_pn) ?? numberOf(resolved)
  const names = [from, sender_pn, sender_lid, resolved].filter(name => name !== undefined && name !== '')
  return { number, from, users: [...new Set(names.map(name => userOf(name!)))] }
}

function row(
  attrs: Kept['attrs'],
  { number, from, users }: Who,
  text: string,
  kind: string | undefined,
): Omit<Incoming, 'deviceId'> {
  const at = timeOf(attrs)
  const lid = users.find(user => `${user}@lid` === from.replace(/:\d+@/, '@')) ?? lidOf(attrs)
  return {
    // Where WhatsApp hides the number, its id is all there is.
    sender: number ?? hiddenPerson(from) ?? from,
    text,
    type: 'whatsapp',
    metadata: {
      ...(kind !== undefined && { kind }),
      ...(at !== undefined && { sent_at: new Date(at).toISOString() }),
      ...(number === undefined && { sender_id: from }),
    },
    externalId: externalIdOf(attrs),
    ...(number !== undefined && lid !== undefined && { alias: `${lid}@lid` }),
  }
}

const lidOf = ({ sender_lid }: Kept['attrs']) => (sender_lid === undefined ? undefined : userOf(sender_lid))

function timeOf({ t }: Kept['attrs']): number | undefined {
  const at = Number(t) * 1_000
  return at > 0 && at < 253_402_300_800_000 ? at : undefined
}

/** What a message answers: one of ours, or one of theirs. */
async function answerOf(
  { ours, library }: ReadParts,
  { users }: Who,
  content: proto.IMessage,
): Promise<{ answers?: readonly string[]; metadata: object } | undefined> {
  const context = contextOf(content)
  const id = idOf(context?.stanzaId)
  if (!id) return undefined
  const quoted = shownOf(library.normalizeMessageContent(context!.quotedMessage ?? undefined))?.text
  const metadata = quoted ? { quoted: cut(quoted, 500) } : {}
  const own = await ours(id)
  if (own !== undefined) return { metadata: { ...metadata, reply_to: own } }
  return { answers: users.map(user => `${user}/${id}`), metadata }
}

/** It hangs on whichever part of the message is there. */
function contextOf(content: proto.IMessage): proto.IContextInfo | undefined {
  for (const part of Object.values(content))
    if (typeof part === 'object' && part !== null && 'contextInfo' in part && part.contextInfo)
      return part.contextInfo as proto.IContextInfo
  return undefined
}

type Changed = { id: string; change: Change }

function changeOf(library: Library, content: proto.IMessage): Changed | undefined {
  const { protocolMessage: protocol, reactionMessage: reaction } = content
  const { Type } = library.proto.Message.ProtocolMessage
  if (reaction?.key?.id)
    return { id: reaction.key.id, change: { kind: 'reaction', emoji: cut(reaction.text ?? '', 20) } }
  if (!protocol?.key?.id) return undefined
  if (protocol.type === Type.REVOKE) return { id: protocol.key.id, change: { kind: 'deleted' } }
  if (protocol.type !== Type.MESSAGE_EDIT) return undefined
  const text = shownOf(library.normalizeMessageContent(protocol.editedMessage ?? undefined))?.text ?? ''
  return { id: protocol.key.id, change: { kind: 'edited', text } }
}

async function amending(
  { ours }: ReadParts,
  { attrs }: Kept,
  who: Who,
  { id, change }: Changed,
): Promise<Read> {
  const known = idOf(id)
  const own = change.kind === 'reaction' && known !== undefined ? await ours(known) : undefined
  const about =
    own === undefined
      ? { externalIds: known === undefined ? [] : who.users.map(user => `${user}/${known}`) }
      : { messageId: own }
  const amendment = { about, id: attrs.id ?? '', at: timeOf(attrs) ?? Date.now(), change }
  // About something that came before the number was linked: then it is news by itself.
  const text = change.kind === 'edited' ? change.text : change.kind === 'reaction' ? change.emoji : ''
  return { amendment, ...(text !== '' && { incoming: row(attrs, who, text, change.kind) }) }
}
