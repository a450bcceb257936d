/** Tidies up: ends what outlived its validity and moves messages on that wait for a device that cannot take them. */

import type { Fleet } from '../devices/fleet.ts'
import { kindOf } from '../devices/kinds/kinds.ts'
import { dayPartsLeft } from '../devices/pace.ts'
import { isHeldBack, isResting, isRestricted, limitsOf } from '../devices/sending-safety.ts'
import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import type { Store } from '../store.ts'
import { type Candidate, choose, Weight } from './choose.ts'
import type { Message } from './message.ts'
import type { Transfer } from './message-store.ts'

const intervalMs = 1_000
/** One commit's worth: a large backlog is worked off in steps, so that sends are never held up for long. */
const step = 500
/** How often it is looked whether there is something to forget. */
const forgetMs = 60_000

export type SweeperParts = {
  store: Pick<Store, 'expire' | 'transfer' | 'abandon' | 'movable' | 'forgetAnswers'>
  fleet: Fleet
  wake: (deviceId: string) => void
  /** For how long a device may be offline before its queue moves on: a reconnect is not an outage. */
  offlineGraceMs: number
  now: () => number
  log: Log
}

export class Sweeper {
  readonly #parts: SweeperParts
  readonly #loop: Loop
  /** A device that could not be relieved is left alone for a while: choosing again each second would not help. */
  readonly #notBefore = new Map<string, number>()

  /** Removed devices that have nothing left: looked at again only if something comes to wait for them. */
  readonly #settled = new Set<string>()

  readonly #offlineSince = new Map<string, number>()

  #forgetAt = 0

  constructor(parts: SweeperParts) {
    this.#parts = parts
    this.#loop = new Loop(
      intervalMs,
      () => this.sweep(),
      error => parts.log.error({ err: error }, 'sweep failed; will retry'),
    )
  }

  start(): void {
    this.#loop.start()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** One round; 0 when there was a full step of anything, so that more may be waiting. */
  async sweep(): Promise<number | undefined> {
    const { store, fleet } = this.#parts
    let full = (await store.expire(step)) === step
    if (await this.#forget()) full = true
    for (const member of fleet.members()) {
      if (
        member.device.removedAt !== null &&
        !(this.#settled.has(member.device.id) && member.load.waiting === 0)
      ) {
        const ended = await store.abandon(member.device.id, step)
        if (ended === step) full = true
        else this.#settled.add(member.device.id)
      }
      if (this.#stuck(member) && member.load.movable > 0 && (await this.#relieve(member))) full = true
    }
    return full ? 0 : undefined
  }

  /** Deletes stored answers that have expired. True: more may be left. */
  async #forget(): Promise<boolean> {
    const { store, now } = this.#parts
    if (now() < this.#forgetAt) return false
    if ((await store.forgetAnswers(step)) === step) return true
    this.#forgetAt = now() + forgetMs
    return false
  }

  /** Its queue would wait for longer than a reconnect takes, or not all of it can go out today. */
  #stuck(member: Candidate): boolean {
    const { device, load } = member
    return (
      this.#isAway(member) ||
      device.paused ||
      this.#dayPartsLeft(member) < load.waitingParts ||
      this.#isHeldBack(member)
    )
  }

  /** WhatsApp lets it send nothing, or write to nobody new. */
  #isHeldBack({ device, load }: Candidate): boolean {
    return isHeldBack(device, load.pace, this.#parts.now())
  }

  #dayPartsLeft({ device, load }: Candidate): number {
    return dayPartsLeft(limitsOf(device, this.#parts.now()), load.pace, this.#parts.now())
  }

  /** Offline for longer than the grace time, or removed. */
  #isAway({ device, online }: Candidate): boolean {
    const { now, offlineGraceMs } = this.#parts
    if (device.removedAt !== null) return true
    if (online) {
      this.#offlineSince.delete(device.id)
      return false
    }
    const since = this.#offlineSince.get(device.id) ?? now()
    this.#offlineSince.set(device.id, since)
    return now() - since >= offlineGraceMs
  }

  /** Gives the movable messages of a stuck device to others. True: some went, and more may be waiting. */
  async #relieve(member: Candidate): Promise<boolean> {
    if (this.#resting(member)) return false
    const { store, wake, log, fleet, now } = this.#parts
    const isFree = !this.#isAway(member) && !member.device.paused
    const onlyStrangers = isFree && !isResting(member.load.pace, now()) && isRestricted(member.device, now())
    const messages = await store.movable(member.device.id, step, onlyStrangers)
    const transfers: Transfer[] = []
    // What still goes out today stays where it is, if the day's budget is all that is wrong.
    const isHeldBack = this.#isAway(member) || member.device.paused || this.#isHeldBack(member)
    let left = isHeldBack ? 0 : this.#dayPartsLeft(member)
    for (const message of messages) {
      if (message.parts <= left) {
        left -= message.parts
        continue
      }
      const transfer = this.#transfer(member, message)
      if (transfer) transfers.push(transfer)
    }
    if (transfers.length === 0) {
      this.#rest(member)
      return false
    }
    await store.transfer(transfers)
    await fleet.refresh()
    log.info(
      { device: member.device.id, messages: transfers.length },
      'moved queued messages to other devices',
    )
    for (const deviceId of new Set(transfers.map(({ to }) => to))) wake(deviceId)
    return messages.length === step
  }

  #transfer(member: Candidate, message: Message): Transfer | undefined {
    const { fleet, now } = this.#parts
    const weight = new Weight({ text: message.text, media: message.mediaUrl !== null })
    const others = fleet
      .candidates(message.environmentId)
      // A device that is held back too would only pass it back.
      .filter(other => other !== member && !this.#isHeldBack(other))
    const choice = choose(others, weight, now())
    if (!('candidate' in choice)) return undefined
    const to = choice.candidate
    const parts = weight.parts(kindOf(to.device))
    fleet.noteAccepted(to, 1, parts)
    return {
      messageId: message.id,
      from: member.device.id,
      to: to.device.id,
      oldParts: message.parts,
      parts,
      reason: reasonOf(member, this.#isHeldBack(member)),
    }
  }

  #rest(member: Candidate): void {
    this.#notBefore.set(member.device.id, this.#parts.now() + 5_000)
  }

  #resting(member: Candidate): boolean {
    return (this.#notBefore.get(member.device.id) ?? 0) > this.#parts.now()
  }
}

function reasonOf({ device, online }: Candidate, isHeldBack: boolean): string {
  if (device.removedAt !== null) return 'removed'
  if (device.paused) return 'paused'
  if (!online) return 'offline'
  return isHeldBack ? 'restricted' : 'out_of_budget'
}
