/** Devices: signs of life, what each can do, and what to do with them. */

import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { useAct } from '../../act.ts'
import { type Device, stateOf, useDevices } from '../../devices.ts'
import { useApi } from '../../environment.ts'
import { ButtonLink } from '../../parts/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { actions, DataTable, number } from '../../parts/data-table.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import { Empty, Found, Page } from '../../parts/page.tsx'
import { Person, visible } from '../../parts/person.tsx'
import { count, counted, Time } from '../../parts/show.tsx'
import { useMay } from '../../session.ts'
import { leftOf, paceOf } from './device-card.tsx'
import { DeviceSheet } from './device-sheet.tsx'

export default function Devices() {
  const query = useDevices()
  const mayManage = useMay('devices:manage')
  const [search, setSearch] = useSearchParams()
  const chosen = search.get('device')
  const add = mayManage && (
    <ButtonLink to="/devices/add" look="primary" icon="plus">
      Add a device
    </ButtonLink>
  )
  return (
    <Page title="Devices" actions={add}>
      <Found query={query}>
        {devices => {
          const open = devices.find(({ id }) => id === chosen)
          return (
            <div className="card flush">
              {devices.length === 0 ? (
                <Empty title="No device yet">
                  <p>
                    An Android phone sends SMS with its own SIM; a WhatsApp number sends WhatsApp messages.
                    Each takes about two minutes to connect.
                  </p>
                  {add}
                </Empty>
              ) : (
                <Table devices={devices} onOpen={id => setSearch({ device: id })} />
              )}
              {open && <DeviceSheet device={open} onClose={() => setSearch({})} />}
            </div>
          )
        }}
      </Found>
    </Page>
  )
}

function Table({ devices, onOpen }: { devices: readonly Device[]; onOpen: (id: string) => void }) {
  return (
    <DataTable
      heads={['Device', 'State', 'Seen', 'Number', 'Sending limits', number('Waiting'), 'Phone', actions]}
    >
      {devices.map(device => (
        <Row key={device.id} device={device} onOpen={() => onOpen(device.id)} />
      ))}
    </DataTable>
  )
}

function Row({ device, onOpen }: { device: Device; onOpen: () => void }) {
  const { word, look } = stateOf(device)
  const { model, app_version: version, battery_percent: battery, charging, sims } = device.about
  return (
    <tr>
      <td>
        <button type="button" className="plain-link" onClick={onOpen}>
          <strong>{visible(device.name)}</strong>
        </button>
        <div className="muted small">{device.abilities.title}</div>
      </td>
      <td>
        <span className={`badge ${look}`}>
          <span className={`dot ${look}`} />
          {word}
        </span>
      </td>
      <td className="muted" data-label="Seen">
        {device.status === 'online' ? 'now' : <Time at={device.seen_at} />}
      </td>
      <td data-label="Number">
        {device.phone === '' ? <span className="muted">unknown</span> : <Person number={device.phone} />}
      </td>
      <td className="nowrap">
        {paceOf(device)}
        <div className="muted small">{leftOf(device)}</div>
      </td>
      <td className="number" data-label="Waiting">
        {count(device.waiting)}
      </td>
      <td className="small">
        {model && <div>{visible(model)}</div>}
        <div className="muted">
          {[
            battery !== undefined && `${battery} %${charging ? ', charging' : ''}`,
            sims && sims.length > 0 && counted(sims.length, 'SIM'),
            version && `app ${visible(version)}`,
          ]
            .filter(Boolean)
            .join(' · ')}
        </div>
      </td>
      <td className="acts">
        <Actions device={device} onOpen={onOpen} />
      </td>
    </tr>
  )
}

function Actions({ device, onOpen }: { device: Device; onOpen: () => void }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const [isRemoving, setRemoving] = useState(false)
  const mayManage = useMay('devices:manage')
  const pause = (paused: boolean) => () => api.changeDevice(device.id, { paused })
  const drain = (draining: boolean) => () => api.changeDevice(device.id, { draining })
  const items: MenuItem[] = [
    { label: 'Settings and limits', onChoose: onOpen },
    ...(mayManage
      ? [
          device.paused
            ? {
                label: 'Resume',
                onChoose: () =>
                  void act(pause(false), { done: `${device.name} is resumed.`, undo: pause(true) }),
              }
            : {
                label: 'Pause',
                onChoose: () =>
                  void act(pause(true), {
                    done: `${device.name} is paused. Queued messages that do not name it move to other devices.`,
                    undo: pause(false),
                  }),
              },
          device.draining
            ? {
                label: 'Stop draining',
                onChoose: () =>
                  void act(drain(false), {
                    done: `${device.name} takes new messages again.`,
                    undo: drain(true),
                  }),
              }
            : {
                label: 'Drain',
                onChoose: () =>
                  void act(drain(true), {
                    done: `${device.name} is draining: it finishes its queue and rejects new messages.`,
                    undo: drain(false),
                  }),
              },
          { label: 'Remove…', isDanger: true, onChoose: () => setRemoving(true) },
        ]
      : []),
  ]
  return (
    <>
      <Menu label={`What to do with ${device.name}`} items={items} />
      {isRemoving && (
        <Confirm
          title={`Remove ${device.name}?`}
          deed="Remove it"
          isBusy={isBusy}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            if (await act(() => api.removeDevice(device.id), { done: `${device.name} was removed.` }))
              setRemoving(false)
          }}
        >
          <p>{afterwards(device)}</p>
          <p className="muted">
            Messages that it sent, and received, stay in the lists. To use the phone again it has to be added
            again.
          </p>
        </Confirm>
      )}
    </>
  )
}

/** What becomes of the queue. */
const afterwards = ({ waiting }: Device) =>
  waiting === 0
    ? 'Its queue is empty.'
    : `${counted(waiting, 'message')} wait for it. Those that do not name it move to another device if there is one; the others fail with device_removed.`
