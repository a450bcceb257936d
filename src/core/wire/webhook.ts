/** How webhooks and their deliveries are shown, over the API and on the command line alike. */

import { eventIdOf } from '../events/event.ts'
import { isoTime, isoTimeOrNull } from '../lib/time.ts'
import type { Attempt, DeliveryRecord, Webhook } from '../webhooks/webhook.ts'

export const shownWebhook = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  types: webhook.types && [...webhook.types],
  device_id: webhook.deviceId,
  enabled: webhook.enabled,
  disabled_reason: webhook.disabledReason,
  failing_since: isoTimeOrNull(webhook.failingSince),
  rests_until: isoTimeOrNull(webhook.restsUntil),
  previous_secret_until: isoTimeOrNull(webhook.previousUntil),
  created_at: isoTime(webhook.createdAt),
})

export const shownAttempt = ({ at, ms, url, status, answer, error }: Attempt) => ({
  at: isoTime(at),
  duration_ms: ms,
  url,
  status,
  answer,
  error,
})

export const shownDelivery = (delivery: DeliveryRecord) => ({
  event_id: eventIdOf(delivery.eventSeq),
  event_type: delivery.eventType,
  state: delivery.state,
  attempts: delivery.attempts,
  last_attempt_at: isoTimeOrNull(delivery.triedAt),
  next_attempt_at: isoTimeOrNull(delivery.dueAt),
  log: delivery.log.map(shownAttempt),
})
