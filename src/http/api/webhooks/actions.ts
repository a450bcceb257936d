/** Webhooks over the API: add, change, new secrets, tests, the log, replays. */

import type { Journal } from '../../../core/events/journal.ts'
import { asSeen, sightOf } from '../../../core/events/visibility.ts'
import type { WebhookDesk, WithSecret } from '../../../core/webhooks/webhook-admin.ts'
import { shownAttempt, shownDelivery, shownWebhook } from '../../../core/wire/webhook.ts'
import { cursorOf, isNumber, placeOf } from '../cursor.ts'
import { timeOf } from '../query.ts'
import type { Action } from '../route.ts'
import type {
  DeliveriesQuery,
  DeliveriesResponse,
  DeliveryResponse,
  DoneResponse,
  ReplayRequest,
  RotateRequest,
  TestResponse,
  WebhookAddRequest,
  WebhookChangeRequest,
  WebhookResponse,
  WebhookSecretResponse,
  WebhooksResponse,
} from './schemas.ts'

export type WebhookParts = { desk: WebhookDesk; journal: Pick<Journal, 'event'> }

const hourMs = 3_600_000
const usualLimit = 25

const withSecret = ({ webhook, secret }: WithSecret): WebhookSecretResponse => ({
  success: true,
  data: { ...shownWebhook(webhook), secret },
})

export const webhooks =
  ({ desk }: WebhookParts): Action<WebhooksResponse> =>
  async ({ environment }) => ({ success: true, data: (await desk.list(environment)).map(shownWebhook) })

export const webhook =
  ({ desk }: WebhookParts): Action<WebhookResponse> =>
  async ({ environment, params }) => ({
    success: true,
    data: shownWebhook(await desk.find(environment, params.webhook_id!)),
  })

export const addWebhook =
  ({ desk }: WebhookParts): Action<WebhookSecretResponse> =>
  async ({ environment, key, body, keep }) => {
    const { url, types, device_id } = body as WebhookAddRequest
    const wish = {
      url,
      sight: sightOf(key.scopes),
      ...(types && { types }),
      ...(device_id && { deviceId: device_id }),
    }
    const added = await desk.add(environment, wish, resultOf => keep(one => withSecret(resultOf(one))))
    return withSecret(added)
  }

export const changeWebhook =
  ({ desk }: WebhookParts): Action<WebhookResponse> =>
  async ({ environment, key, params, body }) => {
    const { url, types, device_id, enabled } = body as WebhookChangeRequest
    const changed = await desk.change(environment, params.webhook_id!, {
      sight: sightOf(key.scopes),
      ...(url !== undefined && { url }),
      ...(types !== undefined && { types }),
      ...(device_id !== undefined && { deviceId: device_id }),
      ...(enabled !== undefined && { enabled }),
    })
    return { success: true, data: shownWebhook(changed) }
  }

export const removeWebhook =
  ({ desk }: WebhookParts): Action<DoneResponse> =>
  async ({ environment, params }) => {
    const id = params.webhook_id!.toLowerCase()
    await desk.remove(environment, id)
    return { success: true, data: { id } }
  }

export const rotateWebhook =
  ({ desk }: WebhookParts): Action<WebhookSecretResponse> =>
  async ({ environment, params, body, keep }) => {
    const { overlap_hours } = body as RotateRequest
    const overlap = overlap_hours === undefined ? undefined : overlap_hours * hourMs
    const rotated = await desk.rotate(environment, params.webhook_id!, overlap, resultOf =>
      keep(one => one && withSecret(resultOf(one))),
    )
    return withSecret(rotated)
  }

export const testWebhook =
  ({ desk }: WebhookParts): Action<TestResponse> =>
  async ({ environment, params }) => ({
    success: true,
    data: shownAttempt(await desk.test(environment, params.webhook_id!)),
  })

export const deliveries =
  ({ desk }: WebhookParts): Action<DeliveriesResponse> =>
  async ({ environment, params, query }) => {
    const { state, cursor, limit = usualLimit } = query as DeliveriesQuery
    const before = placeOf(cursor, isNumber)
    const found = await desk.deliveries(environment, params.webhook_id!, {
      limit: limit + 1,
      ...(before !== undefined && { beforeSeq: before }),
      ...(state !== undefined && { state }),
    })
    const items = found.slice(0, limit)
    const next = found.length > limit ? cursorOf(items.at(-1)!.eventSeq) : null
    return { success: true, data: items.map(shownDelivery), next_cursor: next }
  }

export const delivery =
  ({ desk, journal }: WebhookParts): Action<DeliveryResponse> =>
  async ({ environment, key, params }) => {
    const found = await desk.delivery(environment, params.webhook_id!, params.event_id!)
    const event = await journal.event(found.eventSeq)
    return {
      success: true,
      data: { ...shownDelivery(found), event: event ? JSON.parse(asSeen(event, sightOf(key.scopes))) : null },
    }
  }

export const redeliver =
  ({ desk }: WebhookParts): Action<DoneResponse> =>
  async ({ environment, params, keep }) => {
    const id = params.event_id!
    const done = { success: true, data: { id } }
    await desk.redeliver(
      environment,
      params.webhook_id!,
      id,
      keep(() => done),
    )
    return done
  }

export const replay =
  ({ desk }: WebhookParts): Action<DoneResponse> =>
  async ({ environment, params, body, keep }) => {
    const { since, until } = body as ReplayRequest
    const done = { success: true, data: { id: params.webhook_id!.toLowerCase() } }
    await desk.replay(
      environment,
      params.webhook_id!,
      { since: timeOf('since', since), ...(until !== undefined && { until: timeOf('until', until) }) },
      keep(() => done),
    )
    return done
  }
