/** A WhatsApp number over Meta's official API: what it needs, and where this gateway must be entered at Meta. */

import { useState } from 'react'
import type { AddedDevice } from '../../../../sdk/src/index.ts'
import { useAct } from '../../act.ts'
import { type Device, useDevices } from '../../devices.ts'
import { useApi } from '../../environment.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { Secret } from '../../parts/copy.tsx'
import { TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/page.tsx'

export function AddCloudNumber({ onBack }: { onBack: () => void }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const [name, setName] = useState('')
  const [id, setId] = useState('')
  const [token, setToken] = useState('')
  const [secret, setSecret] = useState('')
  const [added, setAdded] = useState<AddedDevice>()
  if (added?.webhook) return <TellMeta added={added} webhook={added.webhook} />
  const add = (event: React.SubmitEvent) => {
    event.preventDefault()
    const cloud = { phone_number_id: id.trim(), access_token: token.trim(), app_secret: secret.trim() }
    void act(async () =>
      setAdded((await api.addDevice({ kind: 'whatsapp', driver: 'cloud', name, cloud })).data),
    )
  }
  return (
    <form className="card stack compose" onSubmit={add}>
      <p className="muted">
        In Meta’s app dashboard, under WhatsApp → API Setup, and App settings → Basic. They are kept sealed,
        and never shown again.
      </p>
      <TextField label="Name" value={name} onChange={setName} placeholder="Front desk" required autoFocus />
      <TextField
        label="Phone number ID"
        value={id}
        onChange={setId}
        inputMode="numeric"
        placeholder="123456789012345"
        required
      />
      <SecretField
        label="Access token"
        value={token}
        onChange={setToken}
        help="Use a system user's token: others expire after a day."
        required
      />
      <SecretField label="App secret" value={secret} onChange={setSecret} required />
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy}>
          Add it
        </Button>
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  )
}

/** Said to be new: browsers would fill in one's own password. */
const SecretField = (props: {
  label: string
  value: string
  onChange: (value: string) => void
  help?: string
  required?: boolean
}) => <TextField type="password" autoComplete="new-password" {...props} />

function TellMeta({ added, webhook }: { added: AddedDevice; webhook: NonNullable<AddedDevice['webhook']> }) {
  const { data: devices = [] } = useDevices()
  const device = devices.find(({ id }) => id === added.id)
  const isHeard = device !== undefined && !device.attention.some(({ code }) => code === 'no_webhook')
  return (
    <div className="card stack wide compose" aria-live="polite">
      <Notice look="good">
        {added.phone === '' ? `${added.name} can send.` : `${added.name} is ${added.phone}, and can send.`}
      </Notice>
      <p>
        To receive delivery reports and replies, register this gateway at Meta: WhatsApp → Configuration →
        Webhook. Then subscribe to “messages”.
      </p>
      <div className="stack tight">
        <span className="muted small">Callback URL</span>
        <Secret text={webhook.url} />
        <span className="muted small">Verify token, shown only now</span>
        <Secret text={webhook.verify_token} />
      </div>
      <ol className="steps">
        <li className={isHeard ? 'done' : undefined}>
          {isHeard
            ? 'Meta has called: delivery reports and replies now arrive.'
            : `Then write to ${added.phone || 'it'} from any phone. Waiting for Meta to call…`}
        </li>
      </ol>
      <div className="row">
        <ButtonLink to={`/messages/new?device=${added.id}`} look="primary">
          Send a test message
        </ButtonLink>
        <ButtonLink to="/devices">All devices</ButtonLink>
      </div>
    </div>
  )
}

/** For when the token ended, or the app has another secret. */
export function RenewCloudNumber({ device }: { device: Device }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const [token, setToken] = useState('')
  const [secret, setSecret] = useState('')
  const [isDone, setDone] = useState(false)
  const cloud = {
    ...(token.trim() !== '' && { access_token: token.trim() }),
    ...(secret.trim() !== '' && { app_secret: secret.trim() }),
  }
  if (isDone)
    return (
      <div className="card stack compose">
        <Notice look="good">Meta accepted it. {device.name} can send again.</Notice>
        <div className="row">
          <ButtonLink to="/devices">All devices</ButtonLink>
        </div>
      </div>
    )
  return (
    <form
      className="card stack compose"
      onSubmit={async event => {
        event.preventDefault()
        setDone(await act(() => api.changeDevice(device.id, { cloud })))
      }}
    >
      <p className="muted">Empty fields stay unchanged.</p>
      <SecretField label="New access token" value={token} onChange={setToken} />
      <SecretField label="New app secret" value={secret} onChange={setSecret} />
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy} disabled={Object.keys(cloud).length === 0}>
          Save
        </Button>
        <ButtonLink to="/devices" look="quiet">
          Back
        </ButtonLink>
      </div>
    </form>
  )
}
