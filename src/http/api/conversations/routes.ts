/** The routes about conversations. */

import type { Route } from '../route.ts'
import type { RouteParts } from '../route-parts.ts'
import { conversations, readConversation, thread } from './actions.ts'
import * as shapes from './schemas.ts'

export const conversationRoutes = ({ store }: RouteParts): readonly Route[] => [
  {
    operation: 'conversations',
    group: 'Inbox',
    summary: 'People who wrote, the latest first',
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
    summary: 'What was said with one person, newest first. What was sent is shown with messages:read only',
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
    summary: 'Note that what a person wrote was seen',
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
