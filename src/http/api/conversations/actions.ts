/** Conversations over the API: who wrote, and what was said with each of them. */

import type { ThreadPlace } from '../../../core/inbox/conversation.ts'
import type { Store } from '../../../core/store.ts'
import { shownMessage, shownReceived } from '../../../core/wire/message.ts'
import { cursorOf, isNumber, placeOf } from '../cursor.ts'
import { senderOf } from '../query.ts'
import type { Action } from '../route.ts'
import type {
  ConversationReadResponse,
  ConversationsQuery,
  ConversationsResponse,
  ThreadQuery,
  ThreadResponse,
} from './schemas.ts'

type Conversing = Pick<
  Store,
  'conversations' | 'unreadConversations' | 'thread' | 'readConversation' | 'optedOut'
>

const usualLimit = 25
const mostUnread = 100

export const conversations =
  (store: Conversing): Action<ConversationsResponse> =>
  async ({ environment, query }) => {
    const { unread, contains, limit = usualLimit, cursor } = query as ConversationsQuery
    const beforeSeq = placeOf(cursor, isNumber)
    const { items, next } = await store.conversations(environment.id, {
      limit,
      unread: unread === 'true',
      ...(beforeSeq !== undefined && { beforeSeq }),
      ...(contains !== undefined && { contains, ...(numberIn(contains) && { number: numberIn(contains)! }) }),
    })
    return {
      success: true,
      data: items.map(one => ({ person: one.person, unread: one.unread, last: shownReceived(one.last) })),
      unread: await store.unreadConversations(environment.id, mostUnread),
      next_cursor: next === null ? null : cursorOf(next),
    }
  }

/** Numbers are looked for however people write them. */
const numberIn = (text: string) => (/^[+\d\s().-]+$/.test(text) ? text.replace(/[\s().-]/g, '') : undefined)

export const thread =
  (store: Conversing): Action<ThreadResponse> =>
  async ({ environment, key, params, query }) => {
    const { limit = usualLimit, cursor } = query as ThreadQuery
    const below = placeOf(cursor, isThreadPlace)
    const person = personOf(params.person!)
    const [{ entries, next }, out] = await Promise.all([
      store.thread(environment.id, person, {
        limit,
        ...(below && { below }),
        withSent: key.scopes.includes('messages:read'),
      }),
      store.optedOut(environment.id, [person]),
    ])
    return {
      success: true,
      data: entries.map(entry =>
        'message' in entry
          ? { sent: shownMessage(entry.message) }
          : { received: shownReceived(entry.received) },
      ),
      opted_out: out.size > 0,
      next_cursor: next === null ? null : cursorOf(next),
    }
  }

export const readConversation =
  (store: Conversing): Action<ConversationReadResponse> =>
  async ({ environment, params }) => {
    const person = personOf(params.person!)
    await store.readConversation(environment.id, person)
    return { success: true, data: { person } }
  }

function personOf(given: string): string {
  return senderOf(given)
}

const isThreadPlace = (place: unknown): place is ThreadPlace =>
  typeof place === 'object' &&
  place !== null &&
  isNumber((place as ThreadPlace).seq) &&
  isNumber((place as ThreadPlace).n)
