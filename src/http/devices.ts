/** Devices over the API: list, add, change, connect, remove. */

import type { Candidate } from '../core/choose.ts'
import * as enrolment from '../core/enrolment.ts'
import type { Environment } from '../core/environment.ts'
import type { Fleet } from '../core/fleet.ts'
import { normaliseNumber } from '../core/number.ts'
import { Problem } from '../core/problem.ts'
import { shownDevice, shownEnrolment } from '../core/shown.ts'
import type { Store } from '../core/store.ts'
import type {
  DeviceAddRequest,
  DeviceAddResponse,
  DeviceChangeRequest,
  DeviceResponse,
  DevicesResponse,
  EnrolmentRequest,
  RemovedResponse,
} from './device-schemas.ts'
import type { Action } from './routes.ts'

export type DeviceParts = {
  store: Pick<Store, 'enrol' | 'change' | 'retire' | 'invite'>
  fleet: Pick<Fleet, 'candidates' | 'member'>
  /** Looks at the devices again, now. */
  refresh: () => Promise<void>
  publicUrl: () => string
  now: () => number
}

export const devices =
  ({ fleet, refresh }: DeviceParts): Action<DevicesResponse> =>
  async ({ environment }) => {
    await refresh()
    return { success: true, data: fleet.candidates(environment.id).map(shownDevice) }
  }

export const device =
  (parts: DeviceParts): Action<DeviceResponse> =>
  async ({ environment, params }) => ({
    success: true,
    data: shownDevice(await find(parts, environment, params.device_id!)),
  })

export const addDevice =
  (parts: DeviceParts): Action<DeviceAddResponse> =>
  async ({ environment, body }) => {
    const { kind, name, phone = '', code, per_minute, per_day } = body as DeviceAddRequest
    const reason = enrolment.unfit(kind, environment.name)
    if (reason !== undefined) throw bad('/kind', `${reason}.`)
    if (kind === 'whatsapp')
      throw bad('/kind', 'A WhatsApp number is linked with: npx basestation devices add --kind whatsapp.')
    if (code !== undefined && kind !== 'android') throw bad('/code', 'Only Android devices have a code.')
    const draft = {
      environmentId: environment.id,
      kind,
      name: nameOf(name),
      phone: phoneOf(phone),
      ...(per_minute !== undefined && { perMinute: per_minute }),
      ...(per_day !== undefined && { perDay: per_day }),
    }
    const added = await enrolment.addDevice(partsOf(parts), draft, code !== false)
    const member = await find(parts, environment, added.device.id)
    return {
      success: true,
      data: {
        ...shownDevice(member),
        ...(added.enrolment && { enrolment: shownEnrolment(added.enrolment) }),
      },
    }
  }

export const changeDevice =
  (parts: DeviceParts): Action<DeviceResponse> =>
  async ({ environment, params, body }) => {
    const { device } = await find(parts, environment, params.device_id!)
    const { name, phone, per_minute, per_day, paused } = body as DeviceChangeRequest
    const changed = await parts.store.change(device.id, {
      ...(name !== undefined && { name: nameOf(name) }),
      ...(phone !== undefined && { phone: phoneOf(phone) }),
      ...(per_minute !== undefined && { perMinute: per_minute }),
      ...(per_day !== undefined && { perDay: per_day }),
      ...(paused !== undefined && { paused }),
    })
    if (!changed) throw missing()
    return { success: true, data: shownDevice(await find(parts, environment, device.id)) }
  }

export const enrolDevice =
  (parts: DeviceParts): Action<DeviceAddResponse> =>
  async ({ environment, params, body }) => {
    const member = await find(parts, environment, params.device_id!)
    if (member.device.kind !== 'android') throw bad('', 'Only Android devices are connected this way.')
    const withCode = (body as EnrolmentRequest).code !== false
    const invitation = await enrolment.inviteAndExplain(partsOf(parts), member.device, withCode)
    return { success: true, data: { ...shownDevice(member), enrolment: shownEnrolment(invitation) } }
  }

export const removeDevice =
  (parts: DeviceParts): Action<RemovedResponse> =>
  async ({ environment, params }) => {
    const { device } = await find(parts, environment, params.device_id!)
    if (!(await parts.store.retire(device.id))) throw missing()
    await parts.refresh()
    return { success: true, data: { id: device.id } }
  }

const partsOf = ({ store, publicUrl, now }: DeviceParts) => ({ store, publicUrl: publicUrl(), now: now() })

/** As it is now: another process may have changed it. */
async function find(
  { fleet, refresh }: DeviceParts,
  environment: Environment,
  id: string,
): Promise<Candidate> {
  await refresh()
  const member = fleet.member(id.toLowerCase())
  if (member?.device.environmentId !== environment.id || member.device.removedAt !== null) throw missing()
  return member
}

const missing = () => new Problem('device_not_found', 'There is no device with this id.')

const bad = (pointer: string, detail: string) =>
  new Problem('invalid_request', detail, { errors: [{ pointer, code: 'invalid', detail }] })

function nameOf(given: string): string {
  const name = given.trim()
  if (name === '') throw bad('/name', 'name must not be empty.')
  return name
}

function phoneOf(given: string): string {
  const phone = given === '' ? '' : normaliseNumber(given)
  if (phone === undefined) throw bad('/phone', 'phone must be in international format, such as +14155550123.')
  return phone
}
