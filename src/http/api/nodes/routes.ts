/** The routes about nodes. */

import type { Route } from '../route.ts'
import type { RouteParts } from '../route-parts.ts'
import * as act from './actions.ts'
import * as shapes from './schemas.ts'

export const nodeRoutes = (parts: RouteParts): readonly Route[] => [
  {
    operation: 'nodes',
    group: 'Environment',
    summary: 'The nodes that work on this database, and what each of them holds',
    method: 'GET',
    paths: ['/nodes'],
    scope: 'settings:manage',
    response: shapes.NodesResponse,
    problems: [],
    action: act.nodes(parts.nodes),
  },
  {
    operation: 'drainNode',
    group: 'Environment',
    summary: 'Ask a node to hand over what it holds; it goes on answering, and is no longer ready',
    method: 'POST',
    paths: ['/nodes/:node_id/drain'],
    scope: 'settings:manage',
    response: shapes.NodeResponse,
    problems: ['node_not_found'],
    action: act.drainNode(parts.nodes),
  },
]
