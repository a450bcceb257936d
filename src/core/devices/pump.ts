/**
 * Takes the queued messages of one device and hands them to its link, as fast as the device's pace allows.
 *
 *     claim ──ok──▶ under way ──receipt──────────▶ recorded
 *       │               ├──LinkDown (not sent)───▶ released to the queue; rests 2 s, doubled up to 5 min
 *       │               └──any other error───────▶ stays with the device until it reports or expires
 *       └──failed─▶ in doubt: the commit may exist. Look up what it took, then go on as after ok
 *
 * A receipt or release that storage refuses becomes a debt. Debts are paid before the next claim.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import type { Link } from '../link.ts'
import { LinkDown } from '../link.ts'
import type { Message, Receipt } from '../messages/message.ts'
import type { Lease } from '../nodes/lease.ts'
import type { Store } from '../store.ts'

export type PumpParts = {
  deviceId: string
  lease: Lease
  send: NonNullable<Link['send']>
  isUp: () => boolean
  store: Pick<Store, 'claim' | 'release' | 'unanswered' | 'ping'>
  record: (receipt: Receipt) => Promise<void>
  claimed: (messages: readonly Message[]) => void
  now: () => number
  log: Log
}

/** Small enough that a crash leaves few messages between two states, large enough that a commit is shared by many. */
const handful = 100
/** Only a net: an idle pump is woken when there is something to do. */
const idleMs = 60_000
/** A line that is down is tried again after this long, however many messages come to wait for it. */
const downMs = 1_000
/** How long a round waits at most for the answers to its messages. */
const patienceMs = 250
const longestRestMs = 300_000
/** More than any link answers for later. */
const mostHanded = 50_000
/** An hour: what storage does not take by then is left to the end of its validity. */
const mostTries = 3_600
const mostRests = 200
const page = 500

export class Pump {
  readonly #parts: PumpParts
  readonly #loop: Loop
  /** Writes that storage refused. They are retried before anything else is done. */
  #debts: (() => Promise<void>)[] = []
  /** A claim failed, and yet may have been kept. */
  #isInDoubt = false
  /** What was handed to the link, by id, with the attempt: never again under this lease. */
  readonly #handed = new BoundedMap<string, number>(mostHanded)
  #downUntil = 0
  readonly #rests = new BoundedMap<number, { times: number; until: number }>(mostRests)
  /** Messages the link has not answered yet: a slow one does not block the others. */
  readonly #underWay = new Map<string, Promise<void>>()

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

