/** Adding a device, or connecting one anew: the steps, and a live word at each. */

import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { useAct } from '../../act.ts'
import { type Device, useDevices } from '../../devices.ts'
import { useApi, useEnvironment } from '../../environment.ts'
import { Button } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Found, Page } from '../../parts/page.tsx'
import { AddCloudNumber, RenewCloudNumber } from './cloud-number.tsx'
import { ConnectPhone } from './connect-phone.tsx'
import { LinkNumber } from './link-number.tsx'

export default function AddDevice() {
  const { id } = useParams<{ id?: string }>()
  return id === undefined ? <AddNew /> : <ConnectAgain id={id} />
}

function ConnectAgain({ id }: { id: string }) {
  const query = useDevices()
  return (
    <Page title="Connect a device">
      <Found query={query}>
        {devices => {
          const device = devices.find(one => one.id === id)
          if (!device) return <p>There is no such device.</p>
          if (device.driver === 'cloud') return <RenewCloudNumber device={device} />
          return device.kind === 'whatsapp' ? (
            <LinkNumber name={device.name} deviceId={device.id} />
          ) : (
            <ConnectPhone deviceId={device.id} registeredAt={device.connection?.registered_at ?? null} />
          )
        }}
      </Found>
    </Page>
  )
}

/** How it is connected differs more than what it is. */
type Way = Device['kind'] | 'cloud'

const ways: readonly { way: Way; title: string; about: string }[] = [
  {
    way: 'android',
    title: 'Android phone',
    about: 'Sends and receives SMS with its own SIM, through an app that you install on it.',
  },
  {
    way: 'whatsapp',
    title: 'WhatsApp number',
    about: 'Linked like WhatsApp Web: scan a code with the phone. Files too.',
  },
  {
    way: 'cloud',
    title: 'WhatsApp over the official API',
    about: 'For numbers that are registered with Meta. No phone is needed, and nothing is against the terms.',
  },
  {
    way: 'simulated',
    title: 'Simulated phone',
    about: 'Behaves like a real one, and nobody is texted. For trying things out.',
  },
]

function AddNew() {
  const environment = useEnvironment()
  const [way, setWay] = useState<Way>()
  const [named, setNamed] = useState<{ name: string; phone: string }>()
  const [isNamed, setIsNamed] = useState(false)
  const back = () => setIsNamed(false)
  if (way === undefined)
    return (
      <Page title="Add a device" about="What should carry your messages?">
        <div className="choices">
          {ways
            .filter(one => one.way !== 'simulated' || environment === 'staging')
            .map(one => (
              <button key={one.way} type="button" className="card choice" onClick={() => setWay(one.way)}>
                <strong>{one.title}</strong>
                <span className="muted">{one.about}</span>
              </button>
            ))}
        </div>
      </Page>
    )
  const { title } = ways.find(one => one.way === way)!
  return (
    <Page title={`Add: ${title}`}>
      {way === 'cloud' ? (
        <AddCloudNumber onBack={() => setWay(undefined)} />
      ) : named === undefined || !isNamed ? (
        <NameIt
          kind={way}
          before={named}
          onNamed={given => {
            setNamed(given)
            setIsNamed(true)
          }}
          onBack={() => setWay(undefined)}
        />
      ) : way === 'whatsapp' ? (
        <LinkNumber {...named} onBack={back} />
      ) : (
        <ConnectPhone {...named} onBack={back} />
      )}
    </Page>
  )
}

function NameIt({
  kind,
  before,
  onNamed,
  onBack,
}: {
  kind: Device['kind']
  before: { name: string; phone: string } | undefined
  onNamed: (named: { name: string; phone: string }) => void
  onBack: () => void
}) {
  const api = useApi()
  const [, go] = useLocation()
  const [act, isBusy] = useAct()
  const [name, setName] = useState(before?.name ?? '')
  const [phone, setPhone] = useState(before?.phone ?? '')
  const submit = async (event: React.SubmitEvent) => {
    event.preventDefault()
    if (kind !== 'simulated') onNamed({ name, phone })
    else if (await act(() => api.addDevice({ kind, name, phone }), { done: `${name} is online.` }))
      go('/devices')
  }
  return (
    <form className="card stack compose" onSubmit={submit}>
      <TextField label="Name" value={name} onChange={setName} placeholder="Front desk" required autoFocus />
      <TextField
        label="Its number (optional)"
        type="tel"
        value={phone}
        onChange={setPhone}
        placeholder="+14155550123"
        help={
          kind === 'whatsapp'
            ? 'With it you can type a code on the phone in place of scanning, and no other number will be linked by mistake.'
            : 'Shown to you and with received messages.'
        }
      />
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy}>
          {kind === 'simulated' ? 'Add it' : 'Go on'}
        </Button>
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  )
}
