/** Messages: a live table, and one of them in full beside it. */

import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { memo, useEffect, useRef } from 'react'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import type { ListedMessage, MessagesResponse } from '../../../../sdk/src/index.ts'
import { useApi, useEnvironment } from '../../environment.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Empty, Found, Page } from '../../parts/page.tsx'
import { Person, visible } from '../../parts/person.tsx'
import { Time } from '../../parts/show.tsx'
import { lookOf, StatusBadge } from '../../parts/status.tsx'
import { useMay } from '../../session.ts'
import { MessageDetail } from './message-detail.tsx'
import { Filters, filterOf } from './message-filters.tsx'

const pageSize = 50
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
  const { hasNextPage, isFetchingNextPage, fetchNextPage, isFetchNextPageError } = query
  const end = useRef<HTMLDivElement>(null)
  const loaded = query.data?.pages.length ?? 0
  useEffect(() => {
    if (loaded === 0 || !hasNextPage || isFetchingNextPage || isFetchNextPageError) return
    const look = () => {
      const { top } = end.current!.getBoundingClientRect()
      if (top < innerHeight + nearPixels) void fetchNextPage()
    }
    // After each page too: whoever is at its end sees nothing move.
    look()
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [loaded, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage])
  // Read so that the list notices new rows, though none of its own changed.
  useFreshTop(loaded > 1 && query.dataUpdatedAt > 0, [environment, 'messages', filter])
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
              {isFetchNextPageError && (
                <Button isSmall onClick={() => void fetchNextPage()}>
                  Could not look further back. Try again
                </Button>
              )}
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

/** Whoever comes back to the top of a long list sees what is new: it begins again with its first page. */
function useFreshTop(isLong: boolean, queryKey: readonly unknown[]): void {
  const client = useQueryClient()
  const key = JSON.stringify(queryKey)
  const isOld = isLong && (client.getQueryState(queryKey)?.isInvalidated ?? false)
  useEffect(() => {
    if (!isOld) return
    const look = () => {
      if (scrollY > nearPixels) return
      const kept = JSON.parse(key) as unknown[]
      client.setQueryData<InfiniteData<MessagesResponse>>(
        kept,
        data => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
      )
      void client.invalidateQueries({ queryKey: kept, exact: true })
    }
    look()
    addEventListener('scroll', look, { passive: true })
    return () => removeEventListener('scroll', look)
  }, [isOld, key, client])
}

function NoMessages({ isFiltered }: { isFiltered: boolean }) {
  const maySend = useMay('messages:send')
  if (isFiltered)
    return (
      <Empty title="No match">
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
  messages: readonly ListedMessage[]
  selected: string | undefined
  keptQuery: string
}) {
  const [, go] = useLocation()
  return (
    <DataTable heads={['State', 'To', 'Message', 'Device', 'Accepted']} look="messages">
      {messages.map(message => (
        <Row
          key={message.message_id}
          message={message}
          isSelected={message.message_id === selected}
          to={`/messages/${message.message_id}${keptQuery}`}
          go={go}
        />
      ))}
    </DataTable>
  )
}

/** Drawn again only when something in it changed: there may be thousands. */
const Row = memo(
  ({
    message,
    isSelected,
    to,
    go,
  }: {
    message: ListedMessage
    isSelected: boolean
    to: string
    go: (to: string) => void
  }) => (
    // The number in the row is a link, for the keyboard.
    <tr className="opens" aria-selected={isSelected} onClick={() => go(to)}>
      <td>
        <StatusBadge status={message.status} />
      </td>
      <td>
        <Link href={to} className="plain-link" onClick={event => event.stopPropagation()}>
          <Person number={message.to} />
        </Link>
      </td>
      <td className="text" title={message.error ? lookOf(message.status).about : undefined}>
        {message.media_url && <span className="badge">file</span>} {message.message}
        {message.error && <div className="muted small">{message.error.detail}</div>}
      </td>
      <td className="nowrap">{visible(message.device_name) || <span className="muted">removed</span>}</td>
      <td className="muted">
        <Time at={message.created_at} />
      </td>
    </tr>
  ),
)
