/** Devices over the API: list, add, change, connect, remove. */

import type { Device } from '../../../core/devices/device.ts'
import { askedKind, checkChange, checkCode, phoneOf } from '../../../core/devices/device-rules.ts'
import * as enrolment from '../../../core/devices/enrolment.ts'
import { type Fleet, newcomer } from '../../../core/devices/fleet.ts'
import { allKinds, kindOf } from '../../../core/devices/kinds/kinds.ts'
import type { Safety } from '../../../core/devices/sending-safety.ts'
import type { Environment } from '../../../core/environment.ts'
import type { Keep } from '../../../core/idempotency.ts'
import { nameOf } from '../../../core/lib/name.ts'
import type { Candidate } from '../../../core/messages/choose.ts'
import { invalid, Problem } from '../../../core/problem.ts'
import type { Store } from '../../../core/store.ts'
import { shownDevice, shownEnrolment, shownKind } from '../../../core/wire/device.ts'
import type { Action, ApiRequest } from '../route.ts'
import type {
  DeviceAddRequest,
  DeviceAddResponse,
  DeviceChangeRequest,
  DeviceKindsResponse,
  DeviceResponse,
  DevicesResponse,
  EnrolmentRequest,
  RemovedResponse,
} from './schemas.ts'

export type DeviceParts = {
  store: Pick<Store, 'enrol' | 'change' | 'retire' | 'invite'>
  fleet: Pick<Fleet, 'candidates' | 'member'>
  /** Looks at the devices again, now. */
  refresh: () => Promise<void>
  /** Adds a number of WhatsApp's official API, once it was found good. */
  addCloud: (
    draft: { environmentId: number; name: string },
    credentials: { phoneNumberId: string; accessToken: string; appSecret: string },
    remember: (addedOf: (device: Device) => AddedNumber) => Keep<Device> | undefined,
  ) => Promise<AddedNumber>
  renewCloud: (device: Device, renewed: { accessToken?: string; appSecret?: string }) => Promise<void>
  publicUrl: () => string
  now: () => number
}

type AddedNumber = { device: Device; webhook: { url: string; verifyToken: string } }

export const devices =
  ({ fleet, refresh, now }: DeviceParts): Action<DevicesResponse> =>
  async ({ environment }) => {
    await refresh()
    return { success: true, data: fleet.candidates(environment.id).map(one => shownDevice(one, now())) }
  }

export const device =
  (parts: DeviceParts): Action<DeviceResponse> =>
  async ({ environment, params }) => ({
    success: true,
    data: shownDevice(await find(parts, environment, params.device_id!), parts.now()),
  })

export const deviceKinds: Action<DeviceKindsResponse> = async ({ environment }) => ({
  success: true,
  data: allKinds.filter(({ environments }) => environments.includes(environment.name)).map(shownKind),
})

export const addDevice =
  (parts: DeviceParts): Action<DeviceAddResponse> =>
  async request => {
    const { environment, body, keep } = request
    const { kind, name, phone = '', code, per_minute, per_day, driver, cloud } = body as DeviceAddRequest
    const asked = askedKind(kind, driver, environment.name)
    if (cloud && asked.addedBy !== 'credentials')
      throw invalid('/cloud', 'Only WhatsApp numbers with the driver cloud have these.')
    if (asked.addedBy === 'credentials') return await addCloud(parts, request, name, cloud)
    if (asked.addedBy === 'linking')
      throw invalid(
        '/kind',
        'A WhatsApp number is added by linking it: POST /links. With the driver cloud it uses the official API.',
      )
    checkCode(asked, code)
    const draft = {
      environmentId: environment.id,
      kind,
      name: nameOf(name),
      phone: phoneOf(phone),
      ...(per_minute !== undefined && { perMinute: per_minute }),
      ...(per_day !== undefined && { perDay: per_day }),
    }
    const shown = (member: Candidate, way: enrolment.Enrolment | undefined) => ({
      success: true,
      data: { ...shownDevice(member, parts.now()), ...(way && { enrolment: shownEnrolment(way) }) },
    })
    const added = await enrolment.addDevice(partsOf(parts), draft, code !== false, addedOf =>
      keep(device => shown(newcomer(device), addedOf(device).enrolment)),
    )
    return shown(await find(parts, environment, added.device.id), added.enrolment)
  }

