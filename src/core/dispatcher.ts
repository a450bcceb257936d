/** Holds the live links of this node: opens them, closes them, and runs a pump for each that is pushed to. */

import type { Candidate } from './choose.ts'
import type { Device, DeviceKind } from './device.ts'
import { type Fleet, nodeTimeoutMs } from './fleet.ts'
import type { Link, LinkKind, News } from './link.ts'
import type { Log } from './log.ts'
import { Loop } from './loop.ts'
import type { Message } from './message.ts'
import { Pump } from './pump.ts'
import type { Store } from './store.ts'

/** How soon this node notices what other processes changed: half of the promised second. */
const lookMs = 500
const beatMs = nodeTimeoutMs / 4
const resumePage = 500

export type DispatcherParts = {
  /** This node's name, unlike that of any other living node. */
  node: string
  /** Whether a node is known to have ended, so that its links need not wait for the time-out. */
  ended: (node: string) => boolean
  kinds: readonly LinkKind[]
  fleet: Fleet
  store: Pick<Store, 'claim' | 'release' | 'presence' | 'beat' | 'nodes' | 'unanswered'>
  news: (device: Device) => Omit<News, 'online'>
  now: () => number
  log: Log
}

type Line = { link: Link; pump: Pump | undefined }

export class Dispatcher {
  readonly #parts: DispatcherParts
  readonly #kinds: ReadonlyMap<DeviceKind, LinkKind>
  readonly #lines = new Map<string, Line>()
  readonly #look: Loop
  #beatAt = -Infinity
  #stopping = false

  constructor(parts: DispatcherParts) {
    this.#parts = parts
    this.#kinds = new Map(parts.kinds.map(kind => [kind.kind, kind]))
    this.#look = new Loop(
      lookMs,
      () => this.#round(),
      error => parts.log.error({ err: error }, 'could not look after the links'),
    )
  }

  /** Resolves when the links of this node have been opened. */
  async start(): Promise<void> {
    await this.#round()
    this.#look.start()
  }

  /** Hands over what was claimed, closes the links and says that their devices are offline. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#look.stop()
    await Promise.all([...this.#lines.keys()].map(deviceId => this.#hangUp(deviceId)))
  }

  /** There is something to do for this device. */
  wake(deviceId: string): void {
    this.#lines.get(deviceId)?.pump?.wake()
  }

  /** Reads the devices again and opens the links of new ones at once: for callers who cannot wait for the next look. */
  async refresh(): Promise<void> {
    await this.#parts.fleet.refresh()
    await this.#sync()
  }

  async #round(): Promise<undefined> {
    const { store, node, fleet, now } = this.#parts
    if (now() - this.#beatAt >= beatMs) {
      await store.beat(node)
      this.#beatAt = now()
    }
    await this.refresh()
    for (const { device, load } of fleet.members()) if (load.waiting > 0) this.wake(device.id)
  }

  async #sync(): Promise<void> {
    if (this.#stopping) return
    const { fleet, log } = this.#parts
    const work: Promise<void>[] = []
    for (const member of fleet.members()) {
      const { device } = member
      if (this.#lines.has(device.id)) {
        if (device.removedAt !== null || this.#lostTo(member)) work.push(this.#hangUp(device.id))
      } else if (device.removedAt === null && this.#kinds.has(device.kind) && !this.#lostTo(member)) {
        log.debug({ device: device.id, kind: device.kind }, 'opening a link')
        work.push(this.#open(member))
      }
    }
    if (work.length === 0) return
    await Promise.all(work)
    await fleet.refresh()
  }

  /** Another living node holds the link. */
  #lostTo({ device, online }: Candidate): boolean {
    const { node, ended } = this.#parts
    return online && device.heldBy !== null && device.heldBy !== node && !ended(device.heldBy)
  }

  async #open(member: Candidate): Promise<void> {
    const { device } = member
    const { store, node, news, now, log, fleet } = this.#parts
    const kind = this.#kinds.get(device.kind)!
    let state: Promise<void> = Promise.resolve()
    const line: News = {
      ...news(device),
      online: online => {
        state = store.presence(device.id, node, online)
        return state
      },
    }
    const link = kind.open(device, line)
    const pump = link.send
      ? new Pump({
          deviceId: device.id,
          send: message => link.send!(message),
          store,
          record: line.receipt,
          claimed: messages => fleet.noteClaimed(device.id, messages.length, partsOf(messages)),
          now,
          log,
        })
      : undefined
    this.#lines.set(device.id, { link, pump })
    await this.#resume(device.id, link)
    await state
    pump?.start()
  }

  async #resume(deviceId: string, link: Link): Promise<void> {
    if (!link.resume) return
    let after = 0
    for (;;) {
      const messages = await this.#parts.store.unanswered(deviceId, after, resumePage)
      if (messages.length === 0) return
      link.resume(messages)
      after = messages.at(-1)!.seq
    }
  }

  async #hangUp(deviceId: string): Promise<void> {
    const line = this.#lines.get(deviceId)
    if (!line) return
    this.#lines.delete(deviceId)
    await line.pump?.stop()
    await line.link.close()
    try {
      await this.#parts.store.presence(deviceId, this.#parts.node, false)
    } catch (error) {
      // The link is closed all the same; without signs of life from this node nobody believes it is up.
      this.#parts.log.warn({ device: deviceId, err: error }, 'could not note that a device is offline')
    }
  }
}

const partsOf = (messages: readonly Message[]) => messages.reduce((sum, message) => sum + message.parts, 0)
