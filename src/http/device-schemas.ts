/** The shapes of devices on the wire. */

import { type Static, Type } from 'typebox'
import { type AttentionCode, attentions, deviceKinds } from '../core/device.ts'
import { closed, time, uuid, words } from './schemas.ts'

const limit = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: 1_000_000_000, description })
const name = Type.String({ minLength: 1, maxLength: 100, description: 'What to call it.' })
const phone = Type.String({ maxLength: 30, description: 'Its number in international format; may be empty.' })
const perMinute = limit('SMS parts it may be handed in any 60 seconds; null: no limit.')
const perDay = limit('SMS parts it may be handed on one day (UTC); null: no limit.')

const device = {
  id: uuid('Identifier of the device.'),
  name: Type.String(),
  kind: words(deviceKinds, 'What it is.'),
  phone: Type.String({ description: 'Its number; empty when unknown.' }),
  status: words(['online', 'offline'], 'Whether it can be reached.'),
  paused: Type.Boolean({ description: 'It is handed no messages.' }),
  per_minute: perMinute,
  per_day: perDay,
  waiting: Type.Integer({ description: 'Messages that wait for it.' }),
  attention: Type.Array(
    Type.Object(
      {
        code: words(Object.keys(attentions) as AttentionCode[], 'Stable reason.'),
        detail: Type.String({ description: 'What is wrong and what to do, for people.' }),
      },
      closed,
    ),
    { description: 'What somebody should look at; empty when all is well.' },
  ),
  about: Type.Object(
    {
      app_version: Type.Optional(Type.String()),
      model: Type.Optional(Type.String()),
      battery_percent: Type.Optional(Type.Integer()),
      charging: Type.Optional(Type.Boolean()),
      sims: Type.Optional(
        Type.Array(
          Type.Object(
            {
              slot: Type.Integer({ description: 'Counted from 1, as in sim_slot.' }),
              number: Type.Union([Type.String(), Type.Null()]),
              carrier: Type.Union([Type.String(), Type.Null()]),
            },
            closed,
          ),
        ),
      ),
    },
    { ...closed, description: 'What the device says about itself.' },
  ),
  seen_at: Type.Union([time('When it was last heard of, to half a minute.'), Type.Null()]),
  created_at: time('When it was added.'),
}
const Device = Type.Object(device, closed)
export type DeviceShape = Static<typeof Device>

const enrolment = Type.Object(
  {
    url: Type.String({ description: 'Address to type into the app.' }),
    token: Type.String({ description: 'Private token to type into the app; shown only this once.' }),
    code: Type.Union([Type.String({ description: 'One-time code, digits only.' }), Type.Null()]),
    code_expires_at: Type.Union([time('When the code ends.'), Type.Null()]),
    steps: Type.Array(Type.String(), { description: 'What to do on the phone, step by step.' }),
    warning: Type.Union([
      Type.String({ description: 'Why the address cannot work, or what it needs.' }),
      Type.Null(),
    ]),
  },
  { ...closed, description: 'How to connect the phone. Only for Android devices.' },
)

export const DeviceAddRequest = Type.Object(
  {
    kind: words(deviceKinds, 'What it is. Simulated ones exist only in staging.'),
    name,
    phone: Type.Optional(phone),
    per_minute: Type.Optional(perMinute),
    per_day: Type.Optional(perDay),
    code: Type.Optional(
      Type.Boolean({
        default: true,
        description: 'Whether to make a one-time code too, for Android devices.',
      }),
    ),
  },
  { ...closed, title: 'DeviceAddRequest' },
)
export type DeviceAddRequest = Static<typeof DeviceAddRequest>

export const DeviceChangeRequest = Type.Object(
  {
    name: Type.Optional(name),
    phone: Type.Optional(phone),
    per_minute: Type.Optional(perMinute),
    per_day: Type.Optional(perDay),
    paused: Type.Optional(Type.Boolean()),
  },
  { ...closed, title: 'DeviceChangeRequest' },
)
export type DeviceChangeRequest = Static<typeof DeviceChangeRequest>

export const EnrolmentRequest = Type.Object(
  {
    code: Type.Optional(Type.Boolean({ default: true, description: 'Whether to make a one-time code too.' })),
  },
  { ...closed, title: 'EnrolmentRequest' },
)
export type EnrolmentRequest = Static<typeof EnrolmentRequest>

export const DevicesResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Array(Device) },
  { ...closed, title: 'DevicesResponse' },
)
export type DevicesResponse = Static<typeof DevicesResponse>

export const DeviceResponse = Type.Object(
  { success: Type.Boolean(), data: Device },
  { ...closed, title: 'DeviceResponse' },
)
export type DeviceResponse = Static<typeof DeviceResponse>

export const DeviceAddResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object({ ...device, enrolment: Type.Optional(enrolment) }, closed),
  },
  { ...closed, title: 'DeviceAddResponse' },
)
export type DeviceAddResponse = Static<typeof DeviceAddResponse>

export const RemovedResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Object({ id: uuid('What was removed.') }, closed) },
  { ...closed, title: 'RemovedResponse' },
)
export type RemovedResponse = Static<typeof RemovedResponse>
