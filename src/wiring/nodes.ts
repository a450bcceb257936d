/** This node among the others on one database: what it does for all, and how it hands over. */

import type { Dispatcher } from '../core/devices/dispatcher.ts'
import type { Log } from '../core/lib/log.ts'
import { loopsLease } from '../core/nodes/lease.ts'
import { Membership } from '../core/nodes/membership.ts'
import type { Store } from '../core/store.ts'
import type { Edge } from '../edge/edge.ts'
import { hasEnded } from '../host/node.ts'
import { version } from '../host/version.ts'
import { stopAll } from './lifecycle.ts'
import type { Webhooks } from './webhooks.ts'

export type NodeParts = {
  node: string
  store: Store
  log: Log
  /** Asked late: they know the membership themselves. */
  others: () => {
    dispatcher: Pick<Dispatcher, 'lapse' | 'handOver'>
    webhooks: Pick<Webhooks, 'lapse' | 'handOver'>
    edge: Pick<Edge, 'isDraining'>
    /** What one node does for all. */
    loops: readonly { start: () => void; stop: () => Promise<void> }[]
  }
}

export type ThisNode = {
  membership: Membership
  /** It is not ready any more, and others take over what it holds; it goes on answering. */
  drain: () => Promise<void>
}

export function buildNode({ node, store, log, others }: NodeParts): ThisNode {
  let draining: Promise<void> | undefined
  const handOver = async () => {
    const { dispatcher, webhooks, edge, loops } = others()
    log.info({ node }, 'handing over to other nodes')
    edge.isDraining = true
    membership.drain()
    const stopLoops = async () => {
      await Promise.all(loops.map(loop => loop.stop()))
      await store.letGo(node, [loopsLease])
    }
    const steps = [
      () => store.drainNode(node),
      () => Promise.all([dispatcher.handOver(), webhooks.handOver(), stopLoops()]),
    ]
    await stopAll(steps, log)
  }
  const drain = () => {
    draining ??= handOver()
    return draining
  }
  const membership = new Membership({
    node,
    version,
    store,
    ended: hasEnded,
    onLapse: () => {
      const { dispatcher, webhooks } = others()
      dispatcher.lapse()
      webhooks.lapse()
    },
    onLoops: isOurs => {
      for (const loop of others().loops) {
        if (isOurs) loop.start()
        else void loop.stop()
      }
    },
    onDrain: () => void drain(),
    log,
  })
  return { membership, drain }
}
