/** Takes the queued messages of one device and hands them to its link, as fast as the device's pace allows. */

import type { Link } from './link.ts'
import { LinkDown } from './link.ts'
import type { Log } from './log.ts'
import { Loop } from './loop.ts'
import type { Message, Receipt } from './message.ts'
import type { Store } from './store.ts'

export type PumpParts = {
  deviceId: string
  send: NonNullable<Link['send']>
  store: Pick<Store, 'claim' | 'release'>
  record: (receipt: Receipt) => Promise<void>
  claimed: (messages: readonly Message[]) => void
  now: () => number
  log: Log
}

/** Small enough that a crash leaves few messages between two states, large enough that a commit is shared by many. */
const handful = 100
/** Only a net: an idle pump is woken when there is something to do. */
const idleMs = 60_000
/** A line that is down is tried again after this long. */
const downMs = 1_000

export class Pump {
  readonly #parts: PumpParts
  readonly #loop: Loop

  constructor(parts: PumpParts) {
    this.#parts = parts
    this.#loop = new Loop(
      idleMs,
      () => this.#round(),
      error => parts.log.error({ device: parts.deviceId, err: error }, 'could not hand messages to a device'),
    )
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  wake(): void {
    this.#loop.wake()
  }

  async #round(): Promise<number | undefined> {
    const { store, deviceId, claimed, now } = this.#parts
    const { messages, retryAt } = await store.claim(deviceId, handful)
    if (messages.length > 0) {
      claimed(messages)
      const handed = await Promise.all(messages.map(message => this.#hand(message)))
      if (!handed.every(Boolean)) return downMs
      // More may be waiting; if not, whoever queues a message wakes this pump.
      if (messages.length === handful) return 0
    }
    return retryAt === null ? undefined : Math.max(1, retryAt - now())
  }

  /** False: the line is down and the message is back in the queue. */
  async #hand(message: Message): Promise<boolean> {
    const { send, store, record, log, deviceId } = this.#parts
    try {
      const receipt = await send(message)
      if (receipt) await record(receipt)
      return true
    } catch (error) {
      if (error instanceof LinkDown) {
        await store.release(message)
        return false
      }
      // Perhaps it left, perhaps not: the message stays with this device until it reports or the validity ends.
      log.warn({ message: message.id, device: deviceId, err: error }, 'uncertain whether a message left')
      return true
    }
  }
}
