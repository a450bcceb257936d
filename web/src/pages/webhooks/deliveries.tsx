/** What a webhook was told, event by event. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Delivery } from '../../../../sdk/src/index.ts'
import { useAct } from '../../act.ts'
import { useApi, useEnvironment } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { actions, DataTable, number } from '../../parts/data-table.tsx'
import { More } from '../../parts/more.tsx'
import { Empty, Found } from '../../parts/page.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Time } from '../../parts/show.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import type { Webhook } from '../../webhooks.ts'
import { AttemptLine } from './attempt-line.tsx'
import { wordsOf } from './webhook-form.tsx'

type State = '' | Delivery['state']

const states: readonly { value: State; label: string }[] = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'Retrying' },
  { value: 'failed', label: 'Failed' },
  { value: 'delivered', label: 'Delivered' },
]
const pageSize = 50

export function Deliveries({ webhook }: { webhook: Webhook }) {
  const api = useApi()
  const environment = useEnvironment()
  const [state, setState] = useState<State>('')
  const query = useInfiniteQuery({
    queryKey: [environment, 'webhooks', webhook.id, 'log', state],
    queryFn: ({ pageParam }) =>
      api.deliveries(webhook.id, {
        limit: pageSize,
        ...(state !== '' && { state }),
        ...(pageParam && { cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: page => page.next_cursor ?? undefined,
    placeholderData: before => before,
    refetchInterval: 5_000,
  })
  return (
    <section className="card flush" aria-labelledby="log">
      <header>
        <h2 id="log">Deliveries</h2>
        <Tabs label="State" value={state} options={states} onChange={setState} />
      </header>
      <Found query={query}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.data)
          if (all.length === 0)
            return (
              <Empty title="Nothing here">
                <p>{state === '' ? 'No deliveries yet.' : 'No deliveries with this status.'}</p>
              </Empty>
            )
          return (
            <>
              <DataTable heads={['Event', 'State', number('Attempts'), 'Last answer', 'When', actions]}>
                {all.map(delivery => (
                  <Row key={delivery.event_id} webhookId={webhook.id} delivery={delivery} />
                ))}
              </DataTable>
              <More query={query} />
            </>
          )
        }}
      </Found>
    </section>
  )
}

const looks = {
  pending: { word: 'Retrying', look: 'warn' },
  delivered: { word: 'Delivered', look: 'good' },
  failed: { word: 'Failed', look: 'bad' },
}

function Row({ webhookId, delivery }: { webhookId: string; delivery: Delivery }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const [isOpen, setOpen] = useState(false)
  const { word, look } = looks[delivery.state]
  const last = delivery.log.at(-1)
  return (
    <tr>
      <td>
        <button type="button" className="plain-link" onClick={() => setOpen(true)}>
          {delivery.event_type === null ? <code>{delivery.event_id}</code> : wordsOf(delivery.event_type)}
        </button>
        {delivery.event_type !== null && (
          <div className="muted small">
            <code>{delivery.event_type}</code>
          </div>
        )}
        {isOpen && (
          <Sheet title={`Attempts of ${delivery.event_id}`} onClose={() => setOpen(false)} isRoomy>
            {delivery.log.map(attempt => (
              <AttemptLine key={attempt.at} attempt={attempt} />
            ))}
            {delivery.log.length === 0 && <p className="muted">What it answered is not kept.</p>}
          </Sheet>
        )}
      </td>
      <td>
        <span className={`badge ${look}`}>{word}</span>
      </td>
      <td className="number" data-label="Attempts">
        {delivery.attempts}
      </td>
      <td className="text">{last ? (last.error ?? `${last.status} in ${last.duration_ms} ms`) : ''}</td>
      <td className="muted">
        <When delivery={delivery} />
      </td>
      <td className="acts">
        <Button
          isSmall
          isBusy={isBusy}
          onClick={() =>
            act(() => api.redeliver(webhookId, delivery.event_id), { done: 'Redelivery started.' })
          }
        >
          Redeliver
        </Button>
      </td>
    </tr>
  )
}

/** What is due waits for an address that is left in peace for a while. */
function When({ delivery: { next_attempt_at: next, last_attempt_at: last } }: { delivery: Delivery }) {
  if (next === null) return <Time at={last} />
  if (Date.parse(next) <= Date.now()) return 'when it answers again'
  return (
    <>
      next <Time at={next} />
    </>
  )
}
