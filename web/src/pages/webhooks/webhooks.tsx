/** Webhooks: addresses that receive events. */

import { useState } from 'react'
import { Link } from 'wouter'
import type { WebhookWithSecret } from '../../../../sdk/src/index.ts'
import { useAct } from '../../act.ts'
import { useApi } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { Secret } from '../../parts/copy.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { Empty, Found, Notice, Page } from '../../parts/page.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Time } from '../../parts/show.tsx'
import { healthOf, useWebhooks, type Webhook } from '../../webhooks.ts'
import { WebhookForm } from './webhook-form.tsx'

export default function Webhooks() {
  const query = useWebhooks()
  const [isAdding, setAdding] = useState(false)
  const [secret, setSecret] = useState<WebhookWithSecret>()
  const add = (
    <Button look="primary" icon="plus" onClick={() => setAdding(true)}>
      New webhook
    </Button>
  )
  return (
    <Page
      title="Webhooks"
      about="Events are posted to these addresses, signed, and retried until they are accepted. They may arrive out of order."
      actions={add}
    >
      <Found query={query}>
        {webhooks => (
          <div className="card flush">
            {webhooks.length === 0 ? (
              <Empty title="No webhook yet">
                <p>
                  Enter the URL of your program. It then receives delivery reports and replies as they happen.
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
  <Sheet title="Signing secret" onClose={onClose} isSticky>
    <Notice look="warn">
      Your program uses it to verify that a request comes from this gateway. It is shown only once.
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
  <DataTable heads={['Address', 'State', 'Events', 'Added']}>
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

type Props = { onClose: () => void; onMade: (made: WebhookWithSecret) => void }

function NewWebhook({ onClose, onMade }: Props) {
  const api = useApi()
  const [act, isBusy, wrong] = useAct('/url')
  return (
    <WebhookForm
      title="New webhook"
      deed="Add it"
      isBusy={isBusy}
      wrong={wrong}
      onClose={onClose}
      onSubmit={request => void act(async () => onMade((await api.addWebhook(request)).data))}
    />
  )
}
