/** The inbox: people who wrote, and what was said with each of them. */

import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { useBrowserLocation } from 'wouter/use-browser-location'
import { useApi, useEnvironment } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { Empty, Found, Page } from '../../parts/page.tsx'
import { Person } from '../../parts/person.tsx'
import { Time } from '../../parts/show.tsx'
import { useSettled } from '../../settled.ts'
import { Thread } from './thread.tsx'

const pageSize = 40

export default function Inbox() {
  const open = usePerson()
  return (
    <Page title="Inbox">
      <div className={open === undefined ? 'card flush inbox' : 'card flush inbox is-open'}>
        <People open={open} />
        <section className="thread" aria-label="Conversation">
          {open === undefined ? (
            <Empty title="Select a conversation">
              <p>Choose somebody to read what they wrote, and to answer.</p>
            </Empty>
          ) : (
            <Thread key={open} person={open} />
          )}
        </section>
      </div>
    </Page>
  )
}

/** Whoever the address names. Read as the browser has it: the router decodes some signs and not others. */
function usePerson(): string | undefined {
  const [path] = useBrowserLocation()
  const written = path.split('/')[3]
  if (written === undefined || written === '') return undefined
  try {
    return decodeURIComponent(written)
  } catch {
    return written
  }
}

function People({ open }: { open: string | undefined }) {
  const api = useApi()
  const environment = useEnvironment()
  const [text, setText] = useState('')
  const [onlyUnread, setOnlyUnread] = useState(false)
  const contains = useSettled(text.trim())
  const query = useInfiniteQuery({
    queryKey: [environment, 'conversations', { contains, onlyUnread }],
    queryFn: ({ pageParam }) =>
      api.conversations({
        limit: pageSize,
        ...(contains !== '' && { contains }),
        ...(onlyUnread && { unread: 'true' as const }),
        ...(pageParam && { cursor: pageParam }),
      }),
    initialPageParam: '',
    getNextPageParam: page => page.next_cursor ?? undefined,
    placeholderData: before => before,
  })
  return (
    <section className="people" aria-label="People">
      <search className="filters">
        <input
          type="search"
          className="input search"
          aria-label="Search people"
          placeholder="Number, name or words"
          value={text}
          onChange={event => setText(event.target.value)}
        />
        <button
          type="button"
          className="button"
          aria-pressed={onlyUnread}
          onClick={() => setOnlyUnread(!onlyUnread)}
        >
          {onlyUnread ? 'Show all' : 'Unread'}
        </button>
      </search>
      <Found query={query}>
        {({ pages }) => {
          const people = pages.flatMap(page => page.data)
          if (people.length === 0)
            return (
              <NoPeople isFiltered={contains !== '' || onlyUnread} isStaging={environment === 'staging'} />
            )
          return (
            <ul className="plain">
              {people.map(({ person, last, unread }) => (
                <li key={person}>
                  <Link
                    href={`/inbox/${encodeURIComponent(person)}`}
                    aria-current={person === open ? 'true' : undefined}
                  >
                    <strong>
                      <Person number={person} />
                    </strong>
                    <span className="muted small">
                      <Time at={last.received_at} />
                    </span>
                    <span className="muted">{last.message || 'attachment'}</span>
                    {unread > 0 && (
                      <span className="count">
                        {unread}
                        <span className="hidden-visually"> unread</span>
                      </span>
                    )}
                  </Link>
                </li>
              ))}
              {query.hasNextPage && (
                <li className="row">
                  <Button
                    look="quiet"
                    isBusy={query.isFetchingNextPage}
                    onClick={() => void query.fetchNextPage()}
                  >
                    Show older ones
                  </Button>
                </li>
              )}
            </ul>
          )
        }}
      </Found>
    </section>
  )
}

const NoPeople = ({ isFiltered, isStaging }: { isFiltered: boolean; isStaging: boolean }) =>
  isFiltered ? (
    <Empty title="No match" />
  ) : (
    <Empty title="Nobody has written yet">
      <p>
        What people send to your devices shows up here.
        {isStaging && ' To try it, send a message to a number that ends in 0005: it answers PONG.'}
      </p>
    </Empty>
  )
