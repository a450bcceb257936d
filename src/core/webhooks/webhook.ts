/** An address that receives events, and the outcome of each delivery. */

import { createHmac, randomBytes } from 'node:crypto'
import type { EventType } from '../events/event.ts'
import type { Visibility } from '../events/visibility.ts'
import { invalid, wrong } from '../problem.ts'
import { hostOf, isAllowedHost } from './allowed-host.ts'
import { isPrivateHost } from './public-address.ts'

export type DisabledReason = 'switched_off' | 'gone' | 'failing'

export type Webhook = {
  id: string
  environmentId: number
  url: string
  /** Null: all of them. */
  types: readonly EventType[] | null
  /** Only what concerns this device. */
  deviceId: string | null
  /** Whose texts its events include. */
  visibility: Visibility
  /** Sealed. */
  secret: string
  previousSecret: string | null
  previousUntil: number | null
  /** Everything in the journal up to there was tried at least once. */
  position: number
  enabled: boolean
  disabledReason: DisabledReason | null
  /** Since when nothing but failures came back. */
  failingSince: number | null
  /** Nothing is sent to it before then (backoff). */
  restsUntil: number | null
  heldBy: string | null
  createdAt: number
}

export type WebhookDraft = Pick<
  Webhook,
  'id' | 'environmentId' | 'url' | 'types' | 'deviceId' | 'visibility' | 'secret'
>
export type WebhookChange = Partial<Pick<Webhook, 'url' | 'types' | 'deviceId' | 'enabled' | 'visibility'>>

export type DeliveryState = 'pending' | 'delivered' | 'failed'

/** One attempt to deliver an event. */
export type Attempt = {
  at: number
  ms: number
  url: string
  /** What the address answered; null: nothing. */
  status: number | null
  /** The beginning of its answer. */
  answer: string
  /** Why there was no answer, or why it does not count. */
  error: string | null
}

export type Delivery = {
  webhookId: string
  eventSeq: number
  state: DeliveryState
  attempts: number
  /** When it is tried again. */
  dueAt: number | null
  triedAt: number | null
  log: readonly Attempt[]
}

/** With the type of its event; null once the event was deleted. */
export type DeliveryRecord = Delivery & { eventType: EventType | null }

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** How long after each failed attempt the next one comes. After the last there is none. */
export const retryDelaysMs: readonly number[] = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
]
/** After so long with nothing but failures an address is given up. */
export const givenUpMs = 5 * 24 * hours
/** For so long a secret that was replaced still signs, unless told otherwise. */
export const overlapMs = 24 * hours
const longestWaitMs = 24 * hours

/** When to try again after so many failed attempts; null: never. `chance` is from 0 to 1. */
export function nextAttempt(
  attempts: number,
  now: number,
  retryAfterMs: number | undefined,
  chance: number,
): number | null {
  const delay = retryDelaysMs[attempts - 1]
  if (delay === undefined) return null
  // Later rather than earlier, and not all at once.
  const usual = now + Math.round(delay * (1 + chance / 5))
  const asked = now + Math.min(retryAfterMs ?? 0, longestWaitMs)
  return Math.max(usual, asked)
}

/** What a receiver checks signatures with, in the format of the Standard Webhooks specification. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

const keyOf = (secret: string) => Buffer.from(secret.slice('whsec_'.length), 'base64')

/** Each secret signs: while one replaces another, receivers may know either. */
export function signatures(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map(secret => createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64'))
    .map(signature => `v1,${signature}`)
    .join(' ')
}

const longestUrl = 2_000

/** Throws what is wrong with an address, as far as it can be seen; names are judged when they are resolved. */
export function checkWebhookUrl(text: string, allowed: ReadonlySet<string>): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:\/\//i.test(text) || text.length > longestUrl)
    throw invalid('/url', 'url must be an absolute https address of at most 2,000 characters.')
  if (url.username !== '' || url.password !== '')
    throw invalid('/url', 'url must not contain a user name or password: it would appear in logs.')
  if (isAllowedHost(url, allowed)) return url.href
  const host = hostOf(url)
  if (isPrivateHost(host))
    throw wrong(
      'webhook_url_blocked',
      '/url',
      'url names an address that is not public. The operator can allow it: WEBHOOK_ALLOW_HOSTS.',
    )
  if (url.protocol !== 'https:')
    throw invalid('/url', 'url must be https. The operator can allow plain http: WEBHOOK_ALLOW_HOSTS.')
  return url.href
}
