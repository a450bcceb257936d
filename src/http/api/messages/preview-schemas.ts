/** The shapes of previews on the wire. */

import { kindNames } from '../../../core/devices/kinds/kinds.ts'
import { type Static, Type } from '../../schema.ts'
import { closed, draft, rejected, uuid, words } from '../shapes.ts'

export const PreviewRequest = Type.Object(
  {
    to: Type.Optional(Type.String({ description: 'One recipient; or recipients.' })),
    recipients: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 100 })),
    message: draft.message,
    texts: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: 100,
        description: 'Other texts whose length as an SMS is to be told, in the same order.',
      }),
    ),
    device_id: draft.device_id,
    media_url: draft.media_url,
    send_at: draft.send_at,
    ttl: draft.ttl,
    sim_slot: draft.sim_slot,
  },
  { ...closed, title: 'PreviewRequest' },
)
export type PreviewRequest = Static<typeof PreviewRequest>

export const PreviewResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object(
      {
        recipients: Type.Array(Type.String(), { description: 'Who would get it, normalised.' }),
        rejected,
        characters: Type.Integer({ description: 'Length of the text, as JavaScript counts.' }),
        encoding: words(['GSM-7', 'UCS-2'], 'How an SMS would be written.'),
        segments: Type.Integer({ description: 'Parts that each SMS would have.' }),
        texts: Type.Optional(
          Type.Array(
            Type.Object(
              {
                segments: Type.Integer({ description: 'Parts that it would have as an SMS.' }),
                encoding: words(['GSM-7', 'UCS-2'], 'How it would be written.'),
              },
              closed,
            ),
          ),
        ),
        culprit: Type.Union([
          Type.String({ description: 'The first character that forces UCS-2.' }),
          Type.Null(),
        ]),
        device: Type.Union([
          Type.Object(
            {
              id: uuid('The device that would send it.'),
              name: Type.String(),
              kind: words(kindNames(), 'What it is.'),
            },
            closed,
          ),
          Type.Null(),
        ]),
        expected_seconds: Type.Union([
          Type.Integer({ description: 'Until the last message is handed to the device. An estimate.' }),
          Type.Null(),
        ]),
        problem: Type.Union([
          Type.Object(
            {
              code: Type.String({ description: 'What a send would be refused with.' }),
              detail: Type.String(),
            },
            closed,
          ),
          Type.Null(),
        ]),
      },
      { ...closed, title: 'Preview' },
    ),
  },
  { ...closed, title: 'PreviewResponse' },
)
export type PreviewResponse = Static<typeof PreviewResponse>
