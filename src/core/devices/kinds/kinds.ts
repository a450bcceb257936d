/** All kinds of devices. A new one is a record, a line here, and a link that reaches it (docs/links.md). */

import type { Safety } from '../sending-safety.ts'
import { android } from './android.ts'
import type { KindRecord } from './kind.ts'
import { simulated } from './simulated.ts'
import { cloudNumber, linkedNumber } from './whatsapp.ts'

/** The first of those with the same name is the usual one. */
const ours = [android, linkedNumber, cloudNumber, simulated] as const

export type DeviceKind = (typeof ours)[number]['name']
export type Driver = NonNullable<(typeof ours)[number]['driver']>
export type Kind = KindRecord & { name: DeviceKind; driver: Driver | null }

const kinds: Kind[] = [...ours]

/** For kinds that are not part of Basestation: before anything else is loaded, since the API is made from the list. */
export const addKind = (record: KindRecord): void => void kinds.push(record as Kind)

export const allKinds: readonly Kind[] = kinds
export const kindNames = (): DeviceKind[] => [...new Set(kinds.map(({ name }) => name))]
export const driverNames = (): Driver[] => kinds.flatMap(({ driver }) => driver ?? [])

/** Without a driver the usual one of that name. */
export const findKind = (name: string, driver?: string | null): Kind | undefined =>
  kinds.find(kind => kind.name === name && (driver == null || kind.driver === driver))

export function kindOf({ kind, driver }: { kind: DeviceKind; driver?: Driver | null }): Kind {
  const found = findKind(kind, driver)
  if (!found) throw new Error(`there is no kind of device called ${kind} ${driver ?? ''}`)
  return found
}

/** How carefully a device sends, with what was set for it; null: it need not be careful. */
export const safetyOf = ({ safety }: Kind, chosen: Partial<Safety>): Safety | null =>
  safety && { ...safety, ...chosen }
