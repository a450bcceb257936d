/** The shapes of devices on the wire. */

import { type AttentionCode, attentions } from '../../../core/devices/attention.ts'
import { signs } from '../../../core/devices/kinds/android-app.ts'
import { waysToAdd } from '../../../core/devices/kinds/kind.ts'
import { driverNames, kindNames } from '../../../core/devices/kinds/kinds.ts'
import { longestName } from '../../../core/lib/name.ts'
import { type Static, Type } from '../../schema.ts'
import { closed, time, uuid, words } from '../shapes.ts'

const limit = (description: string) =>
  Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: 1_000_000_000, description })
export const deviceName = Type.String({
  minLength: 1,
  maxLength: longestName,
  description: 'What to call it.',
})
export const devicePhone = Type.String({
  maxLength: 30,
  description: 'Its number in international format; may be empty.',
})
const perMinute = limit('SMS parts it may be handed in any 60 seconds; null: no limit.')
const perDay = limit('SMS parts it may be handed on one day (UTC); null: no limit.')

const seconds = (description: string) => Type.Number({ minimum: 0, maximum: 3_600, description })
const safetyFields = {
  gap_least_seconds: seconds('Minimum of the random pause between two messages.'),
  gap_most_seconds: seconds('Maximum of the random pause between two messages.'),
  new_chats_per_day: limit('People it may write to for the first time on one day (UTC); null: no limit.'),
  warm_up_days: Type.Integer({
    minimum: 0,
    maximum: 365,
    description: 'For so many days after it was added it sends less, and more each day.',
  }),
}
const count = (description: string) => Type.Unsafe<number | null>({ type: ['integer', 'null'], description })
const safety = Type.Object(
  {
    ...safetyFields,
    warm_up_ends_at: Type.Union([time('When it may send as usual; null: it may now.'), Type.Null()]),
    messages_left_today: count('Messages it may still send today (UTC); null: no limit.'),
    new_chats_left_today: count('People it may still write to for the first time today; null: no limit.'),
    new_chats_paused_until: Type.Union([
      time('Until then WhatsApp lets it begin no new chats.'),
      Type.Null(),
    ]),
    rests_until: Type.Union([time('When it sends the next message, at the earliest.'), Type.Null()]),
  },
  {
    ...closed,
    title: 'DeviceSafety',
    description: 'How carefully it sends, so that it is not blocked. Only for WhatsApp numbers.',
  },
)

const sign = words(signs, 'Something that shows that a phone is connected.')
const connection = Type.Object(
  {
    registered_at: Type.Union([time('When the phone registered last; null: not yet.'), Type.Null()]),
    signs: Type.Array(sign, {
      description:
        'What is known about the phone now. app: its version is supported. event_stream: it is notified of new messages immediately. settings: it has fetched its settings since it registered.',
    }),
  },
  {
    ...closed,
    title: 'DeviceConnection',
    description: 'How far the phone has come in connecting. Only for Android devices.',
  },
)

const abilities = Type.Object(
  {
    title: Type.String({ description: 'What people call it.' }),
    added_by: words(
      waysToAdd,
      'How one is added and connected again. name: at once. enrolment: by an app on a phone. linking: to a phone, with POST /links. credentials: those of WhatsApp’s official API.',
    ),
    counts: words(['sms_parts', 'messages'], 'What its limits count.'),
    longest_text: Type.Integer({
      description: 'Longest text: SMS parts where counts is sms_parts, characters where it is messages.',
    }),
    media: Type.Boolean({ description: 'It can send media.' }),
    longest_caption: count('Longest text with media, in characters; null: it cannot send media.'),
    fixed_number: Type.Boolean({
      description: 'Its number is what its network says, and cannot be changed.',
    }),
  },
  { ...closed, title: 'DeviceAbilities', description: 'What devices of this kind can do.' },
)

const DeviceKind = Type.Object(
  {
    kind: words(kindNames(), 'What it is.'),
    driver: Type.Optional(words(driverNames(), 'How it is reached.')),
    about: Type.String({ description: 'For somebody who chooses.' }),
    abilities,
  },
  { ...closed, title: 'DeviceKind' },
)

