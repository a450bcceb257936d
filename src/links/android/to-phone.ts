/** What the app is told: messages to send, its settings, and where to post what comes in. */

import type { Device } from '../../core/devices/device.ts'
import type { Phone } from '../../core/devices/phone.ts'
import type { Message } from '../../core/messages/message.ts'
import { tellsDownloads } from './hooks.ts'
import { isAtLeast, type Version } from './version.ts'

/** Where phones ask, and post what comes in. */
export const phoneBase = '/mobile/v1'

/** The app reads times with exactly three decimals; with more it is off by minutes. */
const time = (at: number) => new Date(at).toISOString()

/**
 * One recipient each: the app pauses between messages, not between recipients. `message` is for apps that do not know
 * `textMessage` yet.
 */
export const messagesToPhone = (messages: readonly Message[]) =>
  messages.map(message => ({
    id: message.id,
    message: message.text,
    textMessage: { text: message.text },
    phoneNumbers: [message.recipient],
    ...(message.simSlot !== null && { simNumber: message.simSlot }),
    withDeliveryReport: true,
    priority: 0,
    validUntil: time(message.expiresAt),
    // The app sorts by this. Times of acceptance can be equal; those of the hand-over to a phone never are.
    createdAt: time(message.handedAt ?? message.createdAt),
    ...(message.cancelAsked && { state: 'Cancelling' }),
  }))

const pingSeconds = 300

/**
 * Never null and never a value that some version lacks: the app would try to read such a document for ever. The same
 * device gets the same document, because each change shows a notification on the phone.
 */
export const settingsFor = ({ device, signingKey }: Phone, version: string | undefined) => ({
  webhooks: { signing_key: signingKey, retry_count: 15 },
  messages: {
    processing_order: 'FIFO',
    ...(device.perMinute === null
      ? { limit_period: 'Disabled' }
      : { limit_period: 'PerMinute', limit_value: device.perMinute }),
    // When to send is decided here: a phone with hours of its own would sit on messages until they expire.
    ...(isAtLeast(version, [1, 69, 0]) && { work_hours_enabled: false }),
  },
  gateway: { notification_channel: 'SSE_ONLY' },
  ping: { interval_seconds: pingSeconds },
})

/** What the settings of a phone are made from, to see whether they changed. */
export const settingsKey = (device: Device): string => String(device.perMinute)

type Hook = { event: string; since?: Version }

/**
 * An event that the installed app does not know breaks its whole list. Receipts are asked for here too,
 * because the app repeats these for two days and its other reports for three hours.
 */
const hooks: readonly Hook[] = [
  { event: 'sms:received' },
  { event: 'sms:sent' },
  { event: 'sms:delivered' },
  { event: 'sms:failed' },
  { event: 'system:ping' },
  { event: 'mms:received', since: [1, 47, 0] },
  { event: 'mms:downloaded', since: tellsDownloads },
  { event: 'sms:data-received', since: [1, 39, 0] },
  { event: 'app:started', since: [1, 66, 0] },
  { event: 'sms:cancelled', since: [1, 67, 0] },
]

export const hooksFor = (phone: Phone, version: string | undefined, publicUrl: string) =>
  hooks
    .filter(({ since }) => !since || isAtLeast(version, since))
    .map(({ event }) => ({
      // Stable: a new id for received messages makes the phone show a notification.
      id: `${event.replaceAll(':', '-')}-${phone.device.id}`,
      url: `${publicUrl}${phoneBase}/hooks/${phone.hook}`,
      event,
    }))
