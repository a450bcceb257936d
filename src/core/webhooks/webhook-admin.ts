/** Managing webhooks: adding and changing them, new secrets, tests and replays. */

import { randomBytes, randomUUIDv7 } from 'node:crypto'
import type { Environment } from '../environment.ts'
import { isEventType, seqOf } from '../events/event.ts'
import { lesserVisibility, seesAll, type Visibility } from '../events/visibility.ts'
import type { Keep } from '../idempotency.ts'
import { isoTime } from '../lib/time.ts'
import { invalid, Problem, wrong } from '../problem.ts'
import type { Store } from '../store.ts'
import { type Attempt, checkWebhookUrl, type DeliveryRecord, overlapMs, type Webhook } from './webhook.ts'
import type { DeliveryFilter } from './webhook-store.ts'

export type AdminParts = {
  store: Pick<
    Store,
    | 'addWebhook'
    | 'changeWebhook'
    | 'rotateWebhook'
    | 'removeWebhook'
    | 'webhook'
    | 'webhooks'
    | 'delivery'
    | 'deliveries'
    | 'redeliver'
    | 'addReplay'
    | 'seqBefore'
    | 'tellable'
    | 'devices'
  >
  /** A new secret, and how it is kept. */
  newSecret: (webhookId: string) => { secret: string; sealed: string }
  /** Hosts that may be private, and plain http. */
  allowed: ReadonlySet<string>
  /** Posts something to an address, once. */
  post: (webhook: Webhook, id: string, body: string) => Promise<Attempt>
  /** An address was added or changed. */
  wake: () => void
  now: () => number
}

/** Each has a delivery loop that runs all the time. */
const mostWebhooks = 100

type Checked = Partial<Pick<Webhook, 'url' | 'types' | 'deviceId'>>

export type WebhookWish = {
  url: string
  types?: readonly string[] | null
  deviceId?: string | null
  /** What the caller may read in events; everything if not given. */
  visibility?: Visibility
}
/** A webhook and, this once, what to check its signatures with. */
export type WithSecret = { webhook: Webhook; secret: string }

export class WebhookAdmin {
  readonly #parts: AdminParts

  constructor(parts: AdminParts) {
    this.#parts = parts
  }

  async list({ id }: Environment): Promise<Webhook[]> {
    return await this.#parts.store.webhooks(id)
  }

  async find(environment: Environment, id: string): Promise<Webhook> {
    const webhook = isId(id) ? await this.#parts.store.webhook(environment.id, id.toLowerCase()) : undefined
    if (!webhook) throw missing()
    return webhook
  }

  async add(
    environment: Environment,
    wish: WebhookWish,
    remember?: (resultOf: (webhook: Webhook) => WithSecret) => Keep<Webhook> | undefined,
  ): Promise<WithSecret> {
    const { store, newSecret, wake } = this.#parts
    const checked = await this.#checked(environment, wish)
    if ((await this.list(environment)).length >= mostWebhooks)
      throw invalid('', `There are ${mostWebhooks} webhooks already. Remove one first.`)
    const id = randomUUIDv7()
    const { secret, sealed } = newSecret(id)
    const resultOf = (webhook: Webhook) => ({ webhook, secret })
    const { visibility = seesAll } = wish
    const draft = { types: null, deviceId: null, ...checked, url: checked.url!, id, visibility }
    const webhook = await store.addWebhook(
      { ...draft, environmentId: environment.id, secret: sealed },
      remember?.(resultOf),
    )
    wake()
    return resultOf(webhook)
  }

