/** The devices as this process sees them: read again whenever another process may have changed them. */

import { Rerun } from '../lib/rerun.ts'
import type { Candidate } from '../messages/choose.ts'
import type { Message } from '../messages/message.ts'
import type { Node } from '../nodes/node.ts'
import type { Store } from '../store.ts'
import type { Device, Load } from './device.ts'
import { freshPace, mayHand, nextChance } from './pace.ts'

type FleetStore = Pick<Store, 'allDevices' | 'loads' | 'nodes' | 'devicesVersion'>

export class Fleet {
  readonly #store: FleetStore
  readonly #now: () => number
  #members = new Map<string, Candidate>()
  #byEnvironment = new Map<number, Candidate[]>()
  #version = -1
  #choices = 0
  /** Those alive, by name. */
  #nodes: ReadonlyMap<string, Node> = new Map()
  readonly #reading = new Rerun(() => this.#read())

  constructor(store: FleetStore, now: () => number) {
    this.#store = store
    this.#now = now
  }

  refresh(): Promise<void> {
    return this.#reading.run()
  }

  member(deviceId: string): Candidate | undefined {
    return this.#members.get(deviceId)
  }

  members(): Iterable<Candidate> {
    return this.#members.values()
  }

  /** Whether the node has renewed its lease lately. */
  isAlive(node: string): boolean {
    return this.#nodes.has(node)
  }

  /** Whether it hands over what it holds. */
  isDraining(node: string): boolean {
    return this.#nodes.get(node)?.isDraining === true
  }

  /** The devices of an environment that were not removed. */
  candidates(environmentId: number): readonly Candidate[] {
    return this.#byEnvironment.get(environmentId) ?? []
  }

  /** Messages waiting in an environment, over all its devices. */
  waiting(environmentId: number): number {
    return this.candidates(environmentId).reduce((sum, { load }) => sum + load.waiting, 0)
  }

  /** When the device can be handed what waits for it, at the earliest; undefined: nothing waits, or it is paused. */
  readyAt(deviceId: string): number | undefined {
    const member = this.#members.get(deviceId)
    if (!member || member.device.paused || member.load.waiting === 0) return undefined
    const { device, load } = member
    return mayHand(device, load.pace, 1, this.#now()) ? 0 : nextChance(device, load.pace, 1, this.#now())
  }

  /** Keeps the picture of the load true between two refreshes. */
  noteAccepted(candidate: Candidate, messages: number, parts: number): void {
    this.#choices += 1
    candidate.lastChosen = this.#choices
    candidate.load.waiting += messages
    candidate.load.waitingParts += parts
  }

  noteClaimed(deviceId: string, messages: readonly Pick<Message, 'parts'>[]): void {
    const load = this.#members.get(deviceId)?.load
    if (!load) return
    const parts = messages.reduce((sum, message) => sum + message.parts, 0)
    load.waiting = Math.max(0, load.waiting - messages.length)
    load.waitingParts = Math.max(0, load.waitingParts - parts)
  }

  async #read(): Promise<void> {
    const version = await this.#store.devicesVersion()
    const devices = version === this.#version ? undefined : await this.#store.allDevices()
    const [loads, nodes] = await Promise.all([this.#store.loads(), this.#store.nodes()])
    if (devices) {
      this.#version = version
      this.#take(devices)
    }
    this.#nodes = new Map(nodes.filter(({ isAlive }) => isAlive).map(node => [node.name, node]))
    for (const member of this.#members.values()) {
      const { device } = member
      member.online =
        device.online && device.heldBy !== null && this.isAlive(device.heldBy) && device.removedAt === null
    }
    for (const load of loads) {
      const member = this.#members.get(load.deviceId)
      if (member) member.load = load
    }
  }

  #take(devices: readonly Device[]): void {
    const members = new Map<string, Candidate>()
    const byEnvironment = new Map<number, Candidate[]>()
    for (const device of devices) {
      const known = this.#members.get(device.id)
      const member: Candidate = known ? Object.assign(known, { device }) : newcomer(device)
      members.set(device.id, member)
      if (device.removedAt !== null) continue
      const siblings = byEnvironment.get(device.environmentId)
      if (siblings) siblings.push(member)
      else byEnvironment.set(device.environmentId, [member])
    }
    this.#members = members
    this.#byEnvironment = byEnvironment
  }
}

/** A device of which nothing is known but that it exists. */
export const newcomer = (device: Device): Candidate => ({
  device,
  online: false,
  load: emptyLoad(device.id),
  lastChosen: 0,
})

const emptyLoad = (deviceId: string): Load => ({
  deviceId,
  waiting: 0,
  waitingParts: 0,
  movable: 0,
  pace: freshPace,
})
