/** The shapes on the wire: one schema each for checking, for answering and for the OpenAPI document. */

import { pageSize } from '../../core/inbox/received.ts'
import { mostRecipients } from '../../core/messages/gateway.ts'
import { statuses, validityMs } from '../../core/messages/message.ts'
import { problemCodes } from '../../core/problem.ts'
import { type Static, Type } from '../schema.ts'

export const closed = { additionalProperties: false }
export const uuid = (description: string) => Type.String({ format: 'uuid', description })
export const time = (description: string) => Type.String({ format: 'date-time', description })
export const words = <T extends string>(list: readonly T[], description: string) =>
  Type.Unsafe<T>({ type: 'string', enum: [...list], description })

export const draft = {
  message: Type.String({
    minLength: 1,
    description: 'Text of the message; the caption when media is attached.',
  }),
  device_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Device to use. When omitted, an online device is chosen.' }),
  ),
  media_url: Type.Optional(
    Type.String({
      format: 'uri',
      description:
        'Media file to attach, through WhatsApp devices only: PDF; JPEG, PNG, GIF, WebP; MP4, WebM; MP3, OGG, WAV; DOC, DOCX, TXT, ZIP. Staging ignores it on the single send.',
    }),
  ),
  ttl: Type.Optional(
    Type.Integer({
      minimum: validityMs.least / 1_000,
      maximum: validityMs.most / 1_000,
      description:
        'Seconds after which it is too late to hand the message to a device. Default: 24 hours, or default_ttl in the settings.',
    }),
  ),
  send_at: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'When to send it, at most 35 days ahead. ttl counts from then. When omitted, it is sent at once.',
    }),
  ),
  sim_slot: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 8,
      description: 'SIM to send from, counted from 1, on phones with several.',
    }),
  ),
}

export const SendRequest = Type.Object(
  {
    to: Type.String({
      examples: ['+15550101234'],
      description: 'Recipient in international format, such as +14155550123.',
    }),
    ...draft,
  },
  { ...closed, title: 'SendRequest' },
)
export type SendRequest = Static<typeof SendRequest>

/** Staging's single send ignores `media_url` unread, whatever it is. */
export const StagingSendRequest = Type.Object(
  { ...SendRequest.properties, media_url: Type.Optional(Type.Unknown()) },
  closed,
)

export const SendResponse = Type.Object(
  {
    success: Type.Boolean(),
    message_id: uuid('Identifier of the message.'),
    device_id: uuid('Device that will send it.'),
    status: words(
      ['queued', 'scheduled'],
      'queued: accepted and safely stored. scheduled: stored, and queued at send_at.',
    ),
    to: Type.String({ description: 'The recipient, normalised.' }),
    message: Type.String(),
    media_url: Type.Optional(Type.String({ description: 'Present when media was supplied.' })),
  },
  { ...closed, title: 'SendResponse' },
)
export type SendResponse = Static<typeof SendResponse>

export const BulkRequest = Type.Object(
  {
    recipients: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: mostRecipients,
      examples: [['+15550101234', '+15550105678']],
      description: 'Recipients in international format.',
    }),
    ...draft,
  },
  { ...closed, title: 'BulkRequest' },
)
export type BulkRequest = Static<typeof BulkRequest>

export const rejected = Type.Array(
  Type.Object(
    {
      index: Type.Integer({ description: 'Position in recipients, from 0.' }),
      to: Type.String(),
      code: words(
        ['invalid_recipient', 'duplicate_recipient', 'recipient_opted_out'],
        'Why it was not queued.',
      ),
      detail: Type.String(),
    },
    { ...closed, title: 'RejectedRecipient' },
  ),
  { description: 'What cannot be sent to.' },
)

export const BulkResponse = Type.Object(
  {
    success: Type.Boolean(),
    message_ids: Type.Array(uuid('Identifier of a message.'), {
      description: 'One for each accepted recipient, in their order.',
    }),
    device_id: uuid('Device that will send all of them.'),
    stats: Type.Object(
      {
        total: Type.Integer({ description: 'Recipients given.' }),
        valid: Type.Integer({ description: 'Recipients whose number is valid.' }),
        invalid: Type.Integer({ description: 'Recipients whose number was refused.' }),
        queued: Type.Integer({ description: 'Messages accepted.' }),
      },
      { ...closed, title: 'BulkStats' },
    ),
    rejected: Type.Optional(rejected),
  },
  { ...closed, title: 'BulkResponse' },
)
export type BulkResponse = Static<typeof BulkResponse>

