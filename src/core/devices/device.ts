/** A device that sends and receives: an Android phone, a WhatsApp number, or a pretend phone. */

import type { EnvironmentName } from '../environment.ts'
import type { Pace } from './pace.ts'
import type { Invitation } from './phone.ts'
import type { Caution } from './sending-safety.ts'
import type { VaultChange } from './vault.ts'

export const deviceKinds = ['android', 'whatsapp', 'simulated'] as const
export type DeviceKind = (typeof deviceKinds)[number]

export const drivers = ['linked', 'cloud'] as const
export type Driver = (typeof drivers)[number]

export type Device = {
  id: string
  environmentId: number
  environment: EnvironmentName
  kind: DeviceKind
  name: string
  phone: string
  /** SMS parts the device may be handed in any 60 seconds; null: no limit. */
  perMinute: number | null
  /** SMS parts the device may be handed in one day (UTC); null: no limit. */
  perDay: number | null
  /** How a WhatsApp number is reached: as a device linked to a phone, or over the official API. */
  driver: Driver | null
  /** Of numbers that may be blocked; null: it need not be careful. */
  caution: Caution | null
  /** Until then it may begin no new chats. */
  restrictedUntil: number | null
  paused: boolean
  /** It finishes what waits for it, and is given nothing new. */
  draining: boolean
  /** What its link said last. Only believed while the node that holds the link is alive. */
  online: boolean
  /** The node that holds the link. */
  heldBy: string | null
  /** What it says about itself. */
  about: About
  connection: Connection
  /** What people should look at. */
  attention: readonly AttentionCode[]
  /** When it was last heard of. */
  seenAt: number | null
  createdAt: number
  removedAt: number | null
}

/** Of a phone: when it was let in last, and what it did since then. */
export type Connection = {
  registeredAt: number | null
  /** When its event stream was last seen open. */
  streamAt: number | null
  /** When it fetched its settings, and with them its key. */
  keyAt: number | null
}

export type Sim = { slot: number; number: string | null; carrier: string | null }

export type About = {
  appVersion?: string
  model?: string
  sims?: readonly Sim[]
  batteryPercent?: number
  charging?: boolean
  /** Meta's id of a number that is reached over the official API. */
  phoneNumberId?: string
}

/** Why a device may need somebody's hand, and what to do about it. */
export const attentions = {
  not_connected: 'No phone has connected yet. Follow the steps that were shown when the device was added.',
  phone_offline:
    'The phone has not been heard of. Look whether it is on, has a network, and shows Online in the app.',
  no_event_stream:
    'The phone is not told of new messages at once. In the app set Settings → Cloud server → Notification channel to SSE Only, then tap Online twice to restart it.',
  app_outdated: 'The app on the phone is too old. Update it to version 1.53.1 or newer.',
  battery_low: 'The phone’s battery is low.',
  not_charging: 'The phone is not charging. Keep it on a charger.',
  signature_refused:
    'Received messages were refused because their signature is wrong. Tap Online twice in the app, so that it fetches its signing key again.',
  logged_out:
    'WhatsApp ended the link, or somebody removed it on the phone. Link the number again: npx basestation devices link ID',
  number_banned: 'WhatsApp has blocked this number. Open WhatsApp on the phone to see why.',
  whatsapp_refused: 'WhatsApp refuses the connection for now. Look at WhatsApp on the phone.',
  session_conflict: 'Another program uses the same WhatsApp session. Stop it, or link the number anew.',
  client_outdated: 'WhatsApp no longer accepts this version of the client. Update Basestation.',
  new_chats_paused:
    'WhatsApp lets this number begin no new chats for now. People who wrote to it are still answered; the rest waits.',
  no_webhook:
    'WhatsApp has not called the webhook yet, so nothing is known of sent messages and none are received. Enter its address and verify token in Meta’s app dashboard, and subscribe to “messages”.',
  token_refused:
    'WhatsApp’s official API refuses the access token. Give the device a new one: npx basestation devices set ID --token-file FILE',
  api_unreachable: 'WhatsApp’s official API cannot be reached. Look at the gateway’s network.',
  library_missing: 'The optional package for WhatsApp is not installed. Run npm install, and start again.',
} as const
export type AttentionCode = keyof typeof attentions

/** News about a device itself. What is not given stays as it was. */
export type Description = {
  about?: About
  attention?: readonly AttentionCode[]
  seenAt?: number
  restrictedUntil?: number | null
  /** Nothing is handed to it before; null: no such time. */
  restsUntil?: number | null
}

export type DeviceDraft = Pick<
  Device,
  'environmentId' | 'kind' | 'name' | 'phone' | 'perMinute' | 'perDay'
> & {
  driver?: Driver
  about?: About
  /** A new one is made when not given. */
  id?: string
  /** The way in for a phone. */
  invitation?: Invitation
  /** What its link must remember from the beginning, sealed. */
  secrets?: readonly VaultChange[]
}
export type DeviceChange = Partial<
  Pick<Device, 'name' | 'phone' | 'perMinute' | 'perDay' | 'paused' | 'draining'>
> & {
  caution?: Partial<Caution>
}

/** What waits for a device and how fast it has been sending. */
export type Load = {
  deviceId: string
  /** Queued messages, and the SMS parts they make. */
  waiting: number
  waitingParts: number
  /** Those of the waiting messages whose device was chosen automatically. */
  movable: number
  pace: Pace
}

/** Above about 30 parts a minute Android asks the phone's owner for consent. */
export const defaultPerMinute: Record<DeviceKind, number | null> = {
  android: 20,
  whatsapp: null,
  simulated: null,
}

export const canSendMedia = (kind: DeviceKind): boolean => kind === 'whatsapp'
export const sendsSms = (kind: DeviceKind): boolean => kind !== 'whatsapp'

/** A node that serves links, and when it last showed signs of life. */
export type Node = { name: string; seenAt: number }
