/**
 * Delivers events to one webhook: retries that are due, then a page of a replay, then a page of what is new.
 *
 *     post ──2xx────────────▶ delivered
 *       ├──other, no answer─▶ pending: due again after a backoff, failed after the last try
 *       ├──410──────────────▶ the webhook is disabled (gone)
 *       └──10 in a row fail─▶ the webhook rests 5 s, doubled up to 5 min, and is then tried with one event
 *
 * A page is settled in one commit, its deliveries and the position in the journal, under the lease of this node. After a
 * crash the page is posted again, so a receiver may see an event twice and never misses one.
 */

import type { Journal } from '../events/journal.ts'
import { inParallel } from '../lib/in-parallel.ts'
import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import type { Lease } from '../nodes/lease.ts'
import type { Store } from '../store.ts'
import { type AttemptParts, type Told, tell } from './attempt.ts'
import { type Delivery, givenUpMs, type Webhook } from './webhook.ts'
import type { Settlement } from './webhook-store.ts'

export type DelivererParts = AttemptParts & {
  store: Pick<Store, 'settle' | 'dueDeliveries' | 'nextDelivery' | 'nextReplay' | 'webhook'>
  journal: Pick<Journal, 'read' | 'after' | 'event'>
  log: Log
}

/** So long at most until the outcomes of a page are stored. */
const settleMs = 10_000
/** Requests to one address at a time. */
const atOnce = 10
const page = 100
/** After so many failures in a row the webhook pauses, with a growing backoff. */
const patience = 10
const firstRestMs = 5_000
const longestRestMs = 5 * 60_000
/** On stop, requests unanswered after this time are aborted and repeated after the next start. */
const graceMs = 2_000
/** If no event matches, the position is stored only every so many events: rereading is harmless. */
const unnoted = 1_000
/** How often to check for a requested replay or a due retry. */
const lookMs = 500

type Job = { event: { seq: number; type: string; json: string }; before: Delivery | undefined }

export class Deliverer {
  readonly #parts: DelivererParts
  readonly #loop: Loop
  readonly #stop = new AbortController()
  /** Also aborts requests in flight. */
  readonly #giveUp = new AbortController()
  readonly #lease: Lease
  #webhook: Webhook
  /** Failures in a row. */
  #misses = 0
  /** The position as last stored in the database. */
  #notedAt: number
  /** The lease is lost, or the webhook is disabled or removed. */
  isOver = false