async function addCloud(
  parts: DeviceParts,
  { environment, keep }: ApiRequest,
  name: string,
  cloud: DeviceAddRequest['cloud'],
): Promise<DeviceAddResponse> {
  if (!cloud)
    throw invalid('/cloud', 'The official API needs cloud: phone_number_id, access_token, app_secret.')
  const { phone_number_id: phoneNumberId, access_token: accessToken, app_secret: appSecret } = cloud
  const shown = (member: Candidate, { url, verifyToken }: AddedNumber['webhook']) => ({
    success: true,
    data: { ...shownDevice(member, parts.now()), webhook: { url, verify_token: verifyToken } },
  })
  const { device, webhook } = await parts.addCloud(
    { environmentId: environment.id, name: nameOf(name) },
    { phoneNumberId, accessToken, appSecret },
    addedOf => keep(device => shown(newcomer(device), addedOf(device).webhook)),
  )
  return shown(await find(parts, environment, device.id), webhook)
}

export const changeDevice =
  (parts: DeviceParts): Action<DeviceResponse> =>
  async ({ environment, params, body }) => {
    const { device } = await find(parts, environment, params.device_id!)
    const { name, phone, per_minute, per_day, paused, draining, cloud, safety } = body as DeviceChangeRequest
    const change = {
      ...(name !== undefined && { name: nameOf(name) }),
      ...(phone !== undefined && { phone: phoneOf(phone) }),
      ...(per_minute !== undefined && { perMinute: per_minute }),
      ...(per_day !== undefined && { perDay: per_day }),
      ...(paused !== undefined && { paused }),
      ...(draining !== undefined && { draining }),
      ...(safety && { safety: safetyFrom(safety) }),
    }
    checkChange(device, change)
    if (cloud)
      await parts.renewCloud(device, {
        ...(cloud.access_token !== undefined && { accessToken: cloud.access_token }),
        ...(cloud.app_secret !== undefined && { appSecret: cloud.app_secret }),
      })
    const changed = await parts.store.change(device, change)
    if (!changed) throw missing()
    return { success: true, data: shownDevice(await find(parts, environment, device.id), parts.now()) }
  }

export const enrolDevice =
  (parts: DeviceParts): Action<DeviceAddResponse> =>
  async ({ environment, params, body, keep }) => {
    const member = await find(parts, environment, params.device_id!)
    if (kindOf(member.device).addedBy !== 'enrolment')
      throw invalid('', 'Only Android devices are connected this way.')
    const withCode = (body as EnrolmentRequest).code !== false
    const shown = (way: enrolment.Enrolment) => ({
      success: true,
      data: { ...shownDevice(member, parts.now()), enrolment: shownEnrolment(way) },
    })
    const invitation = await enrolment.inviteAndExplain(partsOf(parts), member.device, withCode, way =>
      keep(isInvited => (isInvited ? shown(way) : undefined)),
    )
    return shown(invitation)
  }

export const removeDevice =
  (parts: DeviceParts): Action<RemovedResponse> =>
  async ({ environment, params }) => {
    const { device } = await find(parts, environment, params.device_id!)
    if (!(await parts.store.retire(device))) throw missing()
    await parts.refresh()
    return { success: true, data: { id: device.id } }
  }

const partsOf = ({ store, publicUrl, now }: DeviceParts) => ({ store, publicUrl: publicUrl(), now: now() })

/** As it is now: another process may have changed it. */
export async function find(
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

const safetyFrom = (given: NonNullable<DeviceChangeRequest['safety']>): Partial<Safety> => ({
  ...(given.gap_least_seconds !== undefined && { gapLeast: given.gap_least_seconds }),
  ...(given.gap_most_seconds !== undefined && { gapMost: given.gap_most_seconds }),
  ...(given.new_chats_per_day !== undefined && { newChatsPerDay: given.new_chats_per_day }),
  ...(given.warm_up_days !== undefined && { warmUpDays: given.warm_up_days }),
})
