/** Holds the live links of this node: opens them, closes them, and runs a pump for each that is pushed to. */

import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import { Rerun } from '../lib/rerun.ts'
import type { Link, LinkKind, News } from '../link.ts'
import { deviceLease, type Lease } from '../nodes/lease.ts'
import type { Membership } from '../nodes/membership.ts'
import type { Store } from '../store.ts'
import type { Device } from './device.ts'
import type { Fleet } from './fleet.ts'
import type { DeviceKind } from './kinds/kinds.ts'
import { Pump } from './pump.ts'

/** How soon this node notices what other processes changed: half of the promised second. */
const lookMs = 500
const resumePage = 500

export type DispatcherParts = {
  membership: Pick<Membership, 'name' | 'takeLinks'>
  kinds: readonly LinkKind[]
  fleet: Fleet
  store: Pick<Store, 'claim' | 'release' | 'presence' | 'unanswered' | 'adopt' | 'letGo' | 'ping'>
  news: (device: Device) => Omit<News, 'online'>
  now: () => number
  log: Log
}

type Line = {
  link: Link
  pump: Pump | undefined
  /** Undefined: it is pulled, and nobody has to hold it. */
  lease: Lease | undefined
  /** What the link said last; undefined: nothing yet. */
  online: boolean | undefined
}