  constructor(webhook: Webhook, lease: Lease, parts: DelivererParts) {
    this.#webhook = webhook
    this.#lease = lease
    this.#parts = parts
    this.#notedAt = webhook.position
    this.#loop = new Loop(
      lookMs,
      () => this.#round(),
      error => parts.log.warn({ webhook: webhook.id, err: error }, 'webhook delivery failed; will retry'),
    )
  }

  start(): void {
    this.#loop.start()
  }

  async stop(): Promise<void> {
    this.isOver = true
    this.#stop.abort()
    const late = setTimeout(() => this.#giveUp.abort(), graceMs)
    await this.#loop.stop()
    clearTimeout(late)
  }

  async #round(): Promise<number | undefined> {
    if (this.isOver) return lookMs
    const { store, journal, now } = this.#parts
    await this.#refresh()
    if (this.isOver) return lookMs
    const rest = (this.#webhook.restsUntil ?? 0) - now()
    if (rest > 0) return Math.min(rest, lookMs)
    const retries = await this.#retries()
    const hasRetried = await this.#tell(retries)
    // A replay of a month must not keep the present waiting: a page of each in turn.
    const hasReplayed = !this.isOver && !this.#rests && (await this.#replay())
    if (this.isOver || this.#rests) return 0
    const { position, environmentId } = this.#webhook
    const { tellings, last } = await journal.read(position, environmentId, this.#webhook, page)
    if (last > position) {
      await this.#tell(
        tellings.map(event => ({ event, before: undefined })),
        { last },
      )
      return 0
    }
    if (hasRetried || hasReplayed) return 0
    const due = (await store.nextDelivery(this.#webhook.id)) ?? Number.POSITIVE_INFINITY
    await journal.after(position, Math.max(0, Math.min(lookMs, due - now())), this.#stop.signal)
    return 0
  }

  get #rests(): boolean {
    return (this.#webhook.restsUntil ?? 0) > this.#parts.now()
  }

  async #retries(): Promise<Job[]> {
    const { store, journal } = this.#parts
    const jobs: Job[] = []
    for (const before of await store.dueDeliveries(this.#webhook.id, this.#window)) {
      const event = await journal.event(before.eventSeq)
      // An event deleted from the journal can no longer be delivered.
      jobs.push({ event: event ?? { seq: before.eventSeq, type: '', json: '' }, before })
    }
    return jobs
  }

  async #replay(): Promise<boolean> {
    const { store, journal } = this.#parts
    const replay = await store.nextReplay(this.#webhook.id)
    if (!replay) return false
    const { tellings, last } = await journal.read(
      replay.position,
      this.#webhook.environmentId,
      this.#webhook,
      page,
    )
    const jobs = tellings
      .filter(({ seq }) => seq <= replay.untilSeq)
      .map(event => ({ event, before: undefined }))
    const told = await this.#tellAll(jobs)
    const isWhole = told.length === jobs.length
    const position = isWhole ? last : (told.at(-1)?.delivery.eventSeq ?? replay.position)
    const isOver = isWhole && (last >= replay.untilSeq || last === replay.position)
    await this.#settle(told, this.#webhook.position, { id: replay.id, position, isOver })
    return true
  }

  /** An address in trouble is tried with one event, before all the others come. */
  get #window(): number {
    return this.#misses >= patience ? 1 : atOnce
  }

  /** Returns whether there was anything to deliver. `last`: the journal position once all is delivered. */
  async #tell(jobs: readonly Job[], fresh?: { last: number }): Promise<boolean> {
    if (jobs.length === 0 && !fresh) return false
    if (jobs.length === 0 && fresh!.last - this.#notedAt < unnoted) {
      this.#webhook = { ...this.#webhook, position: fresh!.last }
      return true
    }
    const told = await this.#tellAll(jobs)
    const isWhole = told.length === jobs.length
    const reached = isWhole ? fresh?.last : told.at(-1)?.delivery.eventSeq
    await this.#settle(told, fresh && reached !== undefined ? reached : this.#webhook.position)
    return true
  }

  /** Returns the attempts made, in order: if the address starts to fail, the rest is left for later. */
  async #tellAll(jobs: readonly Job[]): Promise<Told[]> {
    const told: Told[] = []
    let isEnough = false
    const begunAt = performance.now()
    const some = this.#misses >= patience ? jobs.slice(0, 1) : jobs
    await inParallel(some.length, this.#window, async index => {
      if (isEnough || this.isOver || !this.#lease.isHeld()) return
      const { event, before } = some[index]!
      const one =
        event.json === ''
          ? forgotten(before!)
          : await tell(this.#parts, this.#webhook, event, before, this.#giveUp.signal)
      if (this.#giveUp.signal.aborted) return
      told[index] = one
      if (one.delivery.state === 'delivered') this.#misses = 0
      else if (one.url !== undefined) this.#misses += 1
      isEnough ||=
        this.#misses >= patience ||
        one.restsUntil !== undefined ||
        one.disable !== undefined ||
        performance.now() - begunAt > settleMs
    })
    // Up to the first unfinished attempt: everything after it is sent again.
    const gap = some.findIndex((_, index) => told[index] === undefined)
    return gap === -1 ? told : told.slice(0, gap)
  }

  async #settle(told: readonly Told[], position: number, replay?: Settlement['replay']): Promise<void> {
    const { store, now, log } = this.#parts
    const { id, url, failingSince } = this.#webhook
    const asked = Math.max(0, ...told.map(({ restsUntil = 0 }) => restsUntil))
    const tired = this.#misses >= patience ? now() + this.#restMs() : 0
    const tried = told.filter(({ url }) => url !== undefined)
    const succeeded = tried.some(({ delivery }) => delivery.state === 'delivered')
    const failed = tried.length > 0 && !succeeded
    const isHopeless = failed && failingSince !== null && now() - failingSince >= givenUpMs
    const disable = told.find(one => one.disable)?.disable ?? (isHopeless ? 'failing' : undefined)
    const settled = await store.settle({
      id,
      epoch: this.#lease.epoch,
      url,
      position,
      ...(tried.length > 0 && { isWell: succeeded }),
      deliveries: told.map(({ delivery }) => delivery),
      restsUntil: Math.max(asked, tired) || null,
      ...(replay && { replay }),
      ...(disable && { disable }),
    })
    if (settled && !settled.enabled)
      log.warn({ webhook: id, reason: settled.disabledReason }, 'webhook disabled')
    if (settled?.enabled) this.#take(settled)
    else this.isOver = true
  }

  #restMs(): number {
    return Math.min(longestRestMs, firstRestMs * 2 ** Math.min(10, this.#misses - patience))
  }

  /** Somebody may have changed it a moment ago. */
  async #refresh(): Promise<void> {
    const { environmentId, id, url } = this.#webhook
    const fresh = await this.#parts.store.webhook(environmentId, id)
    if (!fresh?.enabled || !this.#lease.isHeld()) {
      this.isOver = true
      return
    }
    if (fresh.url !== url) this.#misses = 0
    this.#take(fresh)
  }

  /** Takes over the stored webhook, but never moves the position back. */
  #take(webhook: Webhook): void {
    this.#notedAt = webhook.position
    this.#webhook = { ...webhook, position: Math.max(webhook.position, this.#webhook.position) }
  }
}

const forgotten = (before: Delivery): Told => ({ delivery: { ...before, state: 'failed', dueAt: null } })
