/** Asking a node to hand over: over the API and on the command line alike. */

import { Problem } from '../problem.ts'
import type { Store } from '../store.ts'
import { nodeIdOf } from './node.ts'

export async function drainById(store: Pick<Store, 'nodes' | 'drainNode'>, id: string): Promise<void> {
  const nodes = await store.nodes()
  const found = nodes.find(({ name }) => nodeIdOf(name) === id.toLowerCase())
  const isThere = (one: (typeof nodes)[number]) => one !== found && one.isAlive && !one.isDraining
  if (found && !nodes.some(isThere))
    throw new Problem('invalid_request', 'There is no other node to hand over to. Stop this one instead.')
  if (!found || !(await store.drainNode(found.name)))
    throw new Problem('node_not_found', `There is no node with the id ${id}.`)
}
