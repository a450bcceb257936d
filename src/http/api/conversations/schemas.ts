/** The shapes of conversations. */

import { type Static, Type } from '../../schema.ts'
import { cursorFields, MessageRecord, nextCursor } from '../messages/schemas.ts'
import { closed, ReceivedMessage, words } from '../shapes.ts'

const conversation = Type.Object(
  {
    person: Type.String({ description: 'A number, or the name of a sender that has none.' }),
    unread: Type.Integer({ description: 'Messages of theirs that nobody has seen.' }),
    last: ReceivedMessage,
  },
  { ...closed, title: 'Conversation' },
)

export const ConversationsQuery = Type.Object(
  {
    unread: Type.Optional(words(['true'], 'Only those with something nobody has seen.')),
    contains: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Only those with this in their number, name or newest text.',
      }),
    ),
    ...cursorFields,
  },
  { ...closed, title: 'ConversationsQuery' },
)
export type ConversationsQuery = Static<typeof ConversationsQuery>

export const ConversationsResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Array(conversation),
    unread: Type.Integer({ description: 'How many conversations have something unseen, counted up to 100.' }),
    next_cursor: nextCursor,
  },
  { ...closed, title: 'ConversationsResponse' },
)
export type ConversationsResponse = Static<typeof ConversationsResponse>

export const ThreadQuery = Type.Object(cursorFields, { ...closed, title: 'ThreadQuery' })
export type ThreadQuery = Static<typeof ThreadQuery>

export const ThreadResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Array(
      Type.Object(
        {
          sent: Type.Optional(MessageRecord),
          received: Type.Optional(ReceivedMessage),
        },
        { ...closed, title: 'ThreadEntry', description: 'One of both.' },
      ),
    ),
    opted_out: Type.Boolean({ description: 'Whether the person wants no messages.' }),
    next_cursor: nextCursor,
  },
  { ...closed, title: 'ThreadResponse' },
)
export type ThreadResponse = Static<typeof ThreadResponse>

export const ConversationReadResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Object({ person: Type.String() }, closed) },
  { ...closed, title: 'ConversationReadResponse' },
)
export type ConversationReadResponse = Static<typeof ConversationReadResponse>
