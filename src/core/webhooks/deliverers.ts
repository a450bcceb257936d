/** Makes sure that every webhook has exactly one deliverer across all processes. */

import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import { webhookLease } from '../nodes/lease.ts'
import type { Membership } from '../nodes/membership.ts'
import type { Store } from '../store.ts'
import { Deliverer, type DelivererParts } from './deliverer.ts'
import type { Webhook } from './webhook.ts'

export type DeliverersParts = Omit<DelivererParts, 'store'> & {
  store: DelivererParts['store'] & Pick<Store, 'allWebhooks' | 'letGo' | 'forgetDeliveries' | 'clearRemoved'>
  membership: Pick<Membership, 'name' | 'take'>
  /** Whether a node holds what it holds: it is alive. */
  isAlive: (node: string) => boolean
  /** For how long the outcome of each event is kept. */
  logMs: number
  log: Log
}

const lookMs = 500
const forgetMs = 60_000
const step = 500

export class Deliverers {
  readonly #parts: DeliverersParts
  readonly #loop: Loop
  readonly #postmen = new Map<string, Deliverer>()
  #forgetAt = 0

  constructor(parts: DeliverersParts) {
    this.#parts = parts
    this.#loop = new Loop(
      lookMs,
      () => this.#round(),
      error => parts.log.error({ err: error }, 'webhook check failed; will retry'),
    )
  }

  start(): void {
    this.#loop.start()
  }

  /** Finishes what is being told, and lets others go on. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    const held = [...this.#postmen.keys()].map(webhookLease)
    await Promise.all([...this.#postmen.values()].map(deliverer => deliverer.stop()))
    this.#postmen.clear()
    if (held.length > 0) await this.#parts.store.letGo(this.#parts.membership.name, held)
  }

  /** Other nodes may have the webhooks by now: nothing more is posted. */
  lapse(): void {
    for (const deliverer of this.#postmen.values()) void deliverer.stop()
    this.#postmen.clear()
  }

  /** Somebody added or changed an address. */
  wake(): void {
    this.#loop.wake()
  }

  async #round(): Promise<number | undefined> {
    const { store } = this.#parts
    const all = await store.allWebhooks()
    const known = new Map(all.map(webhook => [webhook.id, webhook]))
    for (const [id, deliverer] of this.#postmen) {
      if (!deliverer.isOver && known.get(id)?.enabled) continue
      this.#postmen.delete(id)
      // Not waited for: what hangs at one address must not keep the others waiting.
      void deliverer.stop()
    }
    const free = all.filter(one => one.enabled && !this.#postmen.has(one.id) && !this.#isElsewhere(one))
    if (free.length > 0) await this.#take(free)
    return (await this.#forget()) ? 0 : undefined
  }

  #isElsewhere({ heldBy }: Webhook): boolean {
    const { membership, isAlive } = this.#parts
    return heldBy !== null && heldBy !== membership.name && isAlive(heldBy)
  }

  async #take(webhooks: readonly Webhook[]): Promise<void> {
    const leases = await this.#parts.membership.take(webhooks.map(({ id }) => webhookLease(id)))
    for (const { environmentId, id } of webhooks) {
      const lease = leases.get(webhookLease(id))
      // Read again: whoever had it may have told more since.
      const webhook = lease && (await this.#parts.store.webhook(environmentId, id))
      if (!webhook?.enabled) continue
      const deliverer = new Deliverer(webhook, lease!, this.#parts)
      this.#postmen.set(id, deliverer)
      deliverer.start()
    }
  }

  /** Deletes the outcomes of old events. True: more may be left. */
  async #forget(): Promise<boolean> {
    const { store, now, logMs } = this.#parts
    if (now() < this.#forgetAt) return false
    if ((await store.clearRemoved(step)) > 0) return true
    if ((await store.forgetDeliveries(now() - logMs, step)) === step) return true
    this.#forgetAt = now() + forgetMs
    return false
  }
}
