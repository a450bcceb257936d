/** The shapes of messages in full: in lists, with their story, and in events. */

import { statuses } from '../../../core/messages/message.ts'
import { type Static, Type } from '../../schema.ts'
import { closed, time, uuid, words } from '../shapes.ts'

const nullable = {
  time: (description: string) => Type.Union([time(description), Type.Null()]),
  text: (description: string) => Type.Union([Type.String({ description }), Type.Null()]),
}

export const failure = Type.Object(
  {
    code: Type.String({ description: 'Stable reason.' }),
    detail: Type.String({ description: 'What it means, and what to do about it.' }),
    retryable: Type.Boolean({ description: 'Whether sending it again can help.' }),
  },
  { ...closed, title: 'MessageError' },
)

const fields = {
  message_id: uuid('Identifier of the message.'),
  batch_id: Type.Union([uuid('The bulk request it came with.'), Type.Null()]),
  device_id: uuid('Device that sends it.'),
  status: words(statuses, 'Where the message is. Treat a value you do not know as not final.'),
  to: Type.String({ description: 'The recipient; empty once the person was forgotten.' }),
  message: Type.String({ description: 'The text; empty once it was forgotten.' }),
  media_url: nullable.text('The media file that goes with it.'),
  sim_slot: Type.Union([Type.Integer({ description: 'SIM it is sent from.' }), Type.Null()]),
  segments: Type.Integer({ description: 'SMS segments; 1 for anything that is not an SMS.' }),
  attempts: Type.Integer({ description: 'How often it was handed to a device.' }),
  created_at: time('When it was accepted.'),
  send_at: nullable.time('When it is to be sent, if it was scheduled.'),
  expires_at: time('After this it is too late to hand it to a device.'),
  sent_at: nullable.time('When the network took it.'),
  delivered_at: nullable.time('When delivery was reported.'),
  read_at: nullable.time('When it was read.'),
  error: Type.Union([failure, Type.Null()]),
}
export const MessageRecord = Type.Object(fields, { ...closed, title: 'Message' })

/** In lists the name of the device is told too, also of one that was removed. */
const ListedMessage = Type.Object(
  { ...fields, device_name: Type.String({ description: 'The name of the device; empty: not known.' }) },
  { ...closed, title: 'ListedMessage' },
)
export type MessageRecord = Static<typeof MessageRecord>

export const cursorFields = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 25, description: 'Items a page.' })),
  cursor: Type.Optional(Type.String({ description: 'next_cursor of the page before.' })),
}
export const nextCursor = Type.Union([
  Type.String({
    description: 'Where the next page begins. A page may be short, even empty, and not the last.',
  }),
  Type.Null(),
])

export const MessagesQuery = Type.Object(
  {
    status: Type.Optional(words(statuses, 'Only messages in this state.')),
    device_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only messages of this device.' })),
    to: Type.Optional(Type.String({ description: 'Only messages to this number.' })),
    batch_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Only messages of this bulk request.' }),
    ),
    contains: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Only messages with this in their text, in large or small letters.',
      }),
    ),
    since: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only messages accepted at or after this time.' }),
    ),
    until: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only messages accepted at or before this time.' }),
    ),
    ...cursorFields,
  },
  { ...closed, title: 'MessagesQuery' },
)
export type MessagesQuery = Static<typeof MessagesQuery>

export const MessagesResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Array(ListedMessage), next_cursor: nextCursor },
  { ...closed, title: 'MessagesResponse' },
)
export type MessagesResponse = Static<typeof MessagesResponse>

const deviceName = Type.Object({ id: uuid('The device.'), name: Type.String() }, closed)
const explained = Type.Object({ code: Type.String(), detail: Type.String() }, closed)

const timelineEntry = Type.Object(
  {
    sequence: Type.Integer({ description: 'Counts the events of the message, from 1, without gaps.' }),
    status: words(statuses, 'The state it came to.'),
    at: time('When the gateway learned of it.'),
    device: Type.Union([deviceName, Type.Null()]),
    device_at: nullable.time("When it happened, by the device's clock."),
    attempt: Type.Optional(Type.Integer({ description: 'Which hand-over to a device this was.' })),
    reason: Type.Optional(explained),
    from_device: Type.Optional(deviceName),
    chosen: Type.Optional(
      Type.Object(
        {
          code: Type.String(),
          detail: Type.String(),
          passed_over: Type.Array(
            Type.Object({ device: deviceName, code: Type.String(), detail: Type.String() }, closed),
          ),
        },
        { ...closed, description: 'Why this device was chosen, and why others were not.' },
      ),
    ),
    error: Type.Optional(
      Type.Object(
        {
          ...failure.properties,
          raw: Type.Optional(Type.String({ description: 'What the network or the device said itself.' })),
        },
        closed,
      ),
    ),
  },
  { ...closed, title: 'TimelineEntry' },
)

export const MessageResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object(
      { ...fields, timeline: Type.Array(timelineEntry, { description: 'What happened to it, in order.' }) },
      { ...closed, title: 'MessageWithTimeline' },
    ),
  },
  { ...closed, title: 'MessageResponse' },
)
export type MessageResponse = Static<typeof MessageResponse>
