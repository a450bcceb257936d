/** All kinds of devices. A new one is a record, a line here, and a link that reaches it (docs/links.md). */

import type { Safety } from '../sending-safety.ts'
import { android } from './android.ts'
import type { KindRecord } from './kind.ts'
import { simulated } from './simulated.ts'
import { cloudNumber, linkedNumber } from './whatsapp.ts'

const ours = [android, linkedNumber, cloudNumber, simulated] as const

export type DeviceKind = (typeof ours)[number]['name']
export type Driver = NonNullable<(typeof ours)[number]['driver']>
export type Kind = KindRecord & { name: DeviceKind; driver: Driver | null }

const kinds: Kind[] = [...ours]

/** For kinds that are not part of Basestation: before anything else is loaded, since the API is made from the list. */
export function addKind(record: KindRecord): void {
  if (findKind(record.name, record.driver)) throw new Error(`there is a kind ${record.name} already`)
  kinds.push(record as Kind)
}

export const allKinds: readonly Kind[] = kinds
export const kindNames = (): DeviceKind[] => [...new Set(kinds.map(({ name }) => name))]
export const driverNames = (): Driver[] => kinds.flatMap(({ driver }) => driver ?? [])

/** Without a driver the usual one of that name. */
export function findKind(name: string, driver?: string | null): Kind | undefined {
  for (const kind of kinds)
    if (kind.name === name && (driver == null ? kind.isUsual : kind.driver === driver)) return kind
  return undefined
}

/** A device whose kind this program does not have: it is listed, and nothing is done with it. */
const unknown = (name: DeviceKind): Kind => ({
  ...simulated,
  name,
  title: `Unknown kind (${name})`,
  about: '',
  environments: [],
  longestText: 0,
})

export const kindOf = ({ kind, driver }: { kind: DeviceKind; driver?: Driver | null }): Kind =>
  findKind(kind, driver) ?? unknown(kind)

/** How carefully a device sends, with what was set for it; null: it need not be careful. */
export const safetyOf = ({ safety }: Kind, chosen: Partial<Safety>): Safety | null =>
  safety && { ...safety, ...chosen }
