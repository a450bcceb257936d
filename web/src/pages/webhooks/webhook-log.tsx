/** One webhook: what it was told, what it answered, and what to do about it. */

import { useState } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import type { DeliveryAttempt } from '../../../../sdk/src/index.ts'
import { useAct } from '../../act.ts'
import { differenceOf } from '../../difference.ts'
import { useApi } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Empty, Found, Notice, Page } from '../../parts/page.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Time } from '../../parts/show.tsx'
import { healthOf, useWebhooks, type Webhook } from '../../webhooks.ts'
import { AttemptLine, isTaken } from './attempt-line.tsx'
import { Deliveries } from './deliveries.tsx'
import { WebhookForm } from './webhook-form.tsx'
import { ShownOnce } from './webhooks.tsx'

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
          <br />
          Events: {webhook.types === null ? 'all' : webhook.types.join(', ')}.{' '}
          <Link href="/webhooks">All webhooks</Link>
        </>
      }
      actions={<Actions webhook={webhook} />}
    >
      <div className="stack wide">
        {webhook.failing_since && (
          <Notice look="warn">
            Failing since <Time at={webhook.failing_since} />. Each event is attempted up to ten times over
            about three days. After five days without a success the webhook is disabled.
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
  const [act, isBusy, wrong] = useAct('/url')
  const [sheet, setSheet] = useState<'change' | 'replay' | 'remove' | 'secret'>()
  const [tested, setTested] = useState<DeliveryAttempt>()
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
      <Button onClick={() => setSheet('change')}>Change…</Button>
      <Button onClick={() => setSheet('replay')}>Replay…</Button>
      <Button onClick={() => setSheet('secret')}>Rotate secret…</Button>
      <Button
        isBusy={isBusy}
        onClick={() =>
          act(() => api.changeWebhook(webhook.id, { enabled: !webhook.enabled }), {
            done: webhook.enabled ? 'Disabled.' : 'Enabled. It receives new events from now on.',
            undo: () => api.changeWebhook(webhook.id, { enabled: webhook.enabled }),
          })
        }
      >
        {webhook.enabled ? 'Disable' : 'Enable'}
      </Button>
      <Button look="danger" onClick={() => setSheet('remove')}>
        Remove…
      </Button>
      {tested && <Tested attempt={tested} onClose={() => setTested(undefined)} />}
      {secret && <ShownOnce secret={secret} onClose={() => setSecret(undefined)} />}
      {sheet === 'change' && (
        <WebhookForm
          title="Edit webhook"
          deed="Save"
          webhook={webhook}
          isBusy={isBusy}
          wrong={wrong}
          onClose={close}
          onSubmit={async wanted => {
            const { after, before } = differenceOf(webhook, wanted)
            if (Object.keys(after).length === 0) return close()
            const isSaved = await act(() => api.changeWebhook(webhook.id, after), {
              done: 'Saved.',
              undo: () => api.changeWebhook(webhook.id, before),
            })
            if (isSaved) close()
          }}
        />
      )}
      {sheet === 'replay' && <Replay webhook={webhook} onClose={close} />}
      {sheet === 'secret' && (
        <Confirm
          title="Rotate the secret?"
          deed="Make a new secret"
          isBusy={isBusy}
          onClose={close}
          onConfirm={async () => {
            const isMade = await act(async () => setSecret((await api.rotateWebhook(webhook.id)).data.secret))
            if (isMade) close()
          }}
        >
          <p>
            Both sign for a day; then the new one alone. A secret that was replaced earlier today ends at
            once.
          </p>
        </Confirm>
      )}
      {sheet === 'remove' && (
        <Confirm
          title="Remove this webhook?"
          deed="Remove it"
          isBusy={isBusy}
          onClose={close}
          onConfirm={async () => {
            const remove = async () => {
              await api.removeWebhook(webhook.id)
              // Away first: of what is gone there is nothing to look up.
              go('/webhooks')
            }
            await act(remove, { done: 'Removed.' })
          }}
        >
          <p className="pre">{webhook.url} receives no more events, and its delivery log is deleted.</p>
        </Confirm>
      )}
    </>
  )
}

const Tested = ({ attempt, onClose }: { attempt: DeliveryAttempt; onClose: () => void }) => (
  <Sheet title="Test result" onClose={onClose}>
    <Notice look={isTaken(attempt) ? 'good' : 'bad'}>
      {isTaken(attempt) ? 'The test event was delivered.' : 'The test event was not delivered.'}
    </Notice>
    <AttemptLine attempt={attempt} />
  </Sheet>
)

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
    if (await act(() => api.replay(webhook.id, { since }), { done: 'Redelivery started.' })) onClose()
  }
  return (
    <Sheet title="Replay" onClose={onClose}>
      <p>Past events are delivered again with the same ids, so that the receiver can ignore duplicates.</p>
      <SelectField label="How far back" value={hours} onChange={setHours} options={spans} />
      <div className="foot-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" isBusy={isBusy} onClick={replay}>
          Redeliver events
        </Button>
      </div>
    </Sheet>
  )
}
