/** A simulated phone: for the first run, for staging, for tests, and as the model for new links. */

import type { Device } from '../core/devices/device.ts'
import { simulated } from '../core/devices/kinds/simulated.ts'
import { answerMs, simulatedOutcome } from '../core/devices/simulated-outcome.ts'
import type { Link, LinkKind, News } from '../core/link.ts'
import type { Message, Receipt } from '../core/messages/message.ts'

/** How long a report that could not be stored waits for the next try, as a real phone's would. */
const retryMs = 1_000

export type SimulatedOptions = {
  now: () => number
  /** Multiplies every delay: 0 reports at once. */
  pace?: number
  /** Called for each message the phone sends: the phone's own ledger, for tests. */
  onAir?: (message: Message, device: Device) => void
}

export function simulatedPhones({ now, pace = 1, onAir }: SimulatedOptions): LinkKind {
  return {
    kind: simulated.name,
    open: (device, news) => new SimulatedPhone(device, news, now, pace, onAir),
  }
}

class SimulatedPhone implements Link {
  readonly #device: Device
  readonly #news: News
  readonly #now: () => number
  readonly #pace: number
  readonly #onAir: SimulatedOptions['onAir']
  readonly #timers = new Set<NodeJS.Timeout>()
  #closed = false

  constructor(device: Device, news: News, now: () => number, pace: number, onAir: SimulatedOptions['onAir']) {
    this.#device = device
    this.#news = news
    this.#now = now
    this.#pace = pace
    this.#onAir = onAir
    // If that cannot be stored now, the gateway notes it at its next look at the links.
    news.online(true).catch(() => {})
  }

  async send(message: Message): Promise<undefined> {
    this.#onAir?.(message, this.#device)
    this.#live(message, 0)
  }

  resume(messages: readonly Message[]): void {
    for (const message of messages) this.#live(message, this.#now() - (message.handedAt ?? this.#now()))
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
  }

  #live(message: Message, elapsed: number): void {
    const fate = simulatedOutcome(message.recipient)
    const report = (outcome: Receipt['outcome'], delay: number | undefined, error?: Receipt['error']) => {
      if (delay === undefined) return
      this.#later(delay - elapsed, () =>
        this.#news.receipt({
          messageId: message.id,
          deviceId: this.#device.id,
          outcome,
          at: this.#now(),
          ...(error && { error }),
        }),
      )
    }
    report('failed', fate.failed, { code: 'network_rejected' })
    report('sent', fate.sent)
    report('delivered', fate.delivered)
    if (fate.answer !== undefined) this.#answer(message, fate.answer, answerMs - elapsed)
  }

  #answer(message: Message, text: string, delay: number): void {
    this.#later(delay, () =>
      this.#news.received({
        sender: message.recipient,
        text,
        type: 'sms',
        metadata: { sim_slot: 1, sent_at: new Date(this.#now()).toISOString() },
        externalId: `answer-to-${message.id}`,
      }),
    )
  }

  #later(delay: number, tell: () => Promise<void>): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        tell().catch(() => {
          if (!this.#closed) this.#later(retryMs, tell)
        })
      },
      Math.max(0, delay * this.#pace),
    )
    this.#timers.add(timer)
  }
}