export const StatusResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object(
      {
        message_id: uuid('Identifier of the message.'),
        status: words(statuses, 'Where the message is. Treat a value you do not know as not final.'),
        delivered_at: Type.Union([time('When delivery was reported.'), Type.Null()]),
        device_id: uuid('Device used for sending.'),
        error: Type.Optional(
          Type.Object(
            {
              code: Type.String({ description: 'Stable reason.' }),
              detail: Type.String({ description: 'The reason for people.' }),
              retryable: Type.Boolean({ description: 'Whether sending it again can help.' }),
            },
            { ...closed, description: 'Present when the message ended badly.' },
          ),
        ),
      },
      closed,
    ),
  },
  { ...closed, title: 'StatusResponse' },
)
export type StatusResponse = Static<typeof StatusResponse>

export const CancelResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object(
      { message_id: uuid('Identifier of the message.'), status: words(['canceled'], 'Always canceled.') },
      closed,
    ),
  },
  { ...closed, title: 'CancelResponse' },
)
export type CancelResponse = Static<typeof CancelResponse>

export const ReceivedQuery = Type.Object(
  {
    page: Type.Optional(
      Type.Integer({ minimum: 1, default: 1, description: `Page number; ${pageSize} items each.` }),
    ),
    device_id: Type.Optional(
      Type.String({ format: 'uuid', description: 'Only messages received by this device.' }),
    ),
    from: Type.Optional(Type.String({ description: 'Only messages from this sender.' })),
    since: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only messages received at or after this time.' }),
    ),
    until: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only messages received at or before this time.' }),
    ),
  },
  { ...closed, title: 'ReceivedQuery' },
)
export type ReceivedQuery = Static<typeof ReceivedQuery>

export const ReceivedMessage = Type.Object(
  {
    id: uuid('Identifier of the received message.'),
    from: Type.String({ description: "The sender's phone number or name." }),
    message: Type.String(),
    received_at: time('When the gateway stored it; never decreases in order of arrival.'),
    device_id: uuid('Device that received it.'),
    device_name: Type.String(),
    device_phone: Type.String(),
    type: words(['sms', 'mms', 'whatsapp'], 'Kind of message.'),
    metadata: Type.Object(
      {
        sim_slot: Type.Optional(Type.Integer({ description: 'SIM it came in on, counted from 1.' })),
        sent_at: Type.Optional(time("The time by the sender's or the phone's clock.")),
        media: Type.Optional(
          Type.Array(
            Type.Object(
              {
                id: uuid('Where to fetch it: /media/{id}.'),
                kind: words(['image', 'video', 'audio', 'document'], 'What it is.'),
                mime: Type.String(),
                size: Type.Integer({ description: 'Bytes.' }),
                filename: Type.Union([Type.String(), Type.Null()]),
              },
              { ...closed, title: 'Attachment' },
            ),
            { description: 'Attachments.' },
          ),
        ),
      },
      { additionalProperties: true },
    ),
  },
  { ...closed, title: 'ReceivedMessage' },
)

export const ReceivedResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Array(ReceivedMessage),
    pagination: Type.Object(
      {
        page: Type.Integer(),
        per_page: Type.Integer({ description: `Always ${pageSize}.` }),
        total: Type.Integer({ description: 'Matching messages.' }),
        total_pages: Type.Integer(),
        has_more: Type.Boolean({ description: 'Whether a later page exists.' }),
      },
      { ...closed, title: 'Pagination' },
    ),
  },
  { ...closed, title: 'ReceivedResponse' },
)
export type ReceivedResponse = Static<typeof ReceivedResponse>

export const ProblemResponse = Type.Object(
  {
    success: Type.Literal(false),
    type: Type.String({ format: 'uri', description: "Link to the error's description." }),
    title: Type.String(),
    status: Type.Integer(),
    code: words(problemCodes, 'Stable: decide by this.'),
    detail: Type.String({ description: 'For people; may change.' }),
    request_id: Type.String({ description: 'Also in X-Request-Id.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() }, closed),
        { description: 'Present where several things are wrong at once.' },
      ),
    ),
  },
  { ...closed, title: 'Problem' },
)
