/** The shapes of opt-outs and of forgetting people. */

import { type Static, Type } from '../../schema.ts'
import { cursorFields, nextCursor } from '../messages/schemas.ts'
import { closed, time, words } from '../shapes.ts'

const number = Type.String({
  examples: ['+15550101234'],
  description: 'A number in international format, such as +14155550123.',
})

const optOut = Type.Object(
  {
    number: Type.Union([
      Type.String({ description: 'Null once the person was forgotten: only a hash is left.' }),
      Type.Null(),
    ]),
    source: words(['message', 'api', 'command line'], 'message: a text such as STOP came from it.'),
    created_at: time('Since when.'),
  },
  { ...closed, title: 'OptOut' },
)

export const OptOutsQuery = Type.Object(
  { number: Type.Optional(Type.String({ description: 'Only this number.' })), ...cursorFields },
  { ...closed, title: 'OptOutsQuery' },
)
export type OptOutsQuery = Static<typeof OptOutsQuery>
export const OptOutsResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Array(optOut), next_cursor: nextCursor },
  { ...closed, title: 'OptOutsResponse' },
)
export type OptOutsResponse = Static<typeof OptOutsResponse>

export const OptOutRequest = Type.Object({ number }, { ...closed, title: 'OptOutRequest' })
export type OptOutRequest = Static<typeof OptOutRequest>
export const OptOutResponse = Type.Object(
  { success: Type.Boolean(), data: optOut },
  { ...closed, title: 'OptOutResponse' },
)
export type OptOutResponse = Static<typeof OptOutResponse>

export const OptInResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Object({ number: Type.String() }, closed) },
  { ...closed, title: 'OptInResponse' },
)
export type OptInResponse = Static<typeof OptInResponse>

export const ErasedResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object(
      {
        messages: Type.Integer({ description: 'Messages to the person that were blanked.' }),
        received: Type.Integer({ description: 'Messages from the person that were blanked.' }),
        files: Type.Integer({ description: 'Files of the person that were removed.' }),
      },
      closed,
    ),
  },
  { ...closed, title: 'ErasedResponse' },
)
export type ErasedResponse = Static<typeof ErasedResponse>
