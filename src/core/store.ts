/** Port: what we need remembered. Every verb is one transaction, on disk when its promise resolves. */

import type { KeyStore } from './access/key-store.ts'
import type { SecretStore } from './access/secret-store.ts'
import type { UserStore } from './access/user-store.ts'
import type { DeviceStore } from './devices/device-store.ts'
import type { VaultStore } from './devices/vault.ts'
import type { JournalStore } from './events/journal-store.ts'
import type { AnswerStore } from './idempotency.ts'
import type { InboxStore } from './inbox/inbox-store.ts'
import type { FileStore } from './inbox/media-files.ts'
import type { MessageStore } from './messages/message-store.ts'
import type { NodeStore } from './nodes/node-store.ts'
import type { PeopleStore } from './people/people-store.ts'
import type { WebhookStore } from './webhooks/webhook-store.ts'

export interface Store
  extends MessageStore,
    InboxStore,
    FileStore,
    DeviceStore,
    NodeStore,
    VaultStore,
    KeyStore,
    UserStore,
    SecretStore,
    AnswerStore,
    WebhookStore,
    PeopleStore,
    JournalStore {
  /** Throws unless something can be written. */
  ping(): Promise<void>
  close(): Promise<void>
}