  async change(
    environment: Environment,
    id: string,
    wish: Partial<WebhookWish> & { enabled?: boolean },
  ): Promise<Webhook> {
    const { enabled, visibility = seesAll } = wish
    const { id: known, visibility: before } = await this.find(environment, id)
    const change = {
      ...(await this.#checked(environment, wish)),
      ...(enabled !== undefined && { enabled }),
      // A caller who may not read texts must not have them sent to an address they chose.
      ...(wish.url !== undefined && { visibility: lesserVisibility(before, visibility) }),
    }
    const changed = await this.#parts.store.changeWebhook(environment.id, known, change)
    if (!changed) throw missing()
    this.#parts.wake()
    return changed
  }

  async remove(environment: Environment, id: string): Promise<void> {
    const { id: known } = await this.find(environment, id)
    if (!(await this.#parts.store.removeWebhook(environment.id, known))) throw missing()
    this.#parts.wake()
  }

  /** A new secret. The one before signs too, for a while: no receiver has to change at the same moment. */
  async rotate(
    environment: Environment,
    id: string,
    overlap = overlapMs,
    remember?: (resultOf: (webhook: Webhook) => WithSecret) => Keep<Webhook | undefined> | undefined,
  ): Promise<WithSecret> {
    const { store, newSecret, now } = this.#parts
    const { id: known } = await this.find(environment, id)
    const { secret, sealed } = newSecret(known)
    const resultOf = (webhook: Webhook) => ({ webhook, secret })
    const rotated = await store.rotateWebhook(
      environment.id,
      known,
      sealed,
      now() + overlap,
      remember?.(resultOf),
    )
    if (!rotated) throw missing()
    return resultOf(rotated)
  }

  /** Posts an event that never happened, now and once, and says what came back. */
  async test(environment: Environment, id: string): Promise<Attempt> {
    const webhook = await this.find(environment, id)
    const eventId = `evt_test_${randomBytes(8).toString('hex')}`
    const created_at = isoTime(this.#parts.now())
    const data = { webhook_id: webhook.id, message: 'This is a test. Nothing happened.' }
    const event = { id: eventId, type: 'webhook.test', created_at, sequence: null, data }
    return await this.#parts.post(webhook, eventId, JSON.stringify(event))
  }

  async deliveries(environment: Environment, id: string, filter: DeliveryFilter): Promise<DeliveryRecord[]> {
    const webhook = await this.find(environment, id)
    return await this.#parts.store.deliveries(webhook.id, filter)
  }

  async delivery(environment: Environment, id: string, eventId: string): Promise<DeliveryRecord> {
    const webhook = await this.find(environment, id)
    const seq = seqOf(eventId)
    const found = seq === undefined ? undefined : await this.#parts.store.delivery(webhook.id, seq)
    if (!found) throw noEvent()
    return found
  }

  /** Delivers one event once more. */
  async redeliver(environment: Environment, id: string, eventId: string, keep?: Keep<void>): Promise<void> {
    const { store, wake } = this.#parts
    const webhook = await this.#told(environment, id)
    const seq = seqOf(eventId)
    const [event] = seq === undefined ? [] : await store.tellable(seq - 1, 1)
    if (!event || event.seq !== seq || event.environmentId !== environment.id) throw noEvent()
    await store.redeliver(webhook.id, seq, keep)
    wake()
  }

  /** Delivers all events of a period once more. */
  async replay(
    environment: Environment,
    id: string,
    { since, until }: { since: number; until?: number },
    keep?: Keep<string>,
  ): Promise<void> {
    const { store, wake, now } = this.#parts
    const webhook = await this.#told(environment, id)
    if (until !== undefined && until < since) throw invalid('/until', 'until must not be before since.')
    const afterSeq = await store.seqBefore(since)
    const last = await store.seqBefore((until ?? now()) + 1)
    await store.addReplay(webhook.id, afterSeq, last, keep)
    wake()
  }

  /** Finds a webhook; throws unless it is enabled. */
  async #told(environment: Environment, id: string): Promise<Webhook> {
    const webhook = await this.find(environment, id)
    if (!webhook.enabled) throw invalid('', 'The webhook is switched off. Switch it on first.')
    return webhook
  }

  async #checked(environment: Environment, wish: Partial<WebhookWish>): Promise<Checked> {
    const { store, allowed } = this.#parts
    const { url, types, deviceId } = wish
    const unknown = types?.find(type => !isEventType(type))
    if (unknown !== undefined) throw invalid('/types', `Unknown event type “${unknown.slice(0, 60)}”.`)
    if (types?.length === 0) throw invalid('/types', 'types must not be empty; leave it out for all of them.')
    const device = deviceId?.toLowerCase()
    if (device !== undefined && !(await store.devices(environment.id)).some(one => one.id === device))
      throw wrong('invalid_device', '/device_id', 'device_id is not a device of this environment.')
    return {
      ...(url !== undefined && { url: checkWebhookUrl(url, allowed) }),
      ...(types !== undefined && { types: types && [...new Set(types.filter(isEventType))] }),
      ...(deviceId !== undefined && { deviceId: device ?? null }),
    }
  }
}

const isId = (id: string) => /^[0-9a-f-]{36}$/i.test(id)
const missing = () => new Problem('webhook_not_found', 'There is no webhook with this id.')
const noEvent = () => new Problem('event_not_found', 'There is no such event for this webhook.')
