/** What the official API posts, in our words. Everything in it is looked at as if a stranger had written it. */

import type { Amendment } from '../../../core/inbox/amendment.ts'
import { attachmentName, attachmentType } from '../../../core/inbox/attachment.ts'
import type { Incoming } from '../../../core/inbox/received.ts'
import type { Failure } from '../../../core/messages/message.ts'
import { numberOfDigits } from '../../../core/people/number.ts'
import { failureOf } from './refusals.ts'
import { whoseStatus } from './to-cloud.ts'

type Json = Record<string, unknown>
const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
/** Neither database keeps NUL. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : ''

/** Seconds as text. What no calendar knows is no time. */
function timeOf(value: unknown): number | undefined {
  const at = Number(textOf(value)) * 1_000
  return at > 0 && at < 253_402_300_800_000 ? at : undefined
}

export type CloudStatus = {
  messageId: string
  /** Which, if it went out as two. */
  half: number | undefined
  outcome: 'sent' | 'delivered' | 'read' | 'failed'
  at: number
  error?: Failure
}

/** A file that came with a message: Meta keeps it for a week. */
export type CloudFileRef = { id: string; mime: string; filename: string | null }
export type CloudMessage = {
  incoming: Omit<Incoming, 'deviceId'>
  file?: CloudFileRef
  /** What it changes; if that is not here, `incoming` is told instead. */
  amendment?: Omit<Amendment, 'deviceId'>
}

/** What was posted about one number. */
export type Posted = { phoneNumberId: string; statuses: CloudStatus[]; messages: CloudMessage[] }

export function read(body: unknown, now: number): Posted[] {
  return listOf(objectOf(body).entry)
    .flatMap(entry => listOf(objectOf(entry).changes))
    .map(change => objectOf(change))
    .filter(({ field }) => field === 'messages')
    .map(({ value }) => {
      const { metadata, statuses, messages } = objectOf(value)
      return {
        phoneNumberId: textOf(objectOf(metadata).phone_number_id),
        statuses: listOf(statuses).flatMap(one => unlessBroken(() => statusOf(objectOf(one), now))),
        messages: listOf(messages).flatMap(one => unlessBroken(() => messageOf(objectOf(one), now))),
      }
    })
}

/** One entry that nobody understands must not cost the others that came with it. */
function unlessBroken<Item>(read: () => Item[]): Item[] {
  try {
    return read()
  } catch {
    return []
  }
}

/** A map and no object: “constructor” is not a status. */
const outcomes: ReadonlyMap<string, CloudStatus['outcome']> = new Map([
  ['sent', 'sent'],
  ['delivered', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
  ['failed', 'failed'],
])

function statusOf(status: Json, now: number): CloudStatus[] {
  const whose = whoseStatus(status.biz_opaque_callback_data)
  const outcome = outcomes.get(textOf(status.status))
  if (!whose || !outcome) return []
  const at = timeOf(status.timestamp) ?? now
  return [
    {
      messageId: whose.messageId,
      half: whose.half,
      outcome,
      at,
      ...(outcome === 'failed' && { error: errorOf(status) }),
    },
  ]
}

function errorOf({ errors }: Json): Failure {
  const { code, title, error_data: data } = objectOf(listOf(errors)[0])
  return failureOf(Number(code ?? 0), (textOf(objectOf(data).details) || textOf(title)).slice(0, 200))
}

const fileTypes = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** Texts and files, which need no word of what they are. */
const plainTypes = new Set(['text', 'image', 'video', 'audio', 'document'])
const kinds: ReadonlyMap<string, string> = new Map([
  ['sticker', 'sticker'],
  ['location', 'location'],
  ['contacts', 'contacts'],
  ['button', 'button_reply'],
  ['interactive', 'form_reply'],
  ['order', 'order'],
  ['reaction', 'reaction'],
])

function messageOf(message: Json, now: number): CloudMessage[] {
  const { from, id, timestamp } = message
  const type = textOf(message.type)
  // Contacts come as a list.
  const part = Array.isArray(message[type]) ? { list: message[type] } : objectOf(message[type])
  const isFile = (fileTypes as readonly string[]).includes(type) && textOf(part.id) !== ''
  const emoji = type === 'reaction' ? textOf(part.emoji) : undefined
  const text =
    emoji ?? wordsOf(type, part) ?? (isFile ? '' : `A message of a kind that cannot be shown here (${type}).`)
  // Meta's own notices, such as that a person has a new number, are ignored.
  if (textOf(id) === '' || textOf(from) === '' || type === '' || type === 'system') return []
  const answered = textOf(objectOf(message.context).id)
  const at = timeOf(timestamp)
  return [
    {
      incoming: {
        sender: numberOfDigits(textOf(from)) ?? textOf(from),
        text,
        type: 'whatsapp',
        metadata: {
          ...(!plainTypes.has(type) && { kind: kinds.get(type) ?? 'unsupported' }),
          ...(at !== undefined && { sent_at: new Date(at).toISOString() }),
        },
        externalId: textOf(id),
        ...(answered !== '' && { answers: [answered] }),
      },
      ...(emoji !== undefined && {
        amendment: {
          about: { externalIds: [textOf(part.message_id)] },
          id: textOf(id),
          at: at ?? now,
          change: { kind: 'reaction' as const, emoji },
        },
      }),
      ...(isFile && {
        file: {
          id: textOf(part.id),
          mime: attachmentType(textOf(part.mime_type)),
          filename: attachmentName(textOf(part.filename)),
        },
      }),
    },
  ]
}

function wordsOf(type: string, part: Json): string | undefined {
  const { body, caption, text, name, address, latitude, longitude, button_reply, list_reply } = part
  if (type === 'text') return textOf(body)
  if (type === 'button') return textOf(text)
  if (type === 'interactive')
    return (
      textOf(objectOf(button_reply ?? list_reply).title) || textOf(objectOf(part.nfm_reply).response_json)
    )
  if (type === 'contacts') return listOf(part.list).map(contactOf).join('\n')
  if (type === 'order')
    return [textOf(text), `${listOf(part.product_items).length} items`].filter(Boolean).join('\n')
  if (type === 'location')
    return [textOf(name), textOf(address), `geo:${latitude},${longitude}`].filter(Boolean).join('\n')
  return typeof caption === 'string' ? caption : undefined
}

function contactOf(contact: unknown): string {
  const { name, phones } = objectOf(contact)
  const numbers = listOf(phones).map(phone => textOf(objectOf(phone).phone))
  return [textOf(objectOf(name).formatted_name), ...numbers].filter(Boolean).join(' ')
}
