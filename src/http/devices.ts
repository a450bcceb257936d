/** Devices over the API: list, add, change, connect, remove. */

import type { Candidate } from '../core/choose.ts'
import { attentions, type Device, defaultPerMinute } from '../core/device.ts'
import { type Enrolment, inviteAndExplain } from '../core/enrolment.ts'
import type { Environment } from '../core/environment.ts'
import type { Fleet } from '../core/fleet.ts'
import { normaliseNumber } from '../core/number.ts'
import { Problem } from '../core/problem.ts'
import type { Store } from '../core/store.ts'
import { isoTime, isoTimeOrNull } from '../core/time.ts'
import type {
  DeviceAddRequest,
  DeviceAddResponse,
  DeviceChangeRequest,
  DeviceResponse,
  DeviceShape,
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

const shown = ({ device, online, load }: Candidate): DeviceShape => {
  const { appVersion, batteryPercent, model, charging, sims } = device.about
  return {
    id: device.id,
    name: device.name,
    kind: device.kind,
    phone: device.phone,
    status: online ? 'online' : 'offline',
    paused: device.paused,
    per_minute: device.perMinute,
    per_day: device.perDay,
    waiting: load.waiting,
    attention: device.attention.map(code => ({ code, detail: attentions[code] })),
    about: {
      ...(appVersion !== undefined && { app_version: appVersion }),
      ...(model !== undefined && { model }),
      ...(batteryPercent !== undefined && { battery_percent: batteryPercent }),
      ...(charging !== undefined && { charging }),
      ...(sims && { sims: [...sims] }),
    },
    seen_at: isoTimeOrNull(device.seenAt),
    created_at: isoTime(device.createdAt),
  }
}

const shownEnrolment = ({ codeExpiresAt, ...rest }: Enrolment) => ({
  ...rest,
  code_expires_at: isoTimeOrNull(codeExpiresAt),
})

export const devices =
  ({ fleet, refresh }: DeviceParts): Action<DevicesResponse> =>
  async ({ environment }) => {
    await refresh()
    return { success: true, data: fleet.candidates(environment.id).map(shown) }
  }

export const device =
  (parts: DeviceParts): Action<DeviceResponse> =>
  async ({ environment, params }) => ({
    success: true,
    data: shown(await find(parts, environment, params.device_id!)),
  })

export const addDevice =
  (parts: DeviceParts): Action<DeviceAddResponse> =>
  async ({ environment, body }) => {
    const { kind, name, code, per_minute, per_day, ...rest } = body as DeviceAddRequest
    if (kind === 'whatsapp') throw unfit('/kind', 'WhatsApp devices cannot be linked yet.')
    if (kind === 'simulated' && environment.name === 'production')
      throw unfit('/kind', 'Simulated phones exist only in staging.')
    if (code !== undefined && kind !== 'android') throw unfit('/code', 'Only Android devices have a code.')
    const added = await parts.store.enrol({
      environmentId: environment.id,
      kind,
      name: nameOf(name),
      phone: phoneOf(rest.phone ?? ''),
      perMinute: per_minute === undefined ? defaultPerMinute[kind] : per_minute,
      perDay: per_day ?? null,
    })
    const enrolment = kind === 'android' ? await invite(parts, added, code === true) : undefined
    const member = await find(parts, environment, added.id)
    return {
      success: true,
      data: { ...shown(member), ...(enrolment && { enrolment: shownEnrolment(enrolment) }) },
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
    return { success: true, data: shown(await find(parts, environment, device.id)) }
  }

export const enrolDevice =
  (parts: DeviceParts): Action<DeviceAddResponse> =>
  async ({ environment, params, body }) => {
    const member = await find(parts, environment, params.device_id!)
    if (member.device.kind !== 'android') throw unfit('', 'Only Android devices are connected this way.')
    const enrolment = await invite(parts, member.device, (body as EnrolmentRequest).code === true)
    return { success: true, data: { ...shown(member), enrolment: shownEnrolment(enrolment) } }
  }

export const removeDevice =
  (parts: DeviceParts): Action<RemovedResponse> =>
  async ({ environment, params }) => {
    const { device } = await find(parts, environment, params.device_id!)
    if (!(await parts.store.retire(device.id))) throw missing()
    await parts.refresh()
    return { success: true, data: { id: device.id } }
  }

const invite = ({ store, publicUrl, now }: DeviceParts, device: Device, withCode: boolean) =>
  inviteAndExplain(store, device, publicUrl(), withCode, now())

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

const unfit = (pointer: string, detail: string) =>
  new Problem('invalid_request', detail, { errors: [{ pointer, code: 'invalid', detail }] })

function nameOf(given: string): string {
  const name = given.trim()
  if (name === '') throw unfit('/name', 'name must not be empty.')
  return name
}

function phoneOf(given: string): string {
  const phone = given === '' ? '' : normaliseNumber(given)
  if (phone === undefined)
    throw unfit('/phone', 'phone must be in international format, such as +14155550123.')
  return phone
}
