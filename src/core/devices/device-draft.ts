/** What a new device is made from, and what can be changed about one. */

import type { About, Device } from './device.ts'
import type { Driver } from './kinds/kinds.ts'
import type { Invitation } from './phone.ts'
import type { Safety } from './sending-safety.ts'
import type { VaultChange } from './vault.ts'

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
  safety?: Partial<Safety>
}
