/** The gateways on one database, and asking one of them to hand over. */

import { drainById } from '../../../core/nodes/drain.ts'
import { Problem } from '../../../core/problem.ts'
import type { Store } from '../../../core/store.ts'
import { shownNode } from '../../../core/wire/node.ts'
import type { Action, ApiRequest } from '../route.ts'
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

/** Nodes serve both environments: what is being tried out must not stop what is in use. */
function requireOperator({ environment, isPerson }: ApiRequest): void {
  if (isPerson || environment.name === 'production') return
  throw new Problem('insufficient_scope', 'Nodes serve production too: use a key of production.')
}

export const nodes =
  (parts: NodeParts): Action<NodesResponse> =>
  async request => {
    requireOperator(request)
    return { success: true, data: await shown(parts) }
  }

export const drainNode =
  (parts: NodeParts): Action<NodeResponse> =>
  async request => {
    requireOperator(request)
    const id = request.params.node_id!
    await drainById(parts.store, id)
    const data = (await shown(parts)).find(one => one.id === id.toLowerCase())
    if (!data) throw new Problem('node_not_found', `The node ${id} has just ended.`)
    return { success: true, data }
  }
