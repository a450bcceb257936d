/** One attempt to deliver an event: signed, sent, and its response judged. */

import { eventIdOf } from '../events/event.ts'
import { asSeen } from '../events/visibility.ts'
import {
  type Attempt,
  type Delivery,
  type DisabledReason,
  nextAttempt,
  signatures,
  type Webhook,
} from './webhook.ts'

export type Answer = { status: number; answer: string; retryAfterMs: number | undefined }

export type AttemptParts = {
  /** Rejects when there was no answer. */
  post: (
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ) => Promise<Answer>
  why: (error: unknown) => string
  /** The secrets that sign now, the newest first. */
  secretsOf: (webhook: Webhook) => readonly string[]
  now: () => number
  chance: () => number
  /** Called for each attempt, with whether it was taken. */
  onAttempt?: (isTaken: boolean) => void
}

/** How long an address has to answer. */
const patienceMs = 15_000
const mostLogged = 12
/** The longest pause that an address can ask for. */
const longestRestMs = 24 * 3_600_000
const gone = 410

export type Told = {
  delivery: Delivery
  /** Where it was sent; undefined: nowhere, the event was deleted from the journal. */
  url?: string
  /** Why the webhook is to be disabled. */
  disable?: DisabledReason
  /** The address asked for no requests until then. */
  restsUntil?: number
}

export async function attempt(
  parts: AttemptParts,
  webhook: Webhook,
  id: string,
  body: string,
  signal?: AbortSignal,
): Promise<Attempt & { retryAfterMs?: number | undefined }> {
  const { post, why, secretsOf, now, onAttempt } = parts
  const at = now()
  const timestamp = Math.floor(at / 1_000)
  const started = performance.now()
  const base = { at, url: webhook.url }
  const ms = () => Math.round(performance.now() - started)
  try {
    const headers = {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatures(secretsOf(webhook), id, timestamp, body),
    }
    const { status, answer, retryAfterMs } = await post(
      webhook.url,
      headers,
      body,
      AbortSignal.any([AbortSignal.timeout(patienceMs), ...(signal ? [signal] : [])]),
    )
    const error = isGood(status) ? null : complaint(status)
    onAttempt?.(error === null)
    return { ...base, ms: ms(), status, answer, error, retryAfterMs }
  } catch (error) {
    onAttempt?.(false)
    return { ...base, ms: ms(), status: null, answer: '', error: why(error) }
  }
}

/** Makes one delivery attempt and returns the new state of the delivery. */
export async function tell(
  parts: AttemptParts,
  webhook: Webhook,
  event: { seq: number; type: string; json: string },
  before: Delivery | undefined,
  signal?: AbortSignal,
): Promise<Told> {
  const { retryAfterMs, ...tried } = await attempt(
    parts,
    webhook,
    eventIdOf(event.seq),
    asSeen(event, webhook.visibility),
    signal,
  )
  const attempts = (before?.attempts ?? 0) + 1
  const now = parts.now()
  const isDone = tried.error === null
  const isGone = tried.status === gone
  const dueAt = isDone || isGone ? null : nextAttempt(attempts, now, retryAfterMs, parts.chance())
  const state = isDone ? 'delivered' : dueAt === null ? 'failed' : 'pending'
  const log = [...(before?.log ?? []), tried].slice(-mostLogged)
  return {
    delivery: { webhookId: webhook.id, eventSeq: event.seq, state, attempts, dueAt, triedAt: tried.at, log },
    url: tried.url,
    ...(isGone && { disable: 'gone' as const }),
    ...(!isDone && retryAfterMs !== undefined && { restsUntil: now + Math.min(retryAfterMs, longestRestMs) }),
  }
}

const isGood = (status: number) => status >= 200 && status < 300

function complaint(status: number): string {
  if (status >= 300 && status < 400) return `It answered ${status}: redirects are not followed.`
  return `It answered ${status}.`
}
