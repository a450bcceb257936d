/** What the store does about events, and about who receives them. */

import type { JournalStore } from '../../core/events/journal-store.ts'
import type { WebhookStore } from '../../core/webhooks/webhook-store.ts'
import type { Ground } from '../engine/ground.ts'
import * as told from './deliveries.ts'
import { events, journalHead, seqBefore, story, tellable } from './events.ts'
import { tallies, tally } from './tallies.ts'
import * as hooks from './webhooks.ts'

export function journalVerbs({ reader, now, run, write }: Ground): JournalStore & WebhookStore {
  return {
    events: (afterSeq, limit) => events(reader, afterSeq, limit),
    tellable: (afterSeq, limit) => tellable(reader, afterSeq, limit),
    journalHead: () => journalHead(reader),
    seqBefore: at => seqBefore(reader, at),
    story: messageSeq => story(reader, messageSeq),
    tally: write(tally),
    tallies: (environmentId, since) => tallies(reader, environmentId, since),
    addWebhook: (draft, keep) => run(hooks.addWebhook, draft, keep),
    changeWebhook: (environmentId, id, change) => run(hooks.changeWebhook, { environmentId, id, change }),
    rotateWebhook: (environmentId, id, secret, previousUntil, keep) =>
      run(hooks.rotateWebhook, { environmentId, id, secret, previousUntil }, keep),
    removeWebhook: (environmentId, id) => run(hooks.removeWebhook, { environmentId, id }),
    clearRemoved: write(hooks.clearRemoved),
    webhooks: environmentId => hooks.webhooks(reader, environmentId),
    allWebhooks: () => hooks.allWebhooks(reader),
    webhook: (environmentId, id) => hooks.webhook(reader, environmentId, id),
    settle: write(hooks.settle),
    dueDeliveries: (webhookId, limit) => told.dueDeliveries(reader, webhookId, now(), limit),
    nextDelivery: webhookId => told.nextDelivery(reader, webhookId),
    delivery: (webhookId, eventSeq) => told.delivery(reader, webhookId, eventSeq),
    deliveries: (webhookId, filter) => told.deliveries(reader, webhookId, filter),
    redeliver: (webhookId, eventSeq, keep) => run(told.redeliver, { webhookId, eventSeq }, keep),
    addReplay: (webhookId, afterSeq, untilSeq, keep) =>
      run(hooks.addReplay, { webhookId, afterSeq, untilSeq }, keep),
    nextReplay: webhookId => hooks.nextReplay(reader, webhookId),
    forgetDeliveries: (before, limit) => run(told.forgetDeliveries, { before, limit }),
  }
}
