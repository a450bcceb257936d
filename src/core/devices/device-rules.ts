/** What may be asked of a device: the same rules for the API and for the command line. */

import type { EnvironmentName } from '../environment.ts'
import { normaliseNumber } from '../people/number.ts'
import { invalid } from '../problem.ts'
import type { Device } from './device.ts'
import type { DeviceChange } from './device-draft.ts'
import { allKinds, findKind, type Kind, kindNames, kindOf } from './kinds/kinds.ts'
import type { Safety } from './sending-safety.ts'

/** The kind that is meant, if such a device may be added to the environment. */
export function askedKind(name: string, driver: string | undefined, environment: EnvironmentName): Kind {
  if (!findKind(name)) throw invalid('/kind', `kind must be ${either(kindNames())}.`)
  const kind = findKind(name, driver)
  if (!kind) {
    const drivers = allKinds.flatMap(one => (one.name === name ? (one.driver ?? []) : []))
    throw invalid(
      '/driver',
      drivers.length === 0 ? `driver is not for the kind ${name}.` : `driver must be ${either(drivers)}.`,
    )
  }
  if (!kind.environments.includes(environment))
    throw invalid('/kind', `A device of the kind ${name} exists only in ${either(kind.environments)}.`)
  return kind
}

/** A one-time code is for a phone with an app; elsewhere nobody could type it. */
export function checkCode({ addedBy }: Kind, code: boolean | undefined): void {
  if (code !== undefined && addedBy !== 'enrolment')
    throw invalid('/code', 'code is only for devices that are connected by an app.')
}

export function checkChange(device: Device, { phone, safety }: DeviceChange): void {
  if (phone !== undefined && kindOf(device).hasFixedNumber)
    throw invalid(
      '/phone',
      'phone cannot be changed: the number of this device is what its network says. Add another as a new device.',
    )
  if (!safety) return
  if (!device.safety) throw invalid('/safety', 'Only linked WhatsApp numbers have safety settings.')
  checkSafety({ ...device.safety, ...safety })
}

export function checkSafety({ gapLeast, gapMost }: Safety): void {
  if (gapMost < gapLeast)
    throw invalid('/safety/gap_most_seconds', 'gap_most_seconds must not be less than gap_least_seconds.')
}

export function phoneOf(given: string): string {
  const phone = given === '' ? '' : normaliseNumber(given)
  if (phone === undefined)
    throw invalid('/phone', 'phone must be in international format, such as +14155550123.')
  return phone
}

/** “a, b or c”. */
const either = (names: readonly string[]) =>
  new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(names)
