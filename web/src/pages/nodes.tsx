/** The gateways that work on this database: whether they live, what each holds, and handing over before a stop. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { GatewayNode } from '../../../sdk/src/index.ts'
import { useAct } from '../act.ts'
import { useApi, useEnvironment } from '../environment.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { actions, DataTable } from '../parts/data-table.tsx'
import { Found, Page } from '../parts/page.tsx'
import { counted, Time } from '../parts/show.tsx'

const lookMs = 2_000

export default function Nodes() {
  const api = useApi()
  const environment = useEnvironment()
  const query = useQuery({
    queryKey: [environment, 'nodes'],
    queryFn: async () => (await api.nodes()).data,
    refetchInterval: lookMs,
  })
  return (
    <Page
      title="Nodes"
      about="The gateways on this database. Each device link and each webhook is held by one of them; if it stops, another takes over within seconds."
    >
      <Found query={query}>
        {nodes => (
          <div className="card flush">
            <DataTable heads={['Node', 'State', 'Version', 'Holds', 'Last seen', actions]}>
              {nodes.map(node => (
                <Row key={node.id} node={node} isAlone={nodes.length === 1} />
              ))}
            </DataTable>
          </div>
        )}
      </Found>
    </Page>
  )
}

const states = {
  alive: { look: 'good', word: 'Alive' },
  draining: { look: 'warn', word: 'Draining' },
  gone: { look: 'bad', word: 'Gone' },
} as const

function Row({ node, isAlone }: { node: GatewayNode; isAlone: boolean }) {
  const { look, word } = states[node.status]
  return (
    <tr>
      <td className="text">
        <div>
          {node.host} {node.answered && <span className="muted">(this one)</span>}
        </div>
        <div className="muted">{node.id}</div>
        {node.runs_loops && <div className="muted">Runs the background work</div>}
      </td>
      <td>
        <span className={`badge ${look}`}>{word}</span>
      </td>
      <td className="muted">{node.version}</td>
      <td>
        {counted(node.links, 'device link')}, {counted(node.webhooks, 'webhook')}
      </td>
      <td className="muted">
        <Time at={node.seen_at} />
      </td>
      <td className="acts">{node.status === 'alive' && !isAlone && <Drain node={node} />}</td>
    </tr>
  )
}

function Drain({ node }: { node: GatewayNode }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button isSmall onClick={() => setAsking(true)}>
        Drain…
      </Button>
      {isAsking && (
        <Confirm
          title={`Drain ${node.host}?`}
          deed="Drain"
          isBusy={isBusy}
          onClose={() => setAsking(false)}
          onConfirm={async () => {
            await act(() => api.drainNode(node.id), { done: `${node.host} hands over what it holds.` })
            setAsking(false)
          }}
        >
          <p>
            Other nodes take over its device links and webhooks, and load balancers send it nothing more. It
            stays like this until it is restarted.
          </p>
        </Confirm>
      )}
    </>
  )
}
