/** What the store does about messages that came in. */

import type { InboxStore } from '../../core/inbox/inbox-store.ts'
import type { Ground } from '../engine/ground.ts'
import { amend } from './amendments.ts'
import * as conversations from './conversations.ts'
import * as received from './received.ts'

export function inboxVerbs({ reader, run, write }: Ground): InboxStore {
  return {
    receive: write(received.receive),
    amend: write(amend),
    inbox: (environmentId, filter) => received.inbox(reader, environmentId, filter),
    media: (environmentId, id) => received.media(reader, environmentId, id),
    conversations: (environmentId, filter) => conversations.conversations(reader, environmentId, filter),
    unreadConversations: (environmentId, limit) =>
      conversations.unreadConversations(reader, environmentId, limit),
    thread: (environmentId, person, page) => conversations.thread(reader, environmentId, person, page),
    readConversation: (environmentId, person) =>
      run(conversations.readConversation, { environmentId, person }),
  }
}
