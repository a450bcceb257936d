/** A device that sends and receives: an Android phone, a WhatsApp number, or a pretend phone. */

import type { EnvironmentName } from './environment.ts'
import type { Pace } from './pace.ts'

export const deviceKinds = ['android', 'whatsapp', 'simulated'] as const
export type DeviceKind = (typeof deviceKinds)[number]

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
  paused: boolean
  /** What its link said last. Only believed while the node that holds the link is alive. */
  online: boolean
  /** The node that holds the link. */
  heldBy: string | null
  createdAt: number
  removedAt: number | null
}

export type DeviceDraft = Pick<Device, 'environmentId' | 'kind' | 'name' | 'phone' | 'perMinute' | 'perDay'>
export type DeviceChange = Partial<Pick<Device, 'name' | 'phone' | 'perMinute' | 'perDay' | 'paused'>>

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
