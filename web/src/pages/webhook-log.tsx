/** One webhook: what it was told, what it answered, and what to do about it. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { DeliveriesResponse, TestResponse } from '../../../sdk/src/index.ts'
import { useAct } from '../act.ts'
import { useApi, useEnvironment } from '../environment.ts'
import { Button } from '../parts/button.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { SelectField } from '../parts/field.tsx'
import { Empty, Found, Notice, Page } from '../parts/page.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { exactly, Time } from '../parts/show.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { healthOf, ShownOnce, useWebhooks, type Webhook } from './webhooks.tsx'

type Delivery = DeliveriesResponse['data'][number]
type Attempt = TestResponse['data']
type State = '' | Delivery['state']

const states: readonly { value: State; label: string }[] = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'Tried again' },
  { value: 'failed', label: 'Given up' },
  { value: 'delivered', label: 'Taken' },
]
const pageSize = 50

export default function WebhookLog() {
  const { id } = useParams<{ id: string }>()
  const query = useWebhooks()
  return (
    <Found query={query}>
      {webhooks => {
        const webhook = webhooks.find(one => one.id === id)
        if (!webhook)
          return (
            <Page title="Webhook">
              <Empty title="There is no such webhook">
                <Link href="/webhooks">All webhooks</Link>
              </Empty>
            </Page>
          )
        return <Log webhook={webhook} />
      }}
    </Found>
  )
}

function Log({ webhook }: { webhook: Webhook }) {
  const { word, look } = healthOf(webhook)
  return (
    <Page
      title="Webhook"
      about={
        <>
          <span className="pre">{webhook.url}</span> <span className={`badge ${look}`}>{word}</span>
        </>
      }
      actions={<Actions webhook={webhook} />}
    >
      <div className="stack wide">
        {webhook.failing_since && (
          <Notice look="warn">
            It has taken nothing since <Time at={webhook.failing_since} />. Each event is tried ten times over
            about three days; after five days of nothing but failures it is switched off.
          </Notice>
        )}
        <Deliveries webhook={webhook} />
      </div>
    </Page>
  )
}

function Actions({ webhook }: { webhook: Webhook }) {
  const api = useApi()
  const [, go] = useLocation()
  const [act, isBusy] = useAct()
  const [sheet, setSheet] = useState<'replay' | 'remove'>()
  const [tested, setTested] = useState<Attempt>()
  const [secret, setSecret] = useState<string>()
  const close = () => setSheet(undefined)
  return (
    <>
      <Button
        isBusy={isBusy}
        onClick={() => act(async () => setTested((await api.testWebhook(webhook.id)).data))}
      >
        Send a test event
      </Button>
      <Button onClick={() => setSheet('replay')}>Replay…</Button>
      <Button
        onClick={() =>
          act(async () => setSecret((await api.rotateWebhook(webhook.id)).data.secret), {
            done: 'A new secret. The old one signs too for a day.',
          })
        }
      >
        New secret
      </Button>
      <Button
        onClick={() =>
          act(() => api.changeWebhook(webhook.id, { enabled: !webhook.enabled }), {
            done: webhook.enabled ? 'Switched off.' : 'It is told what happens from now on.',
            undo: () => api.changeWebhook(webhook.id, { enabled: webhook.enabled }),
          })
        }
      >
        {webhook.enabled ? 'Switch off' : 'Switch on'}
      </Button>
      <Button look="danger" onClick={() => setSheet('remove')}>
        Remove…
      </Button>
      {tested && <Tested attempt={tested} onClose={() => setTested(undefined)} />}
      {secret && <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />}
      {sheet === 'replay' && <Replay webhook={webhook} onClose={close} />}
      {sheet === 'remove' && (
        <Confirm
          title="Remove this webhook?"
          deed="Remove it"
          isBusy={isBusy}
          onClose={close}
          onConfirm={async () => {
            if (await act(() => api.removeWebhook(webhook.id), { done: 'Removed.' })) go('/webhooks')
          }}
        >
          <p className="pre">{webhook.url} is told nothing more, and its log goes with it.</p>
        </Confirm>
      )}
    </>
  )
}

const Tested = ({ attempt, onClose }: { attempt: Attempt; onClose: () => void }) => (
  <Sheet title="What came back" onClose={onClose}>
    <Notice look={isTaken(attempt) ? 'good' : 'bad'}>
      {isTaken(attempt) ? 'It took the test event.' : 'It did not take the test event.'}
    </Notice>
    <AttemptLine attempt={attempt} />
  </Sheet>
)

const isTaken = ({ status }: Attempt) => status !== null && status >= 200 && status < 300

const spans = [
  { value: '1', label: 'The last hour' },
  { value: '24', label: 'The last day' },
  { value: '168', label: 'The last 7 days' },
]

function Replay({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const [hours, setHours] = useState('24')
  const replay = async () => {
    const since = new Date(Date.now() - Number(hours) * 3_600_000).toISOString()
    if (await act(() => api.replay(webhook.id, { since }), { done: 'It is being told again.' })) onClose()
  }
  return (
    <Sheet title="Replay" onClose={onClose}>
      <p>
        What happened is told once more, under the same ids, so that a careful receiver counts nothing twice.
      </p>
      <SelectField label="How far back" value={hours} onChange={setHours} options={spans} />
      <div className="foot-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" isBusy={isBusy} onClick={replay}>
          Tell it again
        </Button>
      </div>
    </Sheet>
  )
}

function Deliveries({ webhook }: { webhook: Webhook }) {
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
        <h2 id="log">What it was told</h2>
        <Tabs label="State" value={state} options={states} onChange={setState} />
      </header>
      <Found query={query}>
        {({ pages }) => {
          const all = pages.flatMap(page => page.data)
          if (all.length === 0)
            return (
              <Empty title="Nothing here">
                <p>{state === '' ? 'It was told nothing yet.' : 'Nothing is in this state.'}</p>
              </Empty>
            )
          return (
            <>
              <div className="table-wrap">
                <table className="table">
                  <thead>
                    <tr>
                      <th>Event</th>
                      <th>State</th>
                      <th className="number">Attempts</th>
                      <th>Last answer</th>
                      <th>When</th>
                      <th>
                        <span className="hidden-visually">Actions</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {all.map(delivery => (
                      <Row key={delivery.event_id} webhookId={webhook.id} delivery={delivery} />
                    ))}
                  </tbody>
                </table>
              </div>
              {query.hasNextPage && (
                <div className="row list-foot">
                  <Button
                    look="quiet"
                    isBusy={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    Show older ones
                  </Button>
                </div>
              )}
            </>
          )
        }}
      </Found>
    </section>
  )
}

const looks = {
  pending: { word: 'Tried again', look: 'warn' },
  delivered: { word: 'Taken', look: 'good' },
  failed: { word: 'Given up', look: 'bad' },
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
          <code>{delivery.event_id}</code>
        </button>
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
            act(() => api.redeliver(webhookId, delivery.event_id), { done: 'It is being told again.' })
          }
        >
          Tell again
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

const AttemptLine = ({ attempt }: { attempt: Attempt }) => (
  <div className="stack tight">
    <span className="row">
      <span className={`badge ${isTaken(attempt) ? 'good' : 'bad'}`}>{attempt.status ?? 'no answer'}</span>
      <span className="small">{exactly(attempt.at)}</span>
      <span className="muted small">{attempt.duration_ms} ms</span>
    </span>
    {attempt.error && <span className="small">{attempt.error}</span>}
    {attempt.answer !== '' && (
      <div className="secret">
        <pre>
          <code>{attempt.answer}</code>
        </pre>
      </div>
    )}
  </div>
)
