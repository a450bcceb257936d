/** Webhooks over the API: add, change, new secrets, tests, the log, replays. */

import type { Journal } from '../../../core/events/journal.ts'
import { asSeen, visibilityOf } from '../../../core/events/visibility.ts'
import type { WebhookAdmin, WithSecret } from '../../../core/webhooks/webhook-admin.ts'
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

export type WebhookParts = { admin: WebhookAdmin; journal: Pick<Journal, 'event'> }

const hourMs = 3_600_000
const usualLimit = 25

const withSecret = ({ webhook, secret }: WithSecret): WebhookSecretResponse => ({
  success: true,
  data: { ...shownWebhook(webhook), secret },
})

export const webhooks =
  ({ admin }: WebhookParts): Action<WebhooksResponse> =>
  async ({ environment }) => ({ success: true, data: (await admin.list(environment)).map(shownWebhook) })

export const webhook =
  ({ admin }: WebhookParts): Action<WebhookResponse> =>
  async ({ environment, params }) => ({
    success: true,
    data: shownWebhook(await admin.find(environment, params.webhook_id!)),
  })

export const addWebhook =
  ({ admin }: WebhookParts): Action<WebhookSecretResponse> =>
  async ({ environment, key, body, keep }) => {
    const { url, types, device_id } = body as WebhookAddRequest
    const wish = {
      url,
      visibility: visibilityOf(key.scopes),
      ...(types && { types }),
      ...(device_id && { deviceId: device_id }),
    }
    const added = await admin.add(environment, wish, resultOf => keep(one => withSecret(resultOf(one))))
    return withSecret(added)
  }

export const changeWebhook =
  ({ admin }: WebhookParts): Action<WebhookResponse> =>
  async ({ environment, key, params, body }) => {
    const { url, types, device_id, enabled } = body as WebhookChangeRequest
    const changed = await admin.change(environment, params.webhook_id!, {
      visibility: visibilityOf(key.scopes),
      ...(url !== undefined && { url }),
      ...(types !== undefined && { types }),
      ...(device_id !== undefined && { deviceId: device_id }),
      ...(enabled !== undefined && { enabled }),
    })
    return { success: true, data: shownWebhook(changed) }
  }

export const removeWebhook =
  ({ admin }: WebhookParts): Action<DoneResponse> =>
  async ({ environment, params }) => {
    const id = params.webhook_id!.toLowerCase()
    await admin.remove(environment, id)
    return { success: true, data: { id } }
  }

export const rotateWebhook =
  ({ admin }: WebhookParts): Action<WebhookSecretResponse> =>
  async ({ environment, params, body, keep }) => {
    const { overlap_hours } = body as RotateRequest
    const overlap = overlap_hours === undefined ? undefined : overlap_hours * hourMs
    const rotated = await admin.rotate(environment, params.webhook_id!, overlap, resultOf =>
      keep(one => one && withSecret(resultOf(one))),
    )
    return withSecret(rotated)
  }

export const testWebhook =
  ({ admin }: WebhookParts): Action<TestResponse> =>
  async ({ environment, params }) => ({
    success: true,
    data: shownAttempt(await admin.test(environment, params.webhook_id!)),
  })

export const deliveries =
  ({ admin }: WebhookParts): Action<DeliveriesResponse> =>
  async ({ environment, params, query }) => {
    const { state, cursor, limit = usualLimit } = query as DeliveriesQuery
    const before = placeOf(cursor, isNumber)
    const found = await admin.deliveries(environment, params.webhook_id!, {
      limit: limit + 1,
      ...(before !== undefined && { beforeSeq: before }),
      ...(state !== undefined && { state }),
    })
    const items = found.slice(0, limit)
    const next = found.length > limit ? cursorOf(items.at(-1)!.eventSeq) : null
    return { success: true, data: items.map(shownDelivery), next_cursor: next }
  }

export const delivery =
  ({ admin, journal }: WebhookParts): Action<DeliveryResponse> =>
  async ({ environment, key, params }) => {
    const found = await admin.delivery(environment, params.webhook_id!, params.event_id!)
    const event = await journal.event(found.eventSeq)
    return {
      success: true,
      data: {
        ...shownDelivery(found),
        event: event ? JSON.parse(asSeen(event, visibilityOf(key.scopes))) : null,
      },
    }
  }

export const redeliver =
  ({ admin }: WebhookParts): Action<DoneResponse> =>
  async ({ environment, params, keep }) => {
    const id = params.event_id!
    const done = { success: true, data: { id } }
    await admin.redeliver(
      environment,
      params.webhook_id!,
      id,
      keep(() => done),
    )
    return done
  }

export const replay =
  ({ admin }: WebhookParts): Action<DoneResponse> =>
  async ({ environment, params, body, keep }) => {
    const { since, until } = body as ReplayRequest
    const done = { success: true, data: { id: params.webhook_id!.toLowerCase() } }
    await admin.replay(
      environment,
      params.webhook_id!,
      { since: timeOf('since', since), ...(until !== undefined && { until: timeOf('until', until) }) },
      keep(() => done),
    )
    return done
  }
