/** Queues scheduled messages when they are due. */

import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import type { Store } from '../store.ts'

/** How soon it is seen what another process scheduled. */
const lookMs = 250
/** One commit's worth: thousands of messages for one moment must not hold up everybody else. */
const step = 500

export type SchedulerParts = {
  store: Pick<Store, 'fallDue' | 'nextDue'>
  wake: (deviceId: string) => void
  now: () => number
  log: Log
}

export class Scheduler {
  readonly #parts: SchedulerParts
  readonly #loop: Loop

  constructor(parts: SchedulerParts) {
    this.#parts = parts
    this.#loop = new Loop(
      lookMs,
      () => this.#round(),
      error => parts.log.error({ err: error }, 'scheduler failed; will retry'),
    )
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  async #round(): Promise<number | undefined> {
    const { store, wake, now } = this.#parts
    const next = await store.nextDue()
    if (next === undefined) return undefined
    if (next > now()) return Math.min(lookMs, next - now())
    const devices = await store.fallDue(step)
    for (const deviceId of new Set(devices)) wake(deviceId)
    return devices.length === step ? 0 : undefined
  }
}
