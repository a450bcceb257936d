/** What the routes need of the rest of the gateway. */

import type { Fleet } from '../../core/devices/fleet.ts'
import type { Environment, Settings } from '../../core/environment.ts'
import type { Journal } from '../../core/events/journal.ts'
import type { Canceler } from '../../core/messages/canceler.ts'
import type { Gateway } from '../../core/messages/gateway.ts'
import type { Erasure } from '../../core/people/erasure.ts'
import type { Store } from '../../core/store.ts'
import type { WebhookAdmin } from '../../core/webhooks/webhook-admin.ts'
import type { LinkParts } from './devices/linking.ts'
import type { StatParts } from './environment/stats.ts'
import type { KeyParts } from './keys/actions.ts'
import type { ReadFile } from './messages/media.ts'
import type { NodeParts } from './nodes/actions.ts'

export type RouteParts = {
  gateway: Pick<Gateway, 'send' | 'sendBulk' | 'preview'>
  canceler: Pick<Canceler, 'cancel'>
  store: Pick<
    Store,
    | 'message'
    | 'messages'
    | 'story'
    | 'inbox'
    | 'media'
    | 'optOut'
    | 'optIn'
    | 'optOuts'
    | 'conversations'
    | 'unreadConversations'
    | 'thread'
    | 'readConversation'
    | 'optedOut'
  >
  erasure: Pick<Erasure, 'erase'>
  fleet: Pick<Fleet, 'member'>
  journal: Pick<Journal, 'read' | 'after' | 'head' | 'look' | 'event'>
  admin: WebhookAdmin
  devices: LinkParts
  keys: KeyParts
  stats: StatParts
  nodes: NodeParts
  readFile: ReadFile
  configure: (environment: Environment, settings: Settings) => Promise<void>
}
