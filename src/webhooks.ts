/** Builds what webhooks need: secrets, connections, and somebody who carries the events. */

import type { Config } from './config.ts'
import { Courier } from './core/courier.ts'
import type { Journal } from './core/journal.ts'
import type { Log } from './core/log.ts'
import type { Store } from './core/store.ts'
import { attempt, type TellingParts } from './core/telling.ts'
import { type Attempt, newWebhookSecret, type Webhook } from './core/webhook.ts'
import { Poster, whyUnanswered } from './outbound/post.ts'
import { seal, unseal } from './seal.ts'
import { secretKey } from './secret-key.ts'

export type WebhookSecrets = {
  /** A new one, and how it is kept. */
  make: (webhookId: string) => { secret: string; sealed: string }
  /** Those that sign now, the newest first. */
  of: (webhook: Webhook) => string[]
}

export function webhookSecrets(config: Config, now: () => number): WebhookSecrets {
  const place = (id: string) => ['webhook', id]
  return {
    make: id => {
      const secret = newWebhookSecret()
      return { secret, sealed: seal(secretKey(config), place(id), secret) }
    },
    of: ({ id, secret, previousSecret, previousUntil }) => {
      const isOld = previousSecret === null || (previousUntil ?? 0) <= now()
      const sealed = isOld ? [secret] : [secret, previousSecret]
      return sealed.map(one => unseal(secretKey(config), place(id), one))
    },
  }
}

export type WebhookParts = {
  config: Config
  store: Store
  journal: Journal
  node: string
  ended: (node: string) => boolean
  now: () => number
  log: Log
}

const day = 24 * 3_600_000

export type Webhooks = {
  secrets: WebhookSecrets
  allowed: ReadonlySet<string>
  /** Tells an address of something that did not happen, now and once. */
  test: (webhook: Webhook, id: string, body: string) => Promise<Attempt>
  wake: () => void
  start: () => void
  stop: () => Promise<void>
}

export function buildWebhooks({ config, store, journal, node, ended, now, log }: WebhookParts): Webhooks {
  const allowed = config.WEBHOOK_ALLOW_HOSTS ?? new Set<string>()
  const secrets = webhookSecrets(config, now)
  const poster = new Poster({ allowed })
  const telling: TellingParts = {
    post: (url, headers, body, signal) => poster.post(url, headers, body, signal),
    why: whyUnanswered,
    secretsOf: secrets.of,
    now,
    chance: Math.random,
  }
  const courier = new Courier({
    ...telling,
    node,
    ended,
    store,
    journal,
    logMs: config.WEBHOOK_LOG_DAYS * day,
    log,
  })
  return {
    secrets,
    allowed,
    test: async (webhook, id, body) => {
      const { retryAfterMs: _, ...tried } = await attempt(telling, webhook, id, body)
      return tried
    },
    wake: () => courier.wake(),
    start: () => courier.start(),
    stop: async () => {
      await courier.stop()
      poster.close()
    },
  }
}
