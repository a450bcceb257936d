/** Messages: a live table, and one of them in full beside it. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import type { MessagesQuery } from '../../../sdk/src/index.ts'
import { useDevices } from '../devices.ts'
import { useApi, useEnvironment } from '../environment.ts'
import { Button, ButtonLink } from '../parts/button.tsx'
import { Empty, Found, Page } from '../parts/page.tsx'
import { Person } from '../parts/person.tsx'
import { Time } from '../parts/show.tsx'
import { lookOf, looks, type Message, StatusBadge } from '../parts/status.tsx'
import { useMay } from '../session.ts'
import { MessageDetail } from './message-detail.tsx'

const pageSize = 50
const typingMs = 300
/** The next page is fetched when its place is so near. */
const nearPixels = 500

export default function Messages() {
  const { id } = useParams<{ id?: string }>()
  const [, go] = useLocation()
  const [search] = useSearchParams()
  const maySend = useMay('messages:send')
  const kept = search.size > 0 ? `?${search}` : ''
  return (
    <Page
      title="Messages"
      actions={
        maySend && (
          <>
            <ButtonLink to="/messages/bulk">Send to many</ButtonLink>
            <ButtonLink to="/messages/new" look="primary" icon="plus">
              New message
            </ButtonLink>
          </>
        )
      }
    >
      <Filters />
      <List selected={id} keptQuery={kept} />
      {id !== undefined && <MessageDetail id={id} onClose={() => go(`/messages${kept}`)} />}
    </Page>
  )
}

/** What is typed either is a number, or is looked for in the texts. */
const isNumber = (text: string) => /^(\+|00)[\d\s().-]{6,}$/.test(text)

function filterOf(search: URLSearchParams): MessagesQuery {
  const value = (name: string) => search.get(name) || undefined
  const text = value('q')
  return {
    ...(value('status') && { status: value('status') as NonNullable<MessagesQuery['status']> }),
    ...(value('device') && { device_id: value('device')! }),
    ...(value('batch') && { batch_id: value('batch')! }),
    ...(text && (isNumber(text) ? { to: text } : { contains: text })),
    ...(value('since') && { since: new Date(`${value('since')}T00:00`).toISOString() }),
    ...(value('until') && { until: new Date(`${value('until')}T23:59:59.999`).toISOString() }),
  }
}

