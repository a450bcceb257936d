/** One message: everything known about it, and every step it took. */

import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import type { MessageWithTimeline } from '../../../../sdk/src/index.ts'
import { useAct } from '../../act.ts'
import { useApi, useEnvironment } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { Found, Notice } from '../../parts/page.tsx'
import { Person } from '../../parts/person.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { counted, exactly, Time } from '../../parts/show.tsx'
import { lookOf, StatusBadge } from '../../parts/status.tsx'
import { useMay } from '../../session.ts'

type Step = MessageWithTimeline['timeline'][number]

const cancelable = new Set(['scheduled', 'queued', 'sending'])
const isOver = new Set(['failed', 'expired', 'canceled', 'unknown', 'delivered', 'read', 'sent'])

export function MessageDetail({ id, onClose }: { id: string; onClose: () => void }) {
  const api = useApi()
  const environment = useEnvironment()
  const query = useQuery({
    queryKey: [environment, 'message', id],
    queryFn: async () => (await api.message(id)).data,
  })
  return (
    <Sheet title="Message" onClose={onClose} isRoomy>
      <Found query={query}>{message => <Detail message={message} onClose={onClose} />}</Found>
    </Sheet>
  )
}

function Detail({ message, onClose }: { message: MessageWithTimeline; onClose: () => void }) {
  return (
    <div className="stack wide">
      <div className="row">
        <StatusBadge status={message.status} />
        <strong>
          <Person number={message.to} />
        </strong>
        <span className="muted small">{lookOf(message.status).about}</span>
      </div>
      {message.error && (
        <Notice look="bad">
          {message.error.detail} <code>{message.error.code}</code>
        </Notice>
      )}
      <div className="bubble sent pre">
        {message.message || <span className="muted">The text was forgotten.</span>}
      </div>
      {message.media_url && <p className="small pre">File: {message.media_url}</p>}
      <Actions message={message} onClose={onClose} />
      <section className="stack" aria-label="Timeline">
        <h3>What happened</h3>
        <ol className="timeline">
          {message.timeline.map(step => (
            <TimelineStep key={step.sequence} step={step} />
          ))}
        </ol>
      </section>
      <dl className="details-list small">
        <dt>Id</dt>
        <dd>
          <code>{message.message_id}</code>
        </dd>
        {message.batch_id && (
          <>
            <dt>Bulk send</dt>
            <dd>
              <Link href={`/messages?batch=${message.batch_id}`}>all messages of it</Link>
            </dd>
          </>
        )}
        <dt>Size</dt>
        <dd>{counted(message.segments, 'segment')}</dd>
        <dt>Attempts</dt>
        <dd>{message.attempts}</dd>
        {message.send_at && (
          <>
            <dt>To be sent</dt>
            <dd>{exactly(message.send_at)}</dd>
          </>
        )}
        <dt>Expires</dt>
        <dd>{exactly(message.expires_at)}</dd>
      </dl>
    </div>
  )
}

function Actions({ message, onClose }: { message: MessageWithTimeline; onClose: () => void }) {
  const api = useApi()
  const [, go] = useLocation()
  const [act, isBusy] = useAct()
  const maySend = useMay('messages:send')
  if (!maySend) return null
  const again = new URLSearchParams({
    to: message.to,
    text: message.message,
    ...(message.media_url && { media: message.media_url }),
  })
  return (
    <div className="row">
      {cancelable.has(message.status) && (
        <Button
          look="danger"
          isBusy={isBusy}
          onClick={() => act(() => api.cancel(message.message_id), { done: 'Canceled. It was not sent.' })}
        >
          Cancel it
        </Button>
      )}
      {isOver.has(message.status) && message.to !== '' && message.message !== '' && (
        <Button
          onClick={() => {
            onClose()
            go(`/messages/new?${again}`)
          }}
        >
          Send again…
        </Button>
      )}
      {message.to !== '' && (
        <Button look="quiet" onClick={() => go(`/inbox/${encodeURIComponent(message.to)}`)}>
          Open the conversation
        </Button>
      )}
    </div>
  )
}

const TimelineStep = ({ step }: { step: Step }) => (
  <li>
    <span className={`dot ${lookOf(step.status).look}`} />
    <div className="stack tight">
      <span className="row">
        <strong>{lookOf(step.status).word}</strong>
        {step.device && <span className="muted">{step.device.name}</span>}
        <span className="muted small">
          <Time at={step.at} />
        </span>
      </span>
      {step.chosen && <span className="small muted">{step.chosen.detail}</span>}
      {step.chosen?.passed_over.map(({ device, detail }) => (
        <span key={device.id} className="small muted">
          Not {device.name}: {detail}
        </span>
      ))}
      {step.reason && <span className="small muted">{step.reason.detail}</span>}
      {step.from_device && <span className="small muted">It waited for {step.from_device.name} before.</span>}
      {step.error && (
        <span className="small">
          {step.error.detail} {step.error.raw && <code className="muted">{step.error.raw}</code>}
        </span>
      )}
    </div>
  </li>
)
