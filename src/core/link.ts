/** Port: a live line to one device, and the news it brings. */

import type { Device } from './devices/device.ts'
import type { DeviceKind } from './devices/kinds/kinds.ts'
import type { Amendment } from './inbox/amendment.ts'
import type { Incoming } from './inbox/received.ts'
import type { Message, Receipt } from './messages/message.ts'
import type { Lease } from './nodes/lease.ts'

/** How devices of one kind are reached. */
export type LinkKind = {
  kind: DeviceKind
  /** Its devices come by themselves, to any node, and ask for their messages: nobody has to hold their links. */
  isPulled?: true
  /**
   * Returns at once and never throws: trouble is reported as a state, because a broken phone is not a broken program.
   * One node at a time holds a link that is not pulled; it must not log in once its lease is no longer held.
   */
  open(device: Device, news: News, lease: Lease): Link
  /**
   * Whether this device can be asked not to send what it was given. If so, the link looks at `store.toCancel` and asks;
   * the answer comes as a receipt.
   */
  canCancel?(device: Device): boolean
}

export type Link = {
  /**
   * Pushes one message to the device. It may answer with the first receipt. Throwing `LinkDown` says that nothing left
   * for certain; any other error leaves the message with the device until it reports or its validity ends. A link
   * without `send` is pulled: the device asks for its messages itself.
   */
  send?(message: Message): Promise<Receipt | undefined>
  /** Whether it makes sense to push now. Without an answer it always does. */
  isUp?(): boolean
  /** Messages that are with the device already, told after a restart; offering them again is not a second send. */
  resume?(messages: readonly Message[]): void
  /** Of a link that is pulled: something waits, so the device should ask. */
  wake?(): void
  /** The device's name, pace or another of its settings may have changed. */
  adapt?(device: Device): void
  close(): Promise<void>
}

/** What a link tells the gateway. A promise that resolves means: stored. */
export type News = {
  receipt(receipt: Receipt): Promise<void>
  received(incoming: Omit<Incoming, 'deviceId'>): Promise<void>
  /** Somebody changed a message; if it is not here, `otherwise` is received in its place. */
  amended(amendment: Omit<Amendment, 'deviceId'>, otherwise?: Omit<Incoming, 'deviceId'>): Promise<void>
  online(online: boolean): Promise<void>
}

/** Certain that nothing left the gateway. */
export class LinkDown extends Error {}