  async stop(): Promise<void> {
    await this.#loop.stop()
    await Promise.all(this.#underWay.values())
  }

  wake(): void {
    this.#loop.wake()
  }

  /**
   * The lease is lost: nothing more is handed over. What is owed to storage is still paid, and what was claimed and never
   * left is given back, however long storage is away.
   */
  async abandon(): Promise<void> {
    await this.stop()
    const { log, deviceId, store } = this.#parts
    for (let tries = 0; tries < mostTries; tries += 1) {
      try {
        await this.#payDebts()
        if (this.#isInDoubt) for (const message of await this.#unhanded()) await store.release(message)
        return
      } catch (error) {
        if (tries === 0) log.warn({ device: deviceId, err: error }, 'a lost link owes something to storage')
        await sleep(downMs, undefined, { ref: false })
      }
    }
  }

  async #round(): Promise<number | undefined> {
    await this.#payDebts()
    const down = this.#downUntil - performance.now()
    if (down > 0) return down
    if (!this.#parts.isUp() || !this.#parts.lease.isHeld()) return downMs
    const { now } = this.#parts
    const room = handful - this.#underWay.size
    // Whichever is answered first wakes this pump.
    if (room === 0) return undefined
    const resting = this.#resting()
    const { messages, retryAt } = this.#isInDoubt ? await this.#recover() : await this.#claim(room, resting)
    for (const message of messages) this.#start(message)
    await this.#most()
    if (this.#debts.length > 0 || this.#downUntil > performance.now()) return downMs
    // More may be waiting; if not, whoever queues a message wakes this pump.
    if (messages.length === room) return 0
    // Those that were left out, also if they have rested enough meanwhile.
    const rested = Math.min(...resting.map(({ until }) => until)) - performance.now()
    const allowed = retryAt === null ? Infinity : retryAt - now()
    const next = Math.min(rested, allowed)
    return next === Infinity ? undefined : Math.max(1, next)
  }

  #start(message: Message): void {
    this.#handed.set(message.id, message.attempts)
    const work = this.#hand(message).finally(() => {
      this.#underWay.delete(message.id)
      if (this.#underWay.size === handful - 1 || this.#debts.length > 0) this.wake()
    })
    this.#underWay.set(message.id, work)
  }

  /** Most links answer at once: then the next claim takes many together again. */
  async #most(): Promise<void> {
    const patience = sleep(patienceMs, undefined, { ref: false })
    await Promise.race([Promise.all(this.#underWay.values()), patience])
  }

  async #claim(room: number, resting: readonly { seq: number }[]) {
    const { store, deviceId, lease, claimed } = this.#parts
    try {
      const claim = await store.claim(deviceId, room, {
        epoch: lease.epoch,
        except: resting.map(({ seq }) => seq),
      })
      claimed(claim.messages)
      return claim
    } catch (error) {
      this.#isInDoubt = true
      throw error
    }
  }

  /**
   * A commit that failed may be there all the same. What was claimed under this lease and never handed to the link came
   * from that claim. What came under another lease was claimed by another node.
   */
  async #recover() {
    const { deviceId, log } = this.#parts
    const messages = await this.#unhanded()
    this.#isInDoubt = false
    if (messages.length > 0)
      log.warn(
        { device: deviceId, messages: messages.length },
        'a claim that seemed to fail was committed; handing over its messages',
      )
    return { messages, retryAt: 0 }
  }

  async #unhanded(): Promise<Message[]> {
    const { store, deviceId, lease } = this.#parts
    // Writers take turns: once this is through, the commit in doubt is decided.
    await store.ping()
    const messages: Message[] = []
    for (let after = 0; ; ) {
      const some = await store.unanswered(deviceId, after, page)
      messages.push(
        ...some.filter(
          ({ id, epoch, attempts }) => epoch === lease.epoch && this.#handed.get(id) !== attempts,
        ),
      )
      if (some.length < page) break
      after = some.at(-1)!.seq
    }
    return messages
  }

  async #hand(message: Message): Promise<void> {
    const { send, store, record, log, deviceId, lease } = this.#parts
    let receipt: Receipt | undefined
    try {
      // This process may have slept since it claimed the message.
      if (!lease.isHeld()) throw new LinkDown('another node may have the link')
      receipt = await send(message)
    } catch (error) {
      if (error instanceof LinkDown) {
        this.#downUntil = performance.now() + downMs
        this.#rest(message)
        await this.#owe(() => store.release(message))
        return
      }
      // Perhaps it left, perhaps not: the message stays with this device until it reports or the validity ends.
      log.warn(
        { message: message.id, device: deviceId, err: error },
        'cannot tell whether a message was sent',
      )
      return
    }
    this.#rests.delete(message.seq)
    if (receipt) await this.#owe(() => record(receipt))
  }

  /** Backoff: back in the queue, it is skipped for a while, since it may be what makes the link fail. */
  #rest({ seq }: Message): void {
    const times = (this.#rests.get(seq)?.times ?? 0) + 1
    const pause = Math.min(longestRestMs, downMs * 2 ** times)
    this.#rests.set(seq, { times, until: performance.now() + pause })
  }

  #resting(): { seq: number; until: number }[] {
    const now = performance.now()
    return [...this.#rests].flatMap(([seq, { until }]) => (until > now ? [{ seq, until }] : []))
  }

  async #owe(tell: () => Promise<void>): Promise<void> {
    try {
      await tell()
    } catch (error) {
      this.#parts.log.warn({ device: this.#parts.deviceId, err: error }, 'storage unavailable; will retry')
      this.#debts.push(tell)
    }
  }

  async #payDebts(): Promise<void> {
    while (this.#debts.length > 0) {
      await this.#debts[0]!()
      this.#debts.shift()
    }
  }
}
