/** What a phone posts: received messages, receipts for sent ones, its own state. */

import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { About } from '../../core/devices/device.ts'
import type { Phone } from '../../core/devices/phone.ts'
import { attachmentId, attachmentName, attachmentType, shownAttachment } from '../../core/inbox/attachment.ts'
import type { Incoming, MediaFile } from '../../core/inbox/received.ts'
import { cut } from '../../core/lib/cut.ts'
import type { Receipt } from '../../core/messages/message.ts'
import { normaliseNumber } from '../../core/people/number.ts'
import {
  fingerprintOf,
  type Json,
  listOf,
  messageIdOf,
  objectOf,
  powerOf,
  simsOf,
  textOf,
  timeOf,
  wholeOf,
} from './from-phone.ts'
import { isAtLeast, type Version } from './version.ts'

const mostAttachments = 100
/** Since this version the app tells of an MMS twice: when it is announced, and when it was downloaded. */
export const tellsDownloads: Version = [1, 56, 0]

/** Over the bytes as they came: the app escapes characters that other writers of JSON do not. */
export function isSigned(
  phone: Phone,
  body: Buffer,
  signature: string | undefined,
  timestamp: string | undefined,
): boolean {
  if (signature === undefined || timestamp === undefined) return false
  const expected = createHmac('sha256', phone.signingKey).update(body).update(timestamp).digest()
  const given = Buffer.from(signature, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** What there is to do about a post. */
export type Posted = {
  received?: Incoming & { files: readonly Attachment[] }
  /** A message that the phone knows of and has yet to download. */
  announced?: Incoming
  receipt?: Receipt
  about?: About
}

export type Attachment = MediaFile & { bytes: Buffer }

/** Events that were not requested, or that only newer apps have, are ignored. */
export function read(body: unknown, phone: Phone, now: number): Posted {
  const { id, event, payload: given } = objectOf(body)
  const payload = objectOf(given)
  const { device } = phone
  switch (event) {
    case 'sms:received':
      return { received: { ...sms(payload, textOf(id)), deviceId: device.id, files: [] } }
    case 'mms:received':
      return announced(payload, textOf(id), phone)
    case 'mms:downloaded':
      return { received: mms(payload, textOf(id), device.id) }
    case 'sms:sent':
      return receipt(payload, device.id, 'sent', payload.sentAt, now)
    case 'sms:delivered':
      return receipt(payload, device.id, 'delivered', payload.deliveredAt, now)
    case 'sms:failed':
      return receipt(payload, device.id, 'failed', payload.failedAt, now)
    case 'sms:cancelled':
      return receipt(payload, device.id, 'canceled', payload.cancelledAt, now)
    case 'sms:data-received':
      return { received: { ...data(payload, textOf(id)), deviceId: device.id, files: [] } }
    case 'system:ping':
      return { about: powerOf(payload) }
    case 'app:started': {
      const sims = simsOf(payload.simCards)
      return sims ? { about: { sims } } : {}
    }
    default:
      return {}
  }
}

function sms(payload: Json, id: string | undefined): Omit<Incoming, 'deviceId'> {
  const text = textOf(payload.message) ?? ''
  return { text, type: 'sms', ...common(payload, id, text) }
}

/** An SMS of bytes, which programs send to each other. Most of them are text all the same. */
function data(payload: Json, id: string | undefined): Omit<Incoming, 'deviceId'> {
  const encoded = textOf(payload.data) ?? ''
  const { metadata, ...rest } = common(payload, id, encoded)
  return {
    text: readable(encoded),
    type: 'sms',
    ...rest,
    metadata: { ...metadata, data: cut(encoded, 2_000) },
  }
}

function readable(encoded: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'))
  } catch {
    return encoded
  }
}

/** Who, when and on which SIM: the same in every kind of received message. */
function common(payload: Json, id: string | undefined, content: string) {
  const sender = textOf(payload.sender) ?? textOf(payload.phoneNumber) ?? ''
  const at = timeOf(payload.receivedAt)
  const slot = wholeOf(payload.simNumber)
  // Its own number, of the SIM that the message came to.
  const recipient = normaliseNumber(textOf(payload.recipient) ?? '')
  return {
    sender,
    metadata: {
      ...(slot !== undefined && slot > 0 && { sim_slot: slot }),
      ...(recipient !== undefined && { recipient }),
      ...(at !== undefined && { sent_at: new Date(at).toISOString() }),
    },
    externalId: id ?? null,
    ...(at !== undefined && { fingerprint: fingerprintOf([sender, content, at]) }),
  }
}

function mms(
  payload: Json,
  id: string | undefined,
  deviceId: string,
): Incoming & { files: readonly Attachment[] } {
  const text = textOf(payload.body) ?? ''
  const subject = textOf(payload.subject)
  const parts = attachments(payload)
  const content = JSON.stringify(['mms', text, parts.map(({ bytes }) => bytes && digest(bytes))])
  const { metadata, ...rest } = common(payload, id, content)
  // The same message handed over under another id has the same files, so they get the same names.
  const source = `${deviceId}/${rest.fingerprint ?? id ?? randomUUID()}`
  const files = parts.flatMap(({ bytes, ...part }, index) =>
    bytes ? [{ id: attachmentId(`${source}/${index}`), size: bytes.length, bytes, ...part }] : [],
  )
  const media = files.map(({ bytes: _, ...file }) => file)
  return {
    deviceId,
    text: text === '' ? (subject ?? '') : text,
    type: 'mms',
    ...rest,
    metadata: {
      ...metadata,
      ...(subject !== undefined && { subject: cut(subject, 200) }),
      ...(media.length > 0 && { media: media.map(shownAttachment) }),
      ...(files.length < parts.length && { media_missing: parts.length - files.length }),
    },
    media,
    files,
  }
}

/** Newer apps report the download later; from older ones, the announcement is all that comes. */
function announced(payload: Json, id: string | undefined, { device }: Phone): Posted {
  const { files, ...incoming } = mms(payload, id, device.id)
  if (!isAtLeast(device.about.appVersion, tellsDownloads)) return { received: { ...incoming, files } }
  const size = wholeOf(payload.size)
  const { fingerprint: _, ...rest } = incoming
  return {
    announced: {
      ...rest,
      metadata: { ...rest.metadata, media_missing: 1, ...(size !== undefined && { size }) },
    },
  }
}

type Part = { mime: string; filename: string | null; bytes: Buffer | undefined }

/** Layout (SMIL) is no attachment. The app may name one that it does not send along. */
function attachments(payload: Json): Part[] {
  return listOf(payload.attachments)
    .map(item => {
      const { contentType, name, data } = objectOf(item)
      return {
        mime: attachmentType(textOf(contentType)),
        filename: attachmentName(textOf(name)),
        bytes: typeof data === 'string' ? Buffer.from(data, 'base64') : undefined,
      }
    })
    .filter(({ mime }) => mime !== 'application/smil')
    .slice(0, mostAttachments)
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('base64url')

function receipt(
  payload: Json,
  deviceId: string,
  outcome: 'sent' | 'delivered' | 'failed' | 'canceled',
  at: unknown,
  now: number,
): Posted {
  const messageId = messageIdOf(payload.messageId)
  if (messageId === undefined) return {}
  const time = timeOf(at)
  return {
    receipt: {
      messageId,
      deviceId,
      outcome,
      at: time ?? now,
      times: { [outcome]: time ?? now },
      ...(outcome === 'failed' && { error: { code: 'phone_error', detail: textOf(payload.reason) ?? '' } }),
    },
  }
}
