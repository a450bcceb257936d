/** A node as it is shown to others. */

import { isoTime } from '../lib/time.ts'
import { loopsLease } from '../nodes/lease.ts'
import { type Node, nodeIdOf } from '../nodes/node.ts'
import type { LeaseRecord } from '../nodes/node-store.ts'

export const nodeStatuses = ['alive', 'draining', 'gone'] as const

export type ShownNode = ReturnType<typeof shownNode>

export function shownNode(node: Node, leases: readonly LeaseRecord[], now: number) {
  const held = leases.filter(lease => lease.node === node.name).map(({ name }) => name)
  const { isAlive, isDraining } = node
  const status: (typeof nodeStatuses)[number] = isAlive ? (isDraining ? 'draining' : 'alive') : 'gone'
  return {
    id: nodeIdOf(node.name),
    host: node.name.split(/[:/]/)[0]!,
    version: node.version,
    status,
    started_at: isoTime(node.startedAt),
    seen_at: isoTime(node.seenAt),
    /** Since it renewed its lease. */
    lag_seconds: Math.max(0, Math.round((now - node.seenAt) / 100) / 10),
    links: held.filter(name => name.startsWith('device:')).length,
    webhooks: held.filter(name => name.startsWith('webhook:')).length,
    runs_loops: held.includes(loopsLease),
  }
}