const device = {
  id: uuid('Identifier of the device.'),
  name: Type.String(),
  kind: words(kindNames(), 'What it is.'),
  phone: Type.String({ description: 'Its number; empty when unknown.' }),
  driver: Type.Optional(
    words(driverNames(), 'How a WhatsApp number is reached: linked to a phone, or over the official API.'),
  ),
  status: words(['online', 'offline'], 'Whether it can be reached.'),
  paused: Type.Boolean({ description: 'It is handed no messages.' }),
  draining: Type.Boolean({ description: 'It finishes what waits for it, and is given nothing new.' }),
  per_minute: perMinute,
  per_day: perDay,
  left_today: count('SMS parts, or WhatsApp messages, it may still be handed today (UTC); null: no limit.'),
  waiting: Type.Integer({ description: 'Messages that wait for it.' }),
  attention: Type.Array(
    Type.Object(
      {
        code: words(Object.keys(attentions) as AttentionCode[], 'Stable reason.'),
        detail: Type.String({ description: 'What is wrong and what to do, for people.' }),
        command: Type.Optional(
          Type.String({ description: 'What to run on the gateway’s machine, where that mends it.' }),
        ),
      },
      { ...closed, title: 'DeviceAttention' },
    ),
    { description: 'What somebody should look at; empty when all is well.' },
  ),
  abilities,
  connection: Type.Optional(connection),
  safety: Type.Optional(safety),
  about: Type.Object(
    {
      app_version: Type.Optional(Type.String()),
      model: Type.Optional(Type.String()),
      battery_percent: Type.Optional(Type.Integer()),
      charging: Type.Optional(Type.Boolean()),
      phone_number_id: Type.Optional(Type.String({ description: 'Meta’s id of the number.' })),
      sims: Type.Optional(
        Type.Array(
          Type.Object(
            {
              slot: Type.Integer({ description: 'Counted from 1, as in sim_slot.' }),
              number: Type.Union([Type.String(), Type.Null()]),
              carrier: Type.Union([Type.String(), Type.Null()]),
            },
            { ...closed, title: 'Sim' },
          ),
        ),
      ),
    },
    { ...closed, description: 'What the device says about itself.' },
  ),
  seen_at: Type.Union([time('When it was last heard of, to half a minute.'), Type.Null()]),
  created_at: time('When it was added.'),
}
export const Device = Type.Object(device, { ...closed, title: 'Device' })
export type DeviceShape = Static<typeof Device>

const enrolment = Type.Object(
  {
    url: Type.String({ description: 'Address to type into the app.' }),
    token: Type.String({ description: 'Private token to type into the app; shown only this once.' }),
    code: Type.Union([Type.String({ description: 'One-time code, digits only.' }), Type.Null()]),
    code_expires_at: Type.Union([time('When the code ends.'), Type.Null()]),
    steps: Type.Array(Type.String(), { description: 'What to do on the phone, step by step.' }),
    shown_by: Type.Array(Type.Union([sign, Type.Null()]), {
      description: 'For each step the sign in `connection` that shows it done; null: only people can see it.',
    }),
    warning: Type.Union([
      Type.String({ description: 'Why the address cannot work, or what it needs.' }),
      Type.Null(),
    ]),
  },
  { ...closed, title: 'Enrolment', description: 'How to connect the phone. Only for Android devices.' },
)

const secret = (description: string) => Type.String({ minLength: 1, maxLength: 2_000, description })
const accessToken = secret('Token of a system user, which does not expire.')
const appSecret = secret('The app’s secret, with which Meta signs its webhooks.')

export const DeviceAddRequest = Type.Object(
  {
    kind: words(kindNames(), 'What it is. Simulated ones exist only in staging.'),
    name: deviceName,
    phone: Type.Optional(devicePhone),
    per_minute: Type.Optional(perMinute),
    per_day: Type.Optional(perDay),
    driver: Type.Optional(
      words(driverNames(), 'Of a WhatsApp number; a linked one is added with POST /links.'),
    ),
    cloud: Type.Optional(
      Type.Object(
        {
          phone_number_id: Type.String({ pattern: '^[0-9]{5,30}$', description: 'Meta’s id of the number.' }),
          access_token: accessToken,
          app_secret: appSecret,
        },
        { ...closed, description: 'What the official API needs.' },
      ),
    ),
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
    name: Type.Optional(deviceName),
    phone: Type.Optional(devicePhone),
    per_minute: Type.Optional(perMinute),
    per_day: Type.Optional(perDay),
    paused: Type.Optional(Type.Boolean()),
    draining: Type.Optional(Type.Boolean()),
    cloud: Type.Optional(
      Type.Object(
        { access_token: Type.Optional(accessToken), app_secret: Type.Optional(appSecret) },
        { ...closed, description: 'New secrets of a number of the official API.' },
      ),
    ),
    safety: Type.Optional(
      Type.Partial(Type.Object(safetyFields), {
        ...closed,
        description: 'How carefully it sends. Only for WhatsApp numbers.',
      }),
    ),
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

export const DeviceKindsResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Array(DeviceKind) },
  { ...closed, title: 'DeviceKindsResponse' },
)
export type DeviceKindsResponse = Static<typeof DeviceKindsResponse>

export const DeviceResponse = Type.Object(
  { success: Type.Boolean(), data: Device },
  { ...closed, title: 'DeviceResponse' },
)
export type DeviceResponse = Static<typeof DeviceResponse>

const webhook = Type.Object(
  {
    url: Type.String({ description: 'Callback URL to enter in Meta’s app dashboard.' }),
    verify_token: Type.String({ description: 'Verify token to enter there; shown only this once.' }),
  },
  { ...closed, description: 'Only for numbers of the official API.' },
)

export const DeviceAddResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object(
      { ...device, enrolment: Type.Optional(enrolment), webhook: Type.Optional(webhook) },
      { ...closed, title: 'AddedDevice' },
    ),
  },
  { ...closed, title: 'DeviceAddResponse' },
)
export type DeviceAddResponse = Static<typeof DeviceAddResponse>

export const RemovedResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Object({ id: uuid('What was removed.') }, closed) },
  { ...closed, title: 'RemovedResponse' },
)
export type RemovedResponse = Static<typeof RemovedResponse>
