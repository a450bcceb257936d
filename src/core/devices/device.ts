/** A device that sends and receives: an Android phone, a WhatsApp number, or a simulated phone. */

import type { EnvironmentName } from '../environment.ts'
import type { AttentionCode } from './attention.ts'
import type { DeviceKind, Driver } from './kinds/kinds.ts'
import type { Pace } from './pace.ts'
import type { Safety } from './sending-safety.ts'

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
  safety: Safety | null
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

/** News about a device itself. What is not given stays as it was. */
export type Description = {
  about?: About
  attention?: readonly AttentionCode[]
  seenAt?: number
  restrictedUntil?: number | null
  /** Nothing is handed to it before; null: no such time. */
  restsUntil?: number | null
}

/** A device at the moment of an event. */
export type DeviceThen = { device: Device; load: Load }

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
