/** The shapes of webhooks. */

import { eventTypes } from '../../../core/events/event.ts'
import { type Static, Type } from '../../schema.ts'
import { EventRecord } from '../events/schemas.ts'
import { cursorFields, nextCursor } from '../messages/schemas.ts'
import { closed, time, uuid, words } from '../shapes.ts'

const nullableTime = (description: string) => Type.Union([time(description), Type.Null()])

const url = Type.String({
  format: 'uri',
  minLength: 1,
  maxLength: 2_000,
  examples: ['https://example.org/hooks/basestation'],
  description: 'Where to post what happens: https, on the public internet.',
})
const types = Type.Union(
  [Type.Array(words(eventTypes, 'A type of event.'), { maxItems: 100 }), Type.Null()],
  { description: 'Only these types of events. When omitted or null: all of them.' },
)
const device = Type.Union([uuid('Only what concerns this device.'), Type.Null()])

export const WebhookAddRequest = Type.Object(
  { url, types: Type.Optional(types), device_id: Type.Optional(device) },
  { ...closed, title: 'WebhookAddRequest' },
)
export type WebhookAddRequest = Static<typeof WebhookAddRequest>

export const WebhookChangeRequest = Type.Object(
  {
    url: Type.Optional(url),
    types: Type.Optional(types),
    device_id: Type.Optional(device),
    enabled: Type.Optional(
      Type.Boolean({
        description: 'When enabled again, it receives new events only; replay the missed ones.',
      }),
    ),
  },
  { ...closed, title: 'WebhookChangeRequest' },
)
export type WebhookChangeRequest = Static<typeof WebhookChangeRequest>

const fields = {
  id: uuid('Identifier of the webhook.'),
  url: Type.String(),
  types: Type.Union([Type.Array(words(eventTypes, 'A type of event.')), Type.Null()]),
  device_id: Type.Union([Type.String(), Type.Null()]),
  enabled: Type.Boolean(),
  disabled_reason: Type.Union([
    words(
      ['switched_off', 'gone', 'failing'],
      'switched_off: by somebody. gone: it answered 410. failing: five days of nothing but failures.',
    ),
    Type.Null(),
  ]),
  failing_since: nullableTime('Since when nothing but failures came back.'),
  rests_until: nullableTime(
    'Deliveries are paused until then, after repeated failures or because of Retry-After.',
  ),
  previous_secret_until: nullableTime('Until then the secret before the present one signs too.'),
  created_at: time('When it was added.'),
}
export const WebhookRecord = Type.Object(fields, { ...closed, title: 'Webhook' })

export const WebhooksResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Array(WebhookRecord) },
  { ...closed, title: 'WebhooksResponse' },
)
export type WebhooksResponse = Static<typeof WebhooksResponse>
export const WebhookResponse = Type.Object(
  { success: Type.Boolean(), data: WebhookRecord },
  { ...closed, title: 'WebhookResponse' },
)
export type WebhookResponse = Static<typeof WebhookResponse>
export const WebhookSecretResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object(
      { ...fields, secret: Type.String({ description: 'What signatures are made with. Shown this once.' }) },
      { ...closed, title: 'WebhookWithSecret' },
    ),
  },
  { ...closed, title: 'WebhookSecretResponse' },
)
export type WebhookSecretResponse = Static<typeof WebhookSecretResponse>

export const RotateRequest = Type.Object(
  {
    overlap_hours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 720,
        default: 24,
        description: 'For how long the old secret signs too.',
      }),
    ),
  },
  { ...closed, title: 'RotateRequest' },
)
export type RotateRequest = Static<typeof RotateRequest>

const attempt = Type.Object(
  {
    at: time('When it was posted.'),
    duration_ms: Type.Integer(),
    url: Type.String(),
    status: Type.Union([Type.Integer({ description: 'What it answered; null: nothing.' }), Type.Null()]),
    answer: Type.String({ description: 'The beginning of its answer.' }),
    error: Type.Union([Type.String({ description: 'Why it does not count.' }), Type.Null()]),
  },
  { ...closed, title: 'DeliveryAttempt' },
)
const deliveryStates = ['pending', 'delivered', 'failed'] as const
const deliveryFields = {
  event_id: Type.String(),
  event_type: Type.Union([words(eventTypes, 'What happened.'), Type.Null()], {
    description: 'null once the event was removed.',
  }),
  state: words(deliveryStates, 'pending: it is tried again. failed: it is not.'),
  attempts: Type.Integer({ description: 'How often it was tried, since it was last replayed.' }),
  last_attempt_at: nullableTime('When it was last tried.'),
  next_attempt_at: nullableTime('When it is tried again.'),
  log: Type.Array(attempt, { description: 'The last attempts, oldest first.' }),
}

export const TestResponse = Type.Object(
  { success: Type.Boolean(), data: attempt },
  { ...closed, title: 'TestResponse' },
)
export type TestResponse = Static<typeof TestResponse>

export const DeliveriesQuery = Type.Object(
  { state: Type.Optional(words(deliveryStates, 'Only those in this state.')), ...cursorFields },
  { ...closed, title: 'DeliveriesQuery' },
)
export type DeliveriesQuery = Static<typeof DeliveriesQuery>
export const DeliveriesResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Array(Type.Object(deliveryFields, { ...closed, title: 'Delivery' })),
    next_cursor: nextCursor,
  },
  { ...closed, title: 'DeliveriesResponse' },
)
export type DeliveriesResponse = Static<typeof DeliveriesResponse>
export const DeliveryResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object(
      { ...deliveryFields, event: Type.Union([EventRecord, Type.Null()]) },
      {
        ...closed,
        title: 'DeliveryWithEvent',
        description: 'event is what is posted; null once it was removed.',
      },
    ),
  },
  { ...closed, title: 'DeliveryResponse' },
)
export type DeliveryResponse = Static<typeof DeliveryResponse>

export const ReplayRequest = Type.Object(
  {
    since: time('Everything that happened at or after this time is told again,'),
    until: Type.Optional(time('up to this time. When omitted: up to now.')),
  },
  { ...closed, title: 'ReplayRequest' },
)
export type ReplayRequest = Static<typeof ReplayRequest>

export const DoneResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Object({ id: Type.String() }, closed) },
  { ...closed, title: 'DoneResponse' },
)
export type DoneResponse = Static<typeof DoneResponse>
