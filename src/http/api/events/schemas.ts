/** The shapes of events. */

import { eventTypes } from '../../../core/events/event.ts'
import { type Static, Type } from '../../schema.ts'
import { closed, time, words } from '../shapes.ts'

const typeList = eventTypes.join(', ')

export const EventRecord = Type.Object(
  {
    id: Type.String({ description: 'The same in lists, in streams and at webhooks (webhook-id).' }),
    type: words(eventTypes, 'What happened. Ignore types you do not know.'),
    created_at: time('When it happened.'),
    sequence: Type.Union([
      Type.Integer({ description: 'Counts the events of one message, from 1, without gaps.' }),
      Type.Null(),
    ]),
    data: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'What it is about, in full: a message, a received message, a device.',
      },
    ),
  },
  { ...closed, title: 'Event' },
)

const interest = {
  types: Type.Optional(
    Type.String({ description: `Only these types, comma-separated. There are ${typeList}.` }),
  ),
  device_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only what concerns this device.' })),
}

export const EventsQuery = Type.Object(
  {
    ...interest,
    after: Type.Optional(
      Type.String({ description: 'Only what came after this event: next_cursor, or the id of an event.' }),
    ),
    cursor: Type.Optional(
      Type.String({ description: 'The same as after, under the name that other lists use.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 500, default: 100, description: 'Events a page.' }),
    ),
  },
  { ...closed, title: 'EventsQuery' },
)
export type EventsQuery = Static<typeof EventsQuery>

export const EventsResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Array(EventRecord),
    next_cursor: Type.String({
      description:
        'Give it as cursor, or after, to go on, now or later. A page may be short, even empty, and not the last.',
    }),
    has_more: Type.Boolean({ description: 'Whether more has happened already.' }),
  },
  { ...closed, title: 'EventsResponse' },
)
export type EventsResponse = Static<typeof EventsResponse>

export const StreamQuery = Type.Object(
  {
    ...interest,
    after: Type.Optional(
      Type.String({
        description:
          'Begin after this event; the header Last-Event-ID does the same. Without both it begins now.',
      }),
    ),
  },
  { ...closed, title: 'StreamQuery' },
)
export type StreamQuery = Static<typeof StreamQuery>
