/** Builds what webhooks need: secrets, connections, and the deliverers of events. */

import type { Config } from '../config.ts'
import type { Journal } from '../core/events/journal.ts'
import { BoundedMap } from '../core/lib/bounded-map.ts'
import type { Log } from '../core/lib/log.ts'
import type { Membership } from '../core/nodes/membership.ts'
import type { Store } from '../core/store.ts'
import { type AttemptParts, attempt } from '../core/webhooks/attempt.ts'
import { Deliverers } from '../core/webhooks/deliverers.ts'
import { newWebhookSecret, type Webhook } from '../core/webhooks/webhook.ts'
import { WebhookAdmin } from '../core/webhooks/webhook-admin.ts'
import { Poster, whyUnanswered } from '../outbound/post.ts'
import type { Sealer } from '../secrets/sealer.ts'

type WebhookSecrets = {
  /** A new one, and how it is kept. */
  make: (webhookId: string) => { secret: string; sealed: string }
  /** Those that sign now, the newest first. */
  of: (webhook: Webhook) => string[]
}

function webhookSecrets(sealer: Sealer, now: () => number): WebhookSecrets {
  const place = (id: string) => ['webhook', id]
  /** Opened once: each telling needs them. */
  const opened = new BoundedMap<string, string>(mostOpened)
  const open = (id: string, sealed: string) => {
    let secret = opened.get(sealed)
    if (secret === undefined) {
      secret = sealer.open(place(id), sealed)
      opened.set(sealed, secret)
    }
    return secret
  }
  return {
    make: id => {
      const secret = newWebhookSecret()
      return { secret, sealed: sealer.seal(place(id), secret) }
    },
    of: ({ id, secret, previousSecret, previousUntil }) => {
      const isOld = previousSecret === null || (previousUntil ?? 0) <= now()
      const sealed = isOld ? [secret] : [secret, previousSecret]
      return sealed.map(one => open(id, one))
    },
  }
}

const mostOpened = 10_000

export type WebhookParts = {
  config: Config
  sealer: Sealer
  store: Store
  journal: Journal
  membership: Membership
  isAlive: (node: string) => boolean
  onAttempt: (isTaken: boolean) => void
  now: () => number
  log: Log
}

type AdminParts = Pick<WebhookParts, 'config' | 'sealer' | 'store' | 'now'>

const day = 24 * 3_600_000

export type Webhooks = {
  admin: WebhookAdmin
  start: () => void
  stop: () => Promise<void>
  /** Stops posting, so that other nodes take over; events go on being written. */
  handOver: () => Promise<void>
  lapse: () => void
}

export function buildWebhooks(parts: WebhookParts): Webhooks {
  const { store, journal, membership, isAlive, onAttempt, log } = parts
  const { poster, telling: silent } = buildTelling(parts)
  const telling = { ...silent, onAttempt }
  const logMs = parts.config.WEBHOOK_LOG_DAYS * day
  const deliverers = new Deliverers({ ...telling, membership, isAlive, store, journal, logMs, log })
  return {
    admin: buildAdmin(parts, telling, () => deliverers.wake()),
    start: () => deliverers.start(),
    handOver: () => deliverers.stop(),
    lapse: () => deliverers.lapse(),
    stop: async () => {
      await deliverers.stop()
      poster.close()
    },
  }
}

/** For commands, which work on the database beside a running gateway. */
export function adminBeside(parts: AdminParts): {
  admin: WebhookAdmin
  close: () => void
} {
  const { poster, telling } = buildTelling(parts)
  return { admin: buildAdmin(parts, telling, () => {}), close: () => poster.close() }
}

function buildTelling({ config, sealer, now }: AdminParts): { poster: Poster; telling: AttemptParts } {
  const poster = new Poster({ allowed: allowedBy(config) })
  const telling: AttemptParts = {
    post: (url, headers, body, signal) => poster.post(url, headers, body, signal),
    why: whyUnanswered,
    secretsOf: webhookSecrets(sealer, now).of,
    now,
    chance: Math.random,
  }
  return { poster, telling }
}

const allowedBy = (config: Config) => config.WEBHOOK_ALLOW_HOSTS ?? new Set<string>()

const buildAdmin = (
  { config, sealer, store, now }: AdminParts,
  telling: AttemptParts,
  wake: () => void,
): WebhookAdmin =>
  new WebhookAdmin({
    store,
    newSecret: webhookSecrets(sealer, now).make,
    allowed: allowedBy(config),
    post: (webhook, id, body) => attempt(telling, webhook, id, body),
    wake,
    now,
  })
