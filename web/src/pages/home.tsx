/** How things are: first what needs somebody, then devices, then numbers. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { Stats } from '../../../sdk/src/index.ts'
import { useDevices } from '../devices.ts'
import { useApi, useEnvironment } from '../environment.ts'
import { ButtonLink } from '../parts/button.tsx'
import { Chart } from '../parts/chart.tsx'
import { Empty, Found, Page } from '../parts/page.tsx'
import { Person } from '../parts/person.tsx'
import { count, counted, duration, Time } from '../parts/show.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useMay } from '../session.ts'
import { Attention } from './devices/attention.tsx'
import { DeviceCard } from './devices/device-card.tsx'

const periods = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
] as const
type Period = (typeof periods)[number]['value']
const lookMs = 15_000

export default function Home() {
  const environment = useEnvironment()
  const api = useApi()
  const maySend = useMay('messages:send')
  const [period, setPeriod] = useState<Period>('24h')
  const stats = useQuery({
    queryKey: [environment, 'stats', period],
    queryFn: async () =>
      (await api.stats({ period, utc_offset: String(-new Date().getTimezoneOffset()) })).data,
    refetchInterval: lookMs,
    placeholderData: before => before,
  })
  const devices = useDevices()
  return (
    <Page
      title={environment === 'staging' ? 'Staging' : 'Production'}
      actions={
        maySend && (
          <ButtonLink to="/messages/new" look="primary" icon="plus">
            New message
          </ButtonLink>
        )
      }
    >
      <div className="stack wide">
        <Attention />
        <Found query={devices}>
          {all =>
            all.length === 0 ? (
              <div className="card">
                <NoDevices />
              </div>
            ) : (
              <section aria-label="Devices" className="device-grid">
                {all.map(device => (
                  <DeviceCard key={device.id} device={device} />
                ))}
              </section>
            )
          }
        </Found>
        <Found query={stats}>
          {data => (
            <>
              <section className="card" aria-labelledby="traffic">
                <header>
                  <h2 id="traffic">Messages</h2>
                  <Tabs label="Period" value={period} options={periods} onChange={setPeriod} />
                </header>
                <Figures data={data} />
                <Chart points={data.points} isDaily={period !== '24h'} />
              </section>
              <div className="pair">
                <Errors data={data} />
                <LastReceived />
              </div>
            </>
          )}
        </Found>
      </div>
    </Page>
  )
}

function NoDevices() {
  const mayManage = useMay('devices:manage')
  return (
    <Empty title="No device yet">
      <p>Messages leave through your own phones and WhatsApp numbers. Connect one, and it shows up here.</p>
      {mayManage && (
        <ButtonLink to="/devices/add" look="primary" icon="plus">
          Add a device
        </ButtonLink>
      )}
    </Empty>
  )
}

function Figures({ data }: { data: Stats }) {
  const { totals, queue, delivery_rate: rate, delivered_within: within } = data
  return (
    <dl className="figures">
      <Figure name="Waiting" value={count(queue.waiting + queue.sending + queue.scheduled)}>
        {queue.waiting + queue.sending + queue.scheduled === 0 ? 'nothing waits' : <Queue queue={queue} />}
      </Figure>
      <Figure name="Sent" value={count(totals.sent)}>
        {counted(totals.accepted, 'accepted', 'accepted')}
      </Figure>
      <Figure name="Delivered" value={count(totals.delivered)}>
        {rate === null ? 'none ended yet' : `${percent(rate)} of finished messages`}
      </Figure>
      <Figure name="Failed" value={count(totals.failed + totals.expired + totals.unknown)}>
        {totals.unknown > 0 ? `${count(totals.unknown)} of them unknown` : 'expired and unknown included'}
      </Figure>
      <Figure name="Time to delivery" value={within.half === null ? '–' : `≤ ${duration(within.half)}`}>
        {within.most === null ? 'none delivered yet' : `median; 95 % within ${duration(within.most)}`}
      </Figure>
      <Figure name="Received" value={count(totals.received)}>
        <Link href="/inbox">open the inbox</Link>
      </Figure>
    </dl>
  )
}

/** Never more than it is: 99.96 % is not 100 %. */
const percent = (rate: number) => `${rate === 1 ? 100 : (Math.floor(rate * 1_000) / 10).toFixed(1)} %`

const Queue = ({ queue }: { queue: Stats['queue'] }) => (
  <>
    {[
      queue.waiting > 0 && `${count(queue.waiting)} queued`,
      queue.sending > 0 && `${count(queue.sending)} being sent`,
      queue.scheduled > 0 && `${count(queue.scheduled)} scheduled`,
    ]
      .filter(Boolean)
      .join(', ')}
    {queue.oldest_at && (
      <>
        {'; oldest '}
        <Time at={queue.oldest_at} />
      </>
    )}
  </>
)

const Figure = ({ name, value, children }: { name: string; value: string; children: React.ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <strong>{value}</strong>
      <span className="muted small">{children}</span>
    </dd>
  </div>
)

const Errors = ({ data: { errors } }: { data: Stats }) => (
  <section className="card" aria-labelledby="errors">
    <header>
      <h2 id="errors">Why messages did not arrive</h2>
    </header>
    {errors.length === 0 ? (
      <p className="muted">Nothing failed in this period.</p>
    ) : (
      <ul className="plain stack">
        {errors.slice(0, 5).map(({ code, detail, count: n }) => (
          <li key={code} className="row spread">
            <span className="grow">{detail}</span>
            <Link href="/messages?status=failed" className="badge bad" title={code}>
              {count(n)}
            </Link>
          </li>
        ))}
      </ul>
    )}
  </section>
)

function LastReceived() {
  const api = useApi()
  const environment = useEnvironment()
  const mayRead = useMay('inbox:read')
  const query = useQuery({
    queryKey: [environment, 'conversations', 'latest'],
    queryFn: async () => (await api.conversations({ limit: 5 })).data,
    enabled: mayRead,
  })
  return (
    <section className="card" aria-labelledby="received">
      <header>
        <h2 id="received">Last received</h2>
      </header>
      <Found query={query}>
        {data =>
          data.length === 0 ? (
            <p className="muted">
              No messages received yet.
              {environment === 'staging' && ' Send a message to a number that ends in 0005: it answers PONG.'}
            </p>
          ) : (
            <ul className="plain stack">
              {data.map(({ person, last, unread }) => (
                <li key={person} className="row spread">
                  <Link href={`/inbox/${encodeURIComponent(person)}`} className="grow last">
                    <strong>
                      <Person number={person} />
                    </strong>
                    <span className="muted">{last.message || 'attachment'}</span>
                  </Link>
                  {unread > 0 && <span className="count">{unread}</span>}
                  <span className="muted small">
                    <Time at={last.received_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Found>
    </section>
  )
}
