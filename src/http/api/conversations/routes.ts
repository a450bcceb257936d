/** The routes about conversations. */

import type { Route } from '../route.ts'
import type { RouteParts } from '../route-parts.ts'
import { conversations, readConversation, thread } from './actions.ts'
import * as shapes from './schemas.ts'

export const conversationRoutes = ({ store }: RouteParts): readonly Route[] => [
  {
    operation: 'conversations',
    group: 'Inbox',
    summary: 'Conversations, most recent first',
    method: 'GET',
    paths: ['/conversations'],
    scope: 'inbox:read',
    query: shapes.ConversationsQuery,
    response: shapes.ConversationsResponse,
    problems: [],
    action: conversations(store),
  },
  {
    operation: 'thread',
    group: 'Inbox',
    summary: 'Messages of one conversation, newest first. Sent messages are included only with messages:read',
    method: 'GET',
    paths: ['/conversations/:person'],
    scope: 'inbox:read',
    query: shapes.ThreadQuery,
    response: shapes.ThreadResponse,
    problems: [],
    action: thread(store),
  },
  {
    operation: 'readConversation',
    group: 'Inbox',
    summary: 'Mark a conversation as read',
    method: 'POST',
    paths: ['/conversations/:person/read'],
    scope: 'inbox:read',
    isLook: true,
    response: shapes.ConversationReadResponse,
    isTold: true,
    problems: [],
    action: readConversation(store),
  },
]
