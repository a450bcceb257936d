/** What somebody should look at, each with the one thing to do about it. */

import type { ReactNode } from 'react'
import { useAct } from '../../act.ts'
import { type Device, useDevices } from '../../devices.ts'
import { useApi } from '../../environment.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { visible } from '../../parts/person.tsx'
import { Time } from '../../parts/show.tsx'
import { useMay } from '../../session.ts'
import { useWebhooks, type Webhook } from '../../webhooks.ts'

type Item = { key: string; look: 'warn' | 'bad'; what: ReactNode; remedy: ReactNode }

/** Somebody must link or connect it again. */
const linkAgain = new Set(['logged_out', 'session_conflict'])
const connectAgain = new Set(['not_connected', 'signature_refused', 'phone_offline', 'no_event_stream'])

export function Attention() {
  const items = [...useDeviceItems(), ...useWebhookItems()]
  if (items.length === 0) return null
  return (
    <section className="card flush attention" aria-labelledby="attention">
      <header>
        <h2 id="attention">Needs attention</h2>
        <span className="badge warn">{items.length}</span>
      </header>
      <ul className="plain">
        {items.map(({ key, look, what, remedy }) => (
          <li key={key}>
            <span className={`dot ${look}`} />
            <span className="grow">{what}</span>
            {remedy}
          </li>
        ))}
      </ul>
    </section>
  )
}

function useDeviceItems(): Item[] {
  const { data = [] } = useDevices()
  return data.flatMap<Item>(device => [
    ...device.attention.map(({ code, detail }) => ({
      key: `${device.id}-${code}`,
      look: device.status === 'offline' ? ('bad' as const) : ('warn' as const),
      what: (
        <>
          <strong>{visible(device.name)}</strong>: {detail}
        </>
      ),
      remedy: <DeviceRemedy device={device} code={code} />,
    })),
    ...(device.paused
      ? [
          {
            key: `${device.id}-paused`,
            look: 'warn' as const,
            what: (
              <>
                <strong>{visible(device.name)}</strong> is paused
                {device.waiting > 0 && `, and ${device.waiting} messages wait for it`}.
              </>
            ),
            remedy: <Resume device={device} />,
          },
        ]
      : []),
  ])
}

function DeviceRemedy({ device, code }: { device: Device; code: string }) {
  const mayManage = useMay('devices:manage')
  if (mayManage && linkAgain.has(code))
    return (
      <ButtonLink isSmall to={`/devices/${device.id}/connect`}>
        Link it again
      </ButtonLink>
    )
  if (mayManage && code === 'token_refused')
    return (
      <ButtonLink isSmall to={`/devices/${device.id}/connect`}>
        Give it a new token
      </ButtonLink>
    )
  if (mayManage && connectAgain.has(code) && device.abilities.added_by === 'enrolment')
    return (
      <ButtonLink isSmall to={`/devices/${device.id}/connect`}>
        Connect it
      </ButtonLink>
    )
  return (
    <ButtonLink isSmall to={`/devices?device=${device.id}`}>
      Look at it
    </ButtonLink>
  )
}

function Resume({ device }: { device: Device }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  if (!useMay('devices:manage')) return null
  return (
    <Button
      isSmall
      isBusy={isBusy}
      onClick={() =>
        act(() => api.changeDevice(device.id, { paused: false }), { done: `${device.name} is resumed.` })
      }
    >
      Resume
    </Button>
  )
}

function useWebhookItems(): Item[] {
  const { data = [] } = useWebhooks(useMay('webhooks:manage'))
  return data.flatMap(webhookItem)
}

function webhookItem({ id, url, enabled, disabled_reason: reason, failing_since: since }: Webhook): Item[] {
  const remedy = (
    <ButtonLink isSmall to={`/webhooks/${id}`}>
      See its answers
    </ButtonLink>
  )
  if (!enabled && reason !== 'switched_off') {
    const why = reason === 'gone' ? 'it answered 410 (gone).' : 'every delivery failed for five days.'
    const what = (
      <>
        The webhook <strong>{url}</strong> was disabled: {why}
      </>
    )
    return [{ key: id, look: 'bad', what, remedy }]
  }
  if (since === null) return []
  const what = (
    <>
      The webhook <strong>{url}</strong> is failing; first failure <Time at={since} />. Deliveries are
      retried.
    </>
  )
  return [{ key: id, look: 'warn', what, remedy }]
}
