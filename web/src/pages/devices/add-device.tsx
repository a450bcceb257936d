/** Adding a device, or connecting one again: the steps, and a live word at each. */

import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { useAct } from '../../act.ts'
import { type DeviceKind, useDeviceKinds, useDevices } from '../../devices.ts'
import { useApi } from '../../environment.ts'
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
          switch (device.abilities.added_by) {
            case 'credentials':
              return <RenewCloudNumber device={device} />
            case 'linking':
              return <LinkNumber name={device.name} deviceId={device.id} />
            case 'enrolment':
              return (
                <ConnectPhone deviceId={device.id} registeredAt={device.connection?.registered_at ?? null} />
              )
            case 'name':
              return <p>There is nothing to connect: it is ready.</p>
          }
        }}
      </Found>
    </Page>
  )
}

function AddNew() {
  const kinds = useDeviceKinds()
  const [kind, setKind] = useState<DeviceKind>()
  const [named, setNamed] = useState<{ name: string; phone: string }>()
  const [isNamed, setIsNamed] = useState(false)
  const back = () => setIsNamed(false)
  if (kind === undefined)
    return (
      <Page title="Add a device" about="What should carry your messages?">
        <Found query={kinds}>
          {all => (
            <div className="choices">
              {all.map(one => (
                <button
                  key={one.abilities.title}
                  type="button"
                  className="card choice"
                  onClick={() => setKind(one)}
                >
                  <strong>{one.abilities.title}</strong>
                  <span className="muted">{one.about}</span>
                </button>
              ))}
            </div>
          )}
        </Found>
      </Page>
    )
  const { title, added_by: addedBy } = kind.abilities
  return (
    <Page title={`Add: ${title}`}>
      {addedBy === 'credentials' ? (
        <AddCloudNumber onBack={() => setKind(undefined)} />
      ) : named === undefined || !isNamed ? (
        <NameIt
          kind={kind}
          before={named}
          onNamed={given => {
            setNamed(given)
            setIsNamed(true)
          }}
          onBack={() => setKind(undefined)}
        />
      ) : addedBy === 'linking' ? (
        <LinkNumber {...named} onBack={back} />
      ) : (
        <ConnectPhone kind={kind.kind} {...named} onBack={back} />
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
  kind: DeviceKind
  before: { name: string; phone: string } | undefined
  onNamed: (named: { name: string; phone: string }) => void
  onBack: () => void
}) {
  const api = useApi()
  const { added_by: addedBy } = kind.abilities
  const isReadyAtOnce = addedBy === 'name'
  const [, go] = useLocation()
  const [act, isBusy] = useAct()
  const [name, setName] = useState(before?.name ?? '')
  const [phone, setPhone] = useState(before?.phone ?? '')
  const submit = async (event: React.SubmitEvent) => {
    event.preventDefault()
    if (!isReadyAtOnce) onNamed({ name, phone })
    else if (await act(() => api.addDevice({ kind: kind.kind, name, phone }), { done: `${name} was added.` }))
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
          addedBy === 'linking'
            ? 'With it you can type a code on the phone in place of scanning, and no other number will be linked by mistake.'
            : 'Shown to you and with received messages.'
        }
      />
      <div className="row">
        <Button type="submit" look="primary" isBusy={isBusy}>
          {isReadyAtOnce ? 'Add it' : 'Go on'}
        </Button>
        <Button look="quiet" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  )
}
