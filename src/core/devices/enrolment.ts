/** How a device comes in: with its name alone, or for a phone with the secrets that its app is given. */

import type { Keep } from '../idempotency.ts'
import { Problem } from '../problem.ts'
import type { Store } from '../store.ts'
import type { Device } from './device.ts'
import type { DeviceDraft } from './device-draft.ts'
import { type Sign, stepsFor, warningFor } from './kinds/android-app.ts'
import { kindOf } from './kinds/kinds.ts'
import { codeMs, hashCode, hashEnrolmentToken, type Invitation, newCode, newEnrolmentToken } from './phone.ts'

export type Enrolment = {
  /** The address to type into the app. */
  url: string
  token: string
  code: string | null
  codeExpiresAt: number | null
  steps: string[]
  /** For each step what shows that it is done; null: only people can see it. */
  shownBy: (Sign | null)[]
  /** Why the address cannot work, or what it needs; null when nothing speaks against it. */
  warning: string | null
}

export type NewDevice = Pick<DeviceDraft, 'environmentId' | 'kind' | 'name' | 'phone'> &
  Partial<Pick<DeviceDraft, 'perMinute' | 'perDay'>>

export type EnrolmentParts = { store: Pick<Store, 'enrol' | 'invite'>; publicUrl: string; now: number }

/** A device that was added, and for an Android phone the way in. */
export type Added = { device: Device; enrolment?: Enrolment }

/** Adds a device; for an Android phone with the way in. */
export async function addDevice(
  parts: EnrolmentParts,
  draft: NewDevice,
  withCode: boolean,
  remember?: (addedOf: (device: Device) => Added) => Keep<Device> | undefined,
): Promise<Added> {
  const { perMinute, addedBy } = kindOf(draft)
  const usual = { perMinute, perDay: null }
  const way = addedBy === 'enrolment' ? wayIn(parts, withCode) : undefined
  const addedOf = (device: Device): Added => ({ device, ...(way && { enrolment: way.enrolment }) })
  const complete = { ...usual, ...draft, ...(way && { invitation: way.invitation }) }
  return addedOf(await parts.store.enrol(complete, remember?.(addedOf)))
}

/** Makes a new token, which ends the one before, and a one-time code if wanted. */
export async function inviteAndExplain(
  parts: Omit<EnrolmentParts, 'store'> & { store: Pick<Store, 'invite'> },
  device: Device,
  withCode: boolean,
  remember?: (enrolment: Enrolment) => Keep<boolean> | undefined,
): Promise<Enrolment> {
  const { invitation, enrolment } = wayIn(parts, withCode)
  if (!(await parts.store.invite(device.id, invitation, remember?.(enrolment))))
    throw new Problem('device_not_found', 'There is no device with this id.')
  return enrolment
}

function wayIn(
  { publicUrl, now }: Pick<EnrolmentParts, 'publicUrl' | 'now'>,
  withCode: boolean,
): { invitation: Invitation; enrolment: Enrolment } {
  const token = newEnrolmentToken()
  const code = withCode ? newCode() : null
  const codeExpiresAt = code === null ? null : now + codeMs
  const url = `${publicUrl}/mobile/v1`
  const steps = stepsFor(url, token, code)
  return {
    invitation: {
      tokenHash: hashEnrolmentToken(token),
      ...(code !== null && { code: { hash: hashCode(code), expiresAt: codeExpiresAt! } }),
    },
    enrolment: {
      url,
      token,
      code,
      codeExpiresAt,
      steps: steps.map(({ text }) => text),
      shownBy: steps.map(({ shownBy }) => shownBy),
      warning: warningFor(url),
    },
  }
}

/** Which signs of the connection are there now. */
export function signsOf({ about, attention, connection }: Device, online: boolean): Sign[] {
  const { registeredAt, streamAt, keyAt } = connection
  if (registeredAt === null) return []
  const isTold = streamAt !== null && !attention.includes('no_event_stream')
  const found: (Sign | false)[] = [
    about.appVersion !== undefined && !attention.includes('app_outdated') && 'app',
    'registered',
    online && 'online',
    online && isTold && 'event_stream',
    keyAt !== null && 'settings',
  ]
  return found.filter(sign => sign !== false)
}
