/** What the store does about nodes and what they hold. */

import type { NodeStore } from '../../core/nodes/node-store.ts'
import { takeLinks } from '../devices/presence.ts'
import type { Ground } from '../engine/ground.ts'
import * as leases from './leases.ts'
import * as nodes from './nodes.ts'

export function nodeVerbs({ reader, now, run, write }: Ground): NodeStore {
  return {
    now,
    beat: write(nodes.beat),
    nodes: () => nodes.nodes(reader, now()),
    leave: write(nodes.leave),
    buryNode: (name, isCertain) => run(nodes.bury, { name, isCertain }),
    drainNode: write(nodes.drain),
    takeLeases: (node, names) => run(leases.takeLeases, { node, names }),
    takeLinks: (node, deviceIds) => run(takeLinks, { node, deviceIds }),
    letGo: (node, names) => run(leases.letGo, { node, names }),
    leases: () => leases.leases(reader),
  }
}
