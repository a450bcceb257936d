/** What can be measured from outside, for Prometheus. */

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Fleet } from '../core/devices/fleet.ts'
import type { Receipt } from '../core/messages/message.ts'
import type { Store } from '../core/store.ts'
import { type AnsweredRequest, RequestDurations } from './request-durations.ts'

const secondsBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

export class Metrics {
  readonly #registry = new Registry()
  readonly #loopDelay = monitorEventLoopDelay({ resolution: 20 })
  readonly #requests = new RequestDurations(secondsBuckets, this.#registry)
  readonly #accepts = this.#counter('basestation_messages_accepted_total', 'Messages accepted.', [
    'environment',
  ])
  readonly #receipts = this.#counter(
    'basestation_receipts_total',
    'Receipts from devices; moved=false: late or repeated.',
    ['outcome', 'moved'],
  )
  readonly #commits = this.#histogram('basestation_commit_seconds', 'Commits and how long they took.')
  readonly #commitCalls = new Histogram({
    name: 'basestation_commit_calls',
    help: 'Writes that shared one commit.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_000],
    registers: [this.#registry],
  })

  readonly #told = this.#counter('basestation_webhook_attempts_total', 'Events posted to webhooks.', [
    'outcome',
  ])

  readonly #moved = new Map<string, number>()
  readonly #repeated = new Map<string, number>()

  constructor() {
    this.#loopDelay.enable()
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 20 })
  }

  /** Looked at only when somebody asks. */
  watch(fleet: Fleet, store: Pick<Store, 'oldestWaiting'>, now: () => number): void {
    const waiting = this.#gauge('basestation_queue_messages', 'Messages waiting for a device.')
    const age = this.#gauge('basestation_queue_oldest_seconds', 'Age of the oldest waiting message.')
    const online = this.#gauge('basestation_devices_online', 'Devices that are online.')
    const loop = new Gauge({
      name: 'basestation_event_loop_delay_seconds',
      help: '99th percentile of the event loop’s delay since the last look.',
      registers: [this.#registry],
    })
    this.#collect = async () => {
      for (const gauge of [waiting, age, online]) gauge.reset()
      const kinds = new Map<string, { waiting: number; online: number; oldest: number }>()
      // Without storage the rest is still worth knowing, and just then.
      const rows = await Promise.resolve(store.oldestWaiting()).catch(() => [])
      const oldest = new Map(rows.map(row => [row.deviceId, row.createdAt]))
      for (const { device, load, online } of fleet.members()) {
        if (device.removedAt !== null && load.waiting === 0) continue
        const sum = kinds.get(device.kind) ?? { waiting: 0, online: 0, oldest: Infinity }
        sum.waiting += load.waiting
        sum.online += online ? 1 : 0
        sum.oldest = Math.min(sum.oldest, oldest.get(device.id) ?? Infinity)
        kinds.set(device.kind, sum)
      }
      for (const [kind, sum] of kinds) {
        waiting.set({ kind }, sum.waiting)
        online.set({ kind }, sum.online)
        age.set({ kind }, Number.isFinite(sum.oldest) ? Math.max(0, (now() - sum.oldest) / 1_000) : 0)
      }
      loop.set(this.#loopDelay.percentile(99) / 1e9)
      this.#loopDelay.reset()
    }
  }

  #collect: () => Promise<void> = async () => {}

  answered(request: AnsweredRequest): void {
    this.#requests.observe(request)
  }

  accepted(environment: string, messages: number): void {
    this.#accepts.inc({ environment }, messages)
  }

  /** Counted here and passed on at each scrape: prom-client takes longer to find a label than we to record. */
  receipt({ outcome }: Receipt, moved: boolean): void {
    const tally = moved ? this.#moved : this.#repeated
    tally.set(outcome, (tally.get(outcome) ?? 0) + 1)
  }

  told(isTaken: boolean): void {
    this.#told.inc({ outcome: isTaken ? 'taken' : 'failed' })
  }

  #countReceipts(): void {
    for (const [tally, moved] of [
      [this.#moved, 'true'],
      [this.#repeated, 'false'],
    ] as const) {
      for (const [outcome, count] of tally) this.#receipts.inc({ outcome, moved }, count)
      tally.clear()
    }
  }

  committed(calls: number, seconds: number): void {
    this.#commits.observe(seconds)
    this.#commitCalls.observe(calls)
  }

  async text(): Promise<{ type: string; text: string }> {
    this.#countReceipts()
    await this.#collect()
    return { type: this.#registry.contentType, text: await this.#registry.metrics() }
  }

  stop(): void {
    this.#loopDelay.disable()
  }

  #gauge(name: string, help: string): Gauge<'kind'> {
    return new Gauge({ name, help, labelNames: ['kind'], registers: [this.#registry] })
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] })
  }

  #histogram(name: string, help: string): Histogram {
    return new Histogram({ name, help, buckets: secondsBuckets, registers: [this.#registry] })
  }
}
