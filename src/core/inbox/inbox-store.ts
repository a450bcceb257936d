/** Port: what we need remembered of messages that came in. */

import type { Awaitable } from '../lib/awaitable.ts'
import type { Amendment } from './amendment.ts'
import type { ConversationFilter, ConversationPage, Thread, ThreadPlace } from './conversation.ts'
import type { InboxFilter, InboxPage, Incoming, MediaFile, Received } from './received.ts'

export interface InboxStore {
  /** Keeps a received message once, however often the device hands it over. */
  receive(incoming: Incoming): Promise<Received>
  /** Notes an edit, a deletion or a reaction. False: there is no such message here. */
  amend(amendment: Amendment): Promise<boolean>
  inbox(environmentId: number, filter: InboxFilter): Awaitable<InboxPage>
  media(environmentId: number, id: string): Awaitable<MediaFile | undefined>

  conversations(environmentId: number, filter: ConversationFilter): Awaitable<ConversationPage>
  /** How many have something that nobody has seen, counted up to a limit. */
  unreadConversations(environmentId: number, limit: number): Awaitable<number>
  thread(
    environmentId: number,
    person: string,
    page: { limit: number; below?: ThreadPlace; withSent: boolean },
  ): Awaitable<Thread>
  /** Somebody has seen all of it. False: this person never wrote. */
  readConversation(environmentId: number, person: string): Promise<boolean>
}
