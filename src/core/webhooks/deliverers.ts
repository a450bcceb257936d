/** Makes sure that every webhook has exactly one deliverer across all processes. */

import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import type { Store } from '../store.ts'
import { Deliverer, type DelivererParts, holdMs } from './deliverer.ts'
import type { Webhook } from './webhook.ts'

export type DeliverersParts = Omit<DelivererParts, 'store'> & {
  store: DelivererParts['store'] &
    Pick<Store, 'allWebhooks' | 'letGoWebhooks' | 'forgetDeliveries' | 'clearRemoved'>
  /** Whether a process is known to have ended, so that its addresses need not wait. */
  ended: (node: string) => boolean
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
    await Promise.all([...this.#postmen.values()].map(deliverer => deliverer.stop()))
    this.#postmen.clear()
    await this.#parts.store.letGoWebhooks(this.#parts.node)
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
    for (const webhook of all)
      if (webhook.enabled && !this.#postmen.has(webhook.id)) await this.#take(webhook)
    return (await this.#forget()) ? 0 : undefined
  }

  async #take(webhook: Webhook): Promise<void> {
    const { store, node, ended, now } = this.#parts
    const { id, heldBy, heldUntil } = webhook
    const isElsewhere = heldBy !== null && heldBy !== node && (heldUntil ?? 0) > now()
    if (isElsewhere && !ended(heldBy)) return
    const held = await store.holdWebhook({
      id,
      node,
      untilMs: holdMs,
      ...(isElsewhere && { insteadOf: heldBy }),
    })
    if (!held) return
    const deliverer = new Deliverer(held, this.#parts)
    this.#postmen.set(id, deliverer)
    deliverer.start()
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
