/** The gateways on one database, and asking one of them to hand over. */

import { nodeIdOf } from '../../../core/nodes/node.ts'
import { Problem } from '../../../core/problem.ts'
import type { Store } from '../../../core/store.ts'
import { shownNode } from '../../../core/wire/node.ts'
import type { Action } from '../route.ts'
import type { NodeResponse, NodesResponse } from './schemas.ts'

export type NodeParts = {
  store: Pick<Store, 'nodes' | 'leases' | 'drainNode' | 'now'>
  /** The name of this one. */
  node: string
}

async function shown({ store, node }: NodeParts): Promise<NodesResponse['data']> {
  const [all, leases] = await Promise.all([store.nodes(), store.leases()])
  return all.map(one => ({ ...shownNode(one, leases, store.now()), answered: one.name === node }))
}

export const nodes =
  (parts: NodeParts): Action<NodesResponse> =>
  async () => ({ success: true, data: await shown(parts) })

export const drainNode =
  (parts: NodeParts): Action<NodeResponse> =>
  async ({ params }) => {
    const id = params.node_id!
    const found = (await parts.store.nodes()).find(({ name }) => nodeIdOf(name) === id)
    if (!found || !(await parts.store.drainNode(found.name)))
      throw new Problem('node_not_found', `There is no node with the id ${id}.`)
    const data = (await shown(parts)).find(one => one.id === id)
    if (!data) throw new Problem('node_not_found', `The node ${id} has just ended.`)
    return { success: true, data }
  }
