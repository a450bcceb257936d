/** Webhooks: addresses that are told what happens. */

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { WebhookSecretResponse, WebhooksResponse } from '../../../sdk/src/index.ts'
import { useAct } from '../act.ts'
import { useApi, useEnvironment } from '../environment.ts'
import { Button } from '../parts/button.tsx'
import { Secret } from '../parts/copy.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { Empty, Found, Notice, Page } from '../parts/page.tsx'
import { Sheet } from '../parts/sheet.tsx'
import { Time } from '../parts/show.tsx'
import { WebhookForm } from './webhook-form.tsx'

export type Webhook = WebhooksResponse['data'][number]

export function useWebhooks() {
  const api = useApi()
  const environment = useEnvironment()
  return useQuery({
    queryKey: [environment, 'webhooks'],
    queryFn: async () => (await api.webhooks()).data,
  })
}

/** How it is, in one word and one colour. */
export function healthOf({ enabled, disabled_reason: reason, failing_since: since }: Webhook) {
  if (!enabled)
    return reason === 'switched_off'
      ? { word: 'Switched off', look: '' }
      : { word: reason === 'gone' ? 'Gone' : 'Given up', look: 'bad' }
  return since === null ? { word: 'Well', look: 'good' } : { word: 'Failing', look: 'warn' }
}

export default function Webhooks() {
  const query = useWebhooks()
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<WebhookSecretResponse['data']>()
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      New webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      about="Each address is told of what happens, signed, in order, and again until it takes it."
      actions={add}
    >
      <Found query={query}>
        {webhooks => (
          <div className="card flush">
            {webhooks.length === 0 ? (
              <Empty title="No webhook yet">
                <p>
                  Give the address of a program of yours, and it hears of deliveries and answers as they
                  happen.
                </p>
                {add}
              </Empty>
            ) : (
              <Table webhooks={webhooks} />
            )}
          </div>
        )}
      </Found>
      {isAdding && (
        <NewWebhook
          onClose={() => setAdding(false)}
          onMade={made => {
            setAdding(false)
            setSecret(made)
          }}
        />
      )}
      {secret && <ShownOnce secret={secret.secret} onClose={() => setSecret(undefined)} />}
    </Page>
  )
}

export const ShownOnce = ({ secret, onClose }: { secret: string; onClose: () => void }) => (
  <Sheet title="Its secret" onClose={onClose} isSticky>
    <Notice look="warn">
      With it your program sees that a request really comes from here. It is shown only this once.
    </Notice>
    <Secret text={secret} label="Copy the secret" />
    <div className="foot-actions">
      <Button look="primary" onClick={onClose}>
        I have kept it
      </Button>
    </div>
  </Sheet>
)

const Table = ({ webhooks }: { webhooks: readonly Webhook[] }) => (
  <DataTable heads={['Address', 'State', 'Told of', 'Added']}>
    {webhooks.map(webhook => {
      const { word, look } = healthOf(webhook)
      return (
        <tr key={webhook.id}>
          <td className="text">
            <Link href={`/webhooks/${webhook.id}`}>{webhook.url}</Link>
          </td>
          <td>
            <span className={`badge ${look}`}>{word}</span>
          </td>
          <td className="small">{webhook.types === null ? 'everything' : webhook.types.join(', ')}</td>
          <td className="muted">
            <Time at={webhook.created_at} />
          </td>
        </tr>
      )
    })}
  </DataTable>
)

type Props = { onClose: () => void; onMade: (made: WebhookSecretResponse['data']) => void }

function NewWebhook({ onClose, onMade }: Props) {
  const api = useApi()
  const [act, isBusy] = useAct()
  return (
    <WebhookForm
      title="New webhook"
      deed="Add it"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={request => void act(async () => onMade((await api.addWebhook(request)).data))}
    />
  )
}
