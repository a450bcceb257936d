/** What was said with one person, newest at the bottom, and a line to answer. */

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link } from 'wouter'
import type { ThreadEntry } from '../../../../sdk/src/index.ts'
import { useAct } from '../../act.ts'
import { useDraft } from '../../draft.ts'
import { mediaUrl, useApi, useEnvironment } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Found, Notice } from '../../parts/page.tsx'
import { Person, visible } from '../../parts/person.tsx'
import { bytes, Time } from '../../parts/show.tsx'
import { StatusBadge } from '../../parts/status.tsx'
import { useMay } from '../../session.ts'

const pageSize = 50

type Received = NonNullable<ThreadEntry['received']>
type Media = NonNullable<Received['metadata']['media']>[number]

export function Thread({ person }: { person: string }) {
  const api = useApi()
  const environment = useEnvironment()
  const client = useQueryClient()
  const mayAnswer = useMay('messages:send')
  const query = useInfiniteQuery({
    queryKey: [environment, 'thread', person],
    queryFn: ({ pageParam }) =>
      api.thread(person, { limit: pageSize, ...(pageParam && { cursor: pageParam }) }),
    initialPageParam: '',
    getNextPageParam: page => page.next_cursor ?? undefined,
  })
  const newest = query.data?.pages[0]?.data.find(({ received }) => received)?.received?.id
  // What is in sight has been seen.
  useEffect(() => {
    // Whoever cannot answer leaves it for those who can.
    if (newest === undefined || !mayAnswer) return
    void api
      .readConversation(person)
      .then(() => client.invalidateQueries({ queryKey: [environment, 'conversations'] }))
      .catch(() => {})
  }, [api, client, environment, person, newest, mayAnswer])
  return (
    <>
      <header>
        <Link href="/inbox" className="button quiet small only-narrow" aria-label="Back to all people">
          <Icon name="back" />
        </Link>
        <h2 className="grow">
          <Person number={person} />
        </h2>
      </header>
      <Found query={query}>
        {({ pages }) => (
          <>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it with the keyboard */}
            <div className="said" tabIndex={0} role="log" aria-label="Messages, newest last">
              {pages
                .flatMap(page => page.data)
                .map(entry => (
                  <Turn key={entry.sent?.message_id ?? entry.received?.id} entry={entry} />
                ))}
              {query.hasNextPage && (
                <Button
                  look="quiet"
                  isBusy={query.isFetchingNextPage}
                  onClick={() => void query.fetchNextPage()}
                >
                  Show older ones
                </Button>
              )}
            </div>
            <Answer person={person} isOptedOut={pages[0]?.opted_out ?? false} />
          </>
        )}
      </Found>
    </>
  )
}

function Turn({ entry: { sent, received } }: { entry: ThreadEntry }) {
  if (sent)
    return (
      <div className="turn ours">
        <div className="bubble sent pre">
          {sent.message || <span className="muted">The text was forgotten.</span>}
          {sent.media_url && <div className="small muted">{sent.media_url}</div>}
        </div>
        <span className="meta">
          <Link href={`/messages/${sent.message_id}`} className="plain-link">
            <StatusBadge status={sent.status} />
          </Link>{' '}
          <Time at={sent.created_at} />
        </span>
        {sent.error && <span className="meta">{sent.error.detail}</span>}
      </div>
    )
  if (!received) return null
  return (
    <div className="turn">
      <div className="bubble stack">
        {typeof received.metadata.quoted === 'string' && (
          <blockquote className="muted small pre">{received.metadata.quoted}</blockquote>
        )}
        {received.message !== '' && <div className="pre">{received.message}</div>}
        <Changes metadata={received.metadata} />
        {received.metadata.media?.map(file => (
          <Attachment key={file.id} file={file} />
        ))}
      </div>
      <span className="meta">
        <Time at={received.received_at} /> · to {visible(received.device_name)}
      </span>
    </div>
  )
}

/** What its sender changed about it later. */
function Changes({ metadata }: { metadata: Received['metadata'] }) {
  const { edits, deleted_at: deletedAt, reaction, media_missing: missing } = metadata
  return (
    <>
      {Array.isArray(edits) &&
        edits.map(({ id, text }: { id: string; text: string }) => (
          <div key={id} className="pre">
            <span className="muted small">Changed to:</span> {text}
          </div>
        ))}
      {typeof deletedAt === 'string' && <span className="muted small">Deleted by its sender.</span>}
      {typeof reaction === 'string' && <span>{visible(reaction)}</span>}
      {typeof missing === 'number' && <span className="muted small">An attachment is missing.</span>}
    </>
  )
}

function Attachment({ file }: { file: Media }) {
  const url = mediaUrl(useEnvironment(), file.id)
  const name = visible(file.filename ?? `${file.kind}, ${bytes(file.size)}`)
  if (file.kind === 'image')
    return (
      <a href={url} download={name}>
        <img className="attached" src={url} alt={name} loading="lazy" />
      </a>
    )
  return (
    <a href={url} download={name}>
      {name} <span className="muted small">{bytes(file.size)}</span>
    </a>
  )
}

function Answer({ person, isOptedOut }: { person: string; isOptedOut: boolean }) {
  const api = useApi()
  // Whoever looks at somebody else meanwhile finds what they had written.
  const [text, setText] = useDraft(`answer.${person}`, '')
  const [act, isBusy] = useAct()
  const maySend = useMay('messages:send')
  if (!maySend) return null
  if (!/^(\+\d+|\d+@lid)$/.test(person))
    return <Notice>This sender has no number that one could write to.</Notice>
  if (isOptedOut)
    return (
      <Notice look="warn">
        This person wants no messages. <Link href="/opt-outs">Opt-outs</Link>
      </Notice>
    )
  const send = async () => {
    if (text.trim() === '' || isBusy) return
    setText('')
    const isSent = await act(() => api.send({ to: person, message: text }))
    if (!isSent) setText(text)
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      <textarea
        className="input"
        aria-label="Answer"
        placeholder="Write an answer"
        value={text}
        rows={1}
        onChange={event => setText(event.target.value)}
        onKeyDown={event => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
          event.preventDefault()
          void send()
        }}
      />
      <Button type="submit" look="primary" isBusy={isBusy} disabled={text.trim() === ''}>
        Send
      </Button>
    </form>
  )
}
