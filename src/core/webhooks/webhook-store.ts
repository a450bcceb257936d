/** Port: what we need stored about webhooks, and about the deliveries of each event. */

import type { Keep } from '../idempotency.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type {
  Delivery,
  DeliveryRecord,
  DeliveryState,
  DisabledReason,
  Webhook,
  WebhookChange,
  WebhookDraft,
} from './webhook.ts'

/** The outcomes of some deliveries to one address. */
export type Settlement = {
  id: string
  /** Of the lease under which they were made. */
  epoch: number
  /** The address that was called. */
  url: string
  /** Everything up to there was tried. */
  position: number
  /** Whether any attempt succeeded; not given: none was made. */
  isWell?: boolean
  deliveries: readonly Delivery[]
  replay?: { id: string; position: number; isOver: boolean }
  restsUntil: number | null
  disable?: DisabledReason
}

export type DeliveryFilter = { limit: number; beforeSeq?: number; state?: DeliveryState }

/** A range of the journal that is delivered again, and the position in it. */
export type Replay = { id: string; position: number; untilSeq: number }

export interface WebhookStore {
  addWebhook(draft: WebhookDraft, keep?: Keep<Webhook>): Promise<Webhook>
  changeWebhook(environmentId: number, id: string, change: WebhookChange): Promise<Webhook | undefined>
  /** Gives it a new secret; the one before signs too until then. */
  rotateWebhook(
    environmentId: number,
    id: string,
    secret: string,
    previousUntil: number,
    keep?: Keep<Webhook | undefined>,
  ): Promise<Webhook | undefined>
  removeWebhook(environmentId: number, id: string): Promise<boolean>
  /** Clears up after removed ones, some at a time. Returns how much there was. */
  clearRemoved(limit: number): Promise<number>
  webhooks(environmentId: number): Awaitable<Webhook[]>
  /** Those of all environments: for loops and the command line. */
  allWebhooks(): Awaitable<Webhook[]>
  webhook(environmentId: number, id: string): Awaitable<Webhook | undefined>
  /** Stores the outcomes of some deliveries. Undefined: another node has the webhook now. */
  settle(settlement: Settlement): Promise<Webhook | undefined>
  dueDeliveries(webhookId: string, limit: number): Awaitable<Delivery[]>
  /** When the next delivery is to be tried again. */
  nextDelivery(webhookId: string): Awaitable<number | undefined>
  delivery(webhookId: string, eventSeq: number): Awaitable<DeliveryRecord | undefined>
  deliveries(webhookId: string, filter: DeliveryFilter): Awaitable<DeliveryRecord[]>
  redeliver(webhookId: string, eventSeq: number, keep?: Keep<void>): Promise<void>
  /** Delivers the events of this journal range once more. */
  addReplay(webhookId: string, afterSeq: number, untilSeq: number, keep?: Keep<string>): Promise<string>
  nextReplay(webhookId: string): Awaitable<Replay | undefined>
  /** Deletes the outcomes of events that were delivered before then. Returns how many. */
  forgetDeliveries(before: number, limit: number): Promise<number>
}