export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #kinds: ReadonlyMap<DeviceKind, LinkKind>
  readonly #lines = new Map<string, Line>()
  readonly #opening = new Set<string>()
  /** Lines being closed: their pending hand-overs may be slow and must not block other devices. */
  readonly #ending = new Map<string, Promise<void>>()
  readonly #look: Loop
  readonly #refreshing = new Rerun(async () => {
    await this.#parts.fleet.refresh()
    await this.#sync()
  })
  #stopping = false
  /** It takes no more links. */
  #handingOver = false

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#kinds = new Map(parts.kinds.map(kind => [kind.kind, kind]))
    this.#look = new Loop(
      lookMs,
      () => this.#round(),
      error => parts.log.error({ err: error }, 'link check failed; will retry'),
    )
  }

  /** Resolves when the links of this node have been opened. */
  async start(): Promise<void> {
    await this.#round()
    this.#look.start()
  }

  /** Hands over what was claimed and closes the links. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#look.stop()
    // Somebody may have asked for a refresh just now; after this one no link is being opened any more.
    await this.#refreshing.run().catch(() => {})
    for (const deviceId of this.#lines.keys()) this.#hangUp(deviceId)
    await Promise.all(this.#ending.values())
  }

  /** Lets other nodes take the links at once. Phones stay until their streams end. */
  async handOver(): Promise<void> {
    this.#handingOver = true
    await this.#refreshing.run().catch(() => {})
    this.lapse()
    await Promise.all(this.#ending.values())
  }

  /** Another node may hold the links by now: they are closed at once. */
  lapse(): void {
    for (const [deviceId, { lease }] of this.#lines) if (lease) this.#hangUp(deviceId)
  }

  /** There is something to do for this device. */
  wake(deviceId: string): void {
    const line = this.#lines.get(deviceId)
    line?.pump?.wake()
    line?.link.wake?.()
  }

  /** Whether the device can be asked not to send what it was given. */
  canCancel(device: Device): boolean {
    return this.#kinds.get(device.kind)?.canCancel?.(device) ?? false
  }

  /** Reads the devices again and opens the links of new ones at once: for callers who cannot wait for the next look. */
  refresh(): Promise<void> {
    return this.#refreshing.run()
  }

  async #round(): Promise<undefined> {
    const { fleet } = this.#parts
    await this.refresh()
    for (const { device, load } of fleet.members())
      if (load.waiting > 0 && !device.paused) this.wake(device.id)
  }

  async #sync(): Promise<void> {
    if (this.#stopping) return
    const { fleet, membership } = this.#parts
    const work: Promise<void>[] = []
    const pulled: Device[] = []
    const held: Device[] = []
    for (const { device } of fleet.members()) {
      const line = this.#lines.get(device.id)
      if (line) {
        const isLost = line.lease && !line.lease.isHeld()
        if (device.removedAt !== null || isLost || this.#heldElsewhere(device)) {
          this.#hangUp(device.id)
          continue
        }
        line.link.adapt?.(device)
        if (!this.#isNoted(device, line)) work.push(this.#note(device, line).then(() => {}))
      } else if (this.#isToOpen(device)) (this.#isPulled(device) ? pulled : held).push(device)
    }
    const leases = held.length > 0 ? await membership.takeLinks(held.map(({ id }) => id)) : new Map()
    for (const device of pulled) work.push(this.#openOnce(device, undefined))
    for (const device of held) {
      const lease = leases.get(device.id)
      if (lease) work.push(this.#openOnce(device, lease))
    }
    if (work.length === 0) return
    // All of them: one that fails must not hide that others are still being opened.
    const done = await Promise.allSettled(work)
    await fleet.refresh()
    for (const one of done) if (one.status === 'rejected') throw one.reason
  }

  async #openOnce(device: Device, lease: Lease | undefined): Promise<void> {
    this.#opening.add(device.id)
    try {
      await this.#open(device, lease)
    } finally {
      this.#opening.delete(device.id)
    }
  }

  #isToOpen(device: Device): boolean {
    if (device.removedAt !== null || !this.#kinds.has(device.kind)) return false
    if (this.#opening.has(device.id) || this.#ending.has(device.id)) return false
    if (this.#isPulled(device)) return !this.#heldElsewhere(device)
    // A node that drains keeps its devices online until somebody has taken their links.
    return (
      !this.#handingOver && (!this.#heldElsewhere(device) || this.#parts.fleet.isDraining(device.heldBy!))
    )
  }

  #isPulled({ kind }: Device): boolean {
    return this.#kinds.get(kind)?.isPulled ?? false
  }

  /** Another living node holds the link. */
  #heldElsewhere({ heldBy }: Device): boolean {
    const { membership, fleet } = this.#parts
    return heldBy !== null && heldBy !== membership.name && fleet.isAlive(heldBy)
  }

  #isNoted(device: Device, line: Line): boolean {
    // A link that changes hands stays as it was until it has something to say.
    if (line.online === undefined) return true
    return device.online === line.online && (!line.online || device.heldBy === this.#parts.membership.name)
  }

  /** False: another node was quicker, and has the link. */
  #note({ id, heldBy }: Device, { online = false, lease }: Line): Promise<boolean> {
    const only = lease ? { epoch: lease.epoch } : { insteadOf: heldBy }
    return this.#parts.store.presence(id, this.#parts.membership.name, online, only)
  }

  async #open(device: Device, lease: Lease | undefined): Promise<void> {
    const { store, news, now, log, fleet } = this.#parts
    log.debug({ device: device.id, kind: device.kind, epoch: lease?.epoch }, 'opening a link')
    const told = lease ? fenced(news(device), lease) : news(device)
    const line: Line = {
      link: { close: async () => {} },
      pump: undefined,
      lease,
      online: lease ? undefined : false,
    }
    const link = this.#kinds.get(device.kind)!.open(
      device,
      {
        ...told,
        online: async online => {
          line.online = online
          await this.#note(device, line)
        },
      },
      lease ?? everybodys,
    )
    line.link = link
    if (link.send)
      line.pump = new Pump({
        deviceId: device.id,
        lease: lease ?? everybodys,
        send: message => link.send!(message),
        isUp: () => link.isUp?.() ?? true,
        store,
        record: told.receipt,
        claimed: messages => fleet.noteClaimed(device.id, messages),
        now,
        log,
      })
    let isOurs: boolean
    try {
      await this.#resume(device.id, link, lease)
      // A link that is not up yet says nothing, and is opened by several until it is.
      isOurs = !line.online || (await this.#note(device, line))
    } catch (error) {
      // Without storage there is nothing to do for the device; the next look opens the link again.
      await link.close()
      throw error
    }
    // If two nodes gave messages to one device, one of them would never get its receipts.
    const isWanted = lease ? lease.isHeld() && !this.#handingOver : true
    if (this.#stopping || !isOurs || !isWanted) {
      await link.close()
      if (lease && this.#handingOver) await store.letGo(this.#parts.membership.name, [deviceLease(device.id)])
      return
    }
    this.#lines.set(device.id, line)
    line.pump?.start()
  }

  async #resume(deviceId: string, link: Link, lease: Lease | undefined): Promise<void> {
    if (!link.resume) return
    // From now on only this link says what became of them.
    if (lease) await this.#parts.store.adopt(deviceId, lease.epoch)
    let after = 0
    for (;;) {
      const messages = await this.#parts.store.unanswered(deviceId, after, resumePage)
      if (messages.length === 0) return
      link.resume(messages)
      after = messages.at(-1)!.seq
    }
  }

  #hangUp(deviceId: string): void {
    const line = this.#lines.get(deviceId)
    if (!line) return
    this.#lines.delete(deviceId)
    const ended = this.#end(deviceId, line)
      .catch(error => this.#parts.log.error({ device: deviceId, err: error }, 'could not end a link'))
      .finally(() => this.#ending.delete(deviceId))
    this.#ending.set(deviceId, ended)
  }

  async #end(deviceId: string, line: Line): Promise<void> {
    const { store, membership } = this.#parts
    const { pump, link, lease } = line
    if (lease && !lease.isHeld()) {
      // Another node may hold it by now. What hangs in the old line is not waited for: whatever comes of it is fenced off,
      // and this node may be the next to open the link.
      const abandoned = pump?.abandon()
      await link.close()
      abandoned?.catch(error =>
        this.#parts.log.error({ device: deviceId, err: error }, 'a lost link did not end'),
      )
      return
    }
    await pump?.stop()
    await link.close()
    if (this.#stopping) return
    if (!this.#handingOver) {
      await store.presence(deviceId, membership.name, false, lease ? { epoch: lease.epoch } : {})
      return
    }
    // Whoever takes it goes on where this node stops; until then the device counts as online.
    if (lease) await store.letGo(membership.name, [deviceLease(deviceId)])
  }
}

/** Receipts say under which lease they came. */
const fenced = (told: Omit<News, 'online'>, { epoch }: Lease): Omit<News, 'online'> => ({
  ...told,
  receipt: receipt => told.receipt({ ...receipt, epoch }),
})

/** Of a link that nobody has to hold. */
const everybodys: Lease = { epoch: 0, isHeld: () => true }
