/**
 * This node among the others. It renews its lease in the database; while that holds, it may act on what it holds. Whether
 * it does is decided by its own monotonic clock, and a little early: a node that was paused finds that its lease has ended
 * before it does anything else.
 */

import type { Log } from '../lib/log.ts'
import { Loop } from '../lib/loop.ts'
import type { Store } from '../store.ts'
import { type Lease, loopsLease } from './lease.ts'
import { nodeLeaseMs } from './node.ts'

const beatMs = nodeLeaseMs / 4
/** How much earlier than in the database the lease ends here. */
const marginMs = 1_000
const watchMs = 250

export type MembershipParts = {
  node: string
  version: string
  store: Pick<Store, 'beat' | 'leave' | 'nodes' | 'buryNode' | 'takeLinks' | 'takeLeases' | 'now'>
  /** Whether a node is known to have ended, so that what it held need not wait. */
  ended: (node: string) => boolean
  /** This node may no longer act on what it holds: everything must be put down at once. */
  onLapse: () => void
  /** Begins or ends the work that one node does for all. */
  onLoops: (isOurs: boolean) => void
  /** Somebody asked this node to hand over and end. */
  onDrain: () => void
  log: Log
}

export class Membership {
  readonly #parts: MembershipParts
  readonly #loop: Loop
  readonly #startedAt: number
  #watch: NodeJS.Timeout | undefined
  #heldUntil = 0
  #hasLapsed = false
  /** How often its lease has ended. */
  #lapses = 0
  #hasLoops = false
  #isDraining = false
  /** The database's time at the last beat. */
  #beatenAt = 0

  constructor(parts: MembershipParts) {
    this.#parts = parts
    this.#startedAt = parts.store.now()
    this.#loop = new Loop(
      beatMs,
      () => this.#beat(),
      error => parts.log.error({ err: error }, 'could not renew the lease of this node; will retry'),
    )
  }

  get name(): string {
    return this.#parts.node
  }

  async start(): Promise<void> {
    await this.#beat()
    this.#loop.start()
    this.#watch = setInterval(() => this.#look(), watchMs)
  }

  /** From now on it takes nothing more. */
  drain(): void {
    this.#isDraining = true
    this.#noteLoops(false)
  }

  async stop(): Promise<void> {
    clearInterval(this.#watch)
    this.#noteLoops(false)
    await this.#loop.stop()
    this.#heldUntil = 0
    await this.#parts.store.leave(this.#parts.node)
  }

  /** Takes the links that nobody holds. By device. */
  async takeLinks(deviceIds: readonly string[]): Promise<ReadonlyMap<string, Lease>> {
    return await this.#leases((store, node) => store.takeLinks(node, deviceIds))
  }

  /** Takes those that nobody holds. By name. */
  async take(names: readonly string[]): Promise<ReadonlyMap<string, Lease>> {
    return await this.#leases((store, node) => store.takeLeases(node, names))
  }

  async #leases(
    take: (store: MembershipParts['store'], node: string) => Promise<ReadonlyMap<string, number>>,
  ) {
    const { store, node } = this.#parts
    if (this.#isDraining || !this.isAlive()) return new Map<string, Lease>()
    const lapses = this.#lapses
    const epochs = await take(store, node)
    // What was held, or asked for, before a lapse stays lost, even if this node is alive again: another may have it.
    const isHeld = () => lapses === this.#lapses && this.isAlive()
    return new Map<string, Lease>(Array.from(epochs, ([name, epoch]) => [name, { epoch, isHeld }]))
  }

  /** Whether this node's own lease holds. */
  isAlive(): boolean {
    return performance.now() < this.#heldUntil
  }

  async #beat(): Promise<undefined> {
    const { store, node, version, ended, onDrain } = this.#parts
    const sentAt = performance.now()
    const beaten = await store.beat({
      node,
      version,
      startedAt: this.#startedAt,
      wants: this.#isDraining ? [] : [loopsLease],
    })
    // Its lease ended before this renewal; or the machine itself was asleep, and this process's clock with it.
    const wasAway = beaten.now - this.#beatenAt > nodeLeaseMs || !this.isAlive()
    if (this.#beatenAt > 0 && wasAway) this.#lapse()
    this.#beatenAt = beaten.now
    this.#heldUntil = sentAt + nodeLeaseMs - marginMs
    this.#hasLapsed = false
    this.#noteLoops(beaten.held.has(loopsLease))
    if (beaten.isDraining && !this.#isDraining) onDrain()
    for (const { name, isAlive } of await store.nodes()) {
      if (name === node) continue
      const isCertain = ended(name)
      if (isCertain || !isAlive) await store.buryNode(name, isCertain)
    }
  }

  #look(): void {
    if (!this.isAlive()) this.#lapse()
  }

  #lapse(): void {
    if (this.#hasLapsed) return
    this.#hasLapsed = true
    this.#lapses += 1
    this.#parts.log.warn({ node: this.#parts.node }, 'the lease of this node has ended; it hangs up')
    this.#noteLoops(false)
    this.#parts.onLapse()
  }

  #noteLoops(isOurs: boolean): void {
    if (this.#hasLoops === isOurs) return
    this.#hasLoops = isOurs
    this.#parts.onLoops(isOurs)
  }
}
