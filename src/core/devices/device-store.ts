/** Port: what we need remembered of devices. */

import type { Owned } from '../environment.ts'
import type { Keep } from '../idempotency.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Description, Device, Load } from './device.ts'
import type { DeviceChange, DeviceDraft } from './device-draft.ts'
import type { Invitation, Phone, PhoneNote, Proof } from './phone.ts'

/** `epoch`: only while that lease of the link is the newest. `insteadOf`: only if no node but that one has the link. */
export type PresenceGuard = { epoch?: number; insteadOf?: string | null }

export interface DeviceStore {
  enrol(draft: DeviceDraft, keep?: Keep<Device>): Promise<Device>
  change(device: Owned, change: DeviceChange): Promise<Device | undefined>
  retire(device: Owned): Promise<Device | undefined>
  /** Notes that a node's link to the device is up or down. False: another node has the link. */
  presence(deviceId: string, node: string, online: boolean, only?: PresenceGuard): Promise<boolean>
  /** The devices of an environment, removed ones too. */
  devices(environmentId: number): Awaitable<Device[]>
  /** Those of all environments: for loops and the command line. */
  allDevices(): Awaitable<Device[]>
  loads(): Awaitable<Load[]>
  /** Changes whenever any device does: a cheap way to see that `allDevices` is worth reading again. */
  devicesVersion(): Awaitable<number>

  /** Keeps what a device says about itself. */
  describe(deviceId: string, description: Description): Promise<void>

  /** Opens the way in for a phone. False: there is no such device. */
  invite(deviceId: string, invitation: Invitation, keep?: Keep<boolean>): Promise<boolean>
  /** Whether it is worth asking: the token is known, or some code is open. Strangers must not keep the writer busy. */
  mayAdmit(proof: Proof): Awaitable<boolean>
  /** Lets a phone in with a token of its own, which ends the one before. A code is used up; a wrong one is counted. */
  admit(proof: Proof, tokenHash: string): Promise<Phone | undefined>
  /** Stores when a phone fetched its key or opened its stream. */
  notePhone(deviceId: string, note: PhoneNote): Promise<void>
  /** All phones whose device was not removed. */
  phones(): Awaitable<Phone[]>
  phoneByToken(tokenHash: string): Awaitable<Phone | undefined>
  /** The phone that posts to this address, or did until lately; then with the key it had then. */
  phoneByHook(hook: string): Awaitable<Phone | undefined>
}
