/** Nodes on the wire. */

import { nodeStatuses } from '../../../core/wire/node.ts'
import { type Static, Type } from '../../schema.ts'
import { closed, time, words } from '../shapes.ts'

const GatewayNode = Type.Object(
  {
    id: Type.String({ description: 'By which it is asked to drain.' }),
    host: Type.String({ description: 'The machine or container it runs on.' }),
    version: Type.String(),
    status: words(
      nodeStatuses,
      'alive: it renews its lease. draining: it hands over what it holds. gone: its lease has ended.',
    ),
    started_at: time('When it started.'),
    seen_at: time('When it last renewed its lease, by the database’s clock.'),
    lag_seconds: Type.Number({ description: 'Seconds since then. A healthy node renews every 1.5 seconds.' }),
    links: Type.Integer({
      description: 'Links of devices that it holds: simulated phones and WhatsApp numbers.',
    }),
    webhooks: Type.Integer({ description: 'Webhooks that it delivers to.' }),
    runs_loops: Type.Boolean({ description: 'It sweeps, schedules, counts and forgets for all nodes.' }),
    answered: Type.Boolean({ description: 'It is the one that answered this request.' }),
  },
  { ...closed, title: 'GatewayNode' },
)

export const NodesResponse = Type.Object(
  { success: Type.Boolean(), data: Type.Array(GatewayNode) },
  { ...closed, title: 'NodesResponse' },
)
export type NodesResponse = Static<typeof NodesResponse>

export const NodeResponse = Type.Object(
  { success: Type.Boolean(), data: GatewayNode },
  { ...closed, title: 'NodeResponse' },
)
export type NodeResponse = Static<typeof NodeResponse>