function Filters() {
  const [search, setSearch] = useSearchParams()
  const { data: devices = [] } = useDevices()
  const set = (name: string, value: string) =>
    setSearch(
      before => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(name)
        else after.set(name, value)
        return after
      },
      { replace: true },
    )
  return (
    <search className="filters">
      <SearchBox value={search.get('q') ?? ''} onChange={text => set('q', text)} />
      <select
        className="input"
        aria-label="State"
        value={search.get('status') ?? ''}
        onChange={event => set('status', event.target.value)}
      >
        <option value="">Every state</option>
        {Object.entries(looks).map(([status, { word }]) => (
          <option key={status} value={status}>
            {word}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label="Device"
        value={search.get('device') ?? ''}
        onChange={event => set('device', event.target.value)}
      >
        <option value="">Every device</option>
        {devices.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      <input
        type="date"
        className="input"
        aria-label="From this day"
        value={search.get('since') ?? ''}
        onChange={event => set('since', event.target.value)}
      />
      <input
        type="date"
        className="input"
        aria-label="Up to this day"
        value={search.get('until') ?? ''}
        onChange={event => set('until', event.target.value)}
      />
      {search.get('batch') && (
        <Button isSmall look="quiet" icon="close" onClick={() => set('batch', '')}>
          One bulk send
        </Button>
      )}
    </search>
  )
}

/** Looks once nothing was typed for a moment. */
function SearchBox({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setText(value), [value])
  return (
    <input
      type="search"
      className="input search"
      aria-label="Search for a number or words"
      placeholder="Number, or words of the text"
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        clearTimeout(timer.current)
        timer.current = setTimeout(() => onChange(target.value.trim()), typingMs)
      }}
    />
  )
}

function List({ selected, keptQuery }: { selected: string | undefined; keptQuery: string }) {
  const api = useApi()
  const environment = useEnvironment()
  const [search] = useSearchParams()
  const filter = filterOf(search)
  const query = useInfiniteQuery({
    queryKey: [environment, 'messages', filter],
    queryFn: ({ pageParam }) =>
      api.messages({ ...filter, limit: pageSize, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: page => page.next_cursor ?? undefined,
    placeholderData: before => before,
  })
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  const end = useRef<HTMLDivElement>(null)
  const loaded = query.data?.pages.length ?? 0
  useEffect(() => {
    if (loaded === 0 || !hasNextPage || isFetchingNextPage) return
    const look = () => {
      const { top } = end.current!.getBoundingClientRect()
      if (top < innerHeight + nearPixels) void fetchNextPage()
    }
    // After each page too: whoever is at its end sees nothing move.
    look()
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [loaded, hasNextPage, isFetchingNextPage, fetchNextPage])
  return (
    <Found query={query}>
      {({ pages }) => {
        const messages = pages.flatMap(page => page.data)
        return (
          <div className="card flush">
            {messages.length === 0 && !hasNextPage ? (
              <NoMessages isFiltered={Object.keys(filter).length > 0} />
            ) : (
              <Table messages={messages} selected={selected} keptQuery={keptQuery} />
            )}
            <div ref={end} className="list-end muted small">
              {isFetchingNextPage
                ? 'Looking further back…'
                : hasNextPage && messages.length === 0 && 'Looking…'}
            </div>
          </div>
        )
      }}
    </Found>
  )
}

function NoMessages({ isFiltered }: { isFiltered: boolean }) {
  const maySend = useMay('messages:send')
  if (isFiltered)
    return (
      <Empty title="Nothing like that">
        <p>No message matches these filters.</p>
        <ButtonLink to="/messages">Show all messages</ButtonLink>
      </Empty>
    )
  return (
    <Empty title="No message yet">
      <p>Messages that you or your programs send show up here at once, and stay live.</p>
      {maySend && (
        <ButtonLink to="/messages/new" look="primary" icon="plus">
          Send the first one
        </ButtonLink>
      )}
    </Empty>
  )
}

function Table({
  messages,
  selected,
  keptQuery,
}: {
  messages: readonly Message[]
  selected: string | undefined
  keptQuery: string
}) {
  const { data: devices = [] } = useDevices()
  const names = new Map(devices.map(({ id, name }) => [id, name]))
  const [, go] = useLocation()
  return (
    <div className="table-wrap">
      <table className="table messages">
        <thead>
          <tr>
            <th>State</th>
            <th>To</th>
            <th>Message</th>
            <th>Device</th>
            <th>Accepted</th>
          </tr>
        </thead>
        <tbody>
          {messages.map(message => {
            const to = `/messages/${message.message_id}${keptQuery}`
            return (
              // The number in the row is a link, for the keyboard.
              <tr
                key={message.message_id}
                className="opens"
                aria-selected={message.message_id === selected}
                onClick={() => go(to)}
              >
                <td>
                  <StatusBadge status={message.status} />
                </td>
                <td>
                  <Link href={to} className="plain-link" onClick={event => event.stopPropagation()}>
                    <Person number={message.to} />
                  </Link>
                </td>
                <td className="text" title={message.error ? lookOf(message.status).about : undefined}>
                  {message.error ? (
                    <span className="muted">{message.error.detail}</span>
                  ) : (
                    <>
                      {message.media_url && <span className="badge">file</span>} {message.message}
                    </>
                  )}
                </td>
                <td className="nowrap">
                  {names.get(message.device_id) ?? <span className="muted">removed</span>}
                </td>
                <td className="muted">
                  <Time at={message.created_at} />
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
