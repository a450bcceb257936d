/** One device: what it says about itself, its name and its limits. */

import { useState } from 'react'
import { useAct } from '../../act.ts'
import type { Device } from '../../devices.ts'
import { useApi } from '../../environment.ts'
import { Button, ButtonLink } from '../../parts/button.tsx'
import { TextField } from '../../parts/field.tsx'
import { Notice } from '../../parts/page.tsx'
import { Person, visible } from '../../parts/person.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { count, Time } from '../../parts/show.tsx'
import { useMay } from '../../session.ts'

const connectAgain: Record<Device['abilities']['added_by'], string | null> = {
  name: null,
  enrolment: 'Connect a phone again',
  linking: 'Link it again',
  credentials: 'Give it a new token',
}

export function DeviceSheet({ device, onClose }: { device: Device; onClose: () => void }) {
  const mayManage = useMay('devices:manage')
  const connectWords = connectAgain[device.abilities.added_by]
  return (
    <Sheet title={visible(device.name)} onClose={onClose}>
      {device.attention.map(({ code, detail }) => (
        <Notice key={code} look="warn">
          {detail}
        </Notice>
      ))}
      <dl className="details-list">
        <dt>Kind</dt>
        <dd>{device.abilities.title}</dd>
        <dt>Number</dt>
        <dd>{device.phone === '' ? 'unknown' : <Person number={device.phone} />}</dd>
        <dt>Last seen</dt>
        <dd>{device.status === 'online' ? 'now' : <Time at={device.seen_at} />}</dd>
        {device.about.sims?.map(({ slot, number, carrier }) => (
          <Sim key={slot} slot={slot} number={number} carrier={carrier} />
        ))}
        {device.safety && (
          <>
            <dt>New people left today</dt>
            <dd>
              {device.safety.new_chats_left_today === null
                ? 'no limit'
                : count(device.safety.new_chats_left_today)}
            </dd>
          </>
        )}
        <dt>Id</dt>
        <dd>
          <code>{device.id}</code>
        </dd>
      </dl>
      {mayManage && connectWords && (
        <div className="row">
          <ButtonLink to={`/devices/${device.id}/connect`}>{connectWords}</ButtonLink>
        </div>
      )}
      {mayManage && <Settings key={device.id} device={device} onClose={onClose} />}
    </Sheet>
  )
}

const Sim = ({ slot, number, carrier }: { slot: number; number: string | null; carrier: string | null }) => (
  <>
    <dt>SIM {slot}</dt>
    <dd>
      {carrier ? visible(carrier) : 'unknown network'} {number && <Person number={number} />}
    </dd>
  </>
)

const shown = (limit: number | null) => (limit === null ? '' : String(limit))
const read = (text: string) => (text.trim() === '' ? null : Number(text))

function Settings({ device, onClose }: { device: Device; onClose: () => void }) {
  const api = useApi()
  const [act, isBusy] = useAct()
  const [name, setName] = useState(device.name)
  const [phone, setPhone] = useState(device.phone)
  const [perMinute, setPerMinute] = useState(shown(device.per_minute))
  const [perDay, setPerDay] = useState(shown(device.per_day))
  const [gap, setGap] = useState([
    String(device.safety?.gap_least_seconds ?? ''),
    String(device.safety?.gap_most_seconds ?? ''),
  ])
  const [newChats, setNewChats] = useState(shown(device.safety?.new_chats_per_day ?? null))
  const save = async (event: React.SubmitEvent) => {
    event.preventDefault()
    const change = {
      name,
      ...(!device.abilities.fixed_number && { phone }),
      per_minute: read(perMinute),
      per_day: read(perDay),
      ...(device.safety && {
        safety: {
          ...(gap[0] !== '' && { gap_least_seconds: Number(gap[0]) }),
          ...(gap[1] !== '' && { gap_most_seconds: Number(gap[1]) }),
          new_chats_per_day: read(newChats),
        },
      }),
    }
    if (await act(() => api.changeDevice(device.id, change), { done: 'Saved.' })) onClose()
  }
  return (
    <form className="stack" onSubmit={save}>
      <h3>Settings</h3>
      <TextField label="Name" value={name} onChange={setName} required />
      {!device.abilities.fixed_number && (
        <TextField
          label="Its number"
          type="tel"
          value={phone}
          onChange={setPhone}
          placeholder="+14155550123"
        />
      )}
      <div className="pair">
        <TextField
          label="Limit per minute"
          type="number"
          min={1}
          value={perMinute}
          onChange={setPerMinute}
          help={
            device.abilities.added_by === 'enrolment'
              ? 'SMS parts; empty: no limit. Above about 30, Android asks the phone’s owner.'
              : 'Empty: no limit.'
          }
        />
        <TextField
          label="Limit per day"
          type="number"
          min={1}
          value={perDay}
          onChange={setPerDay}
          help="Counted in UTC days; empty: no limit."
        />
      </div>
      {device.safety && (
        <>
          <div className="pair">
            <TextField
              label="Seconds between messages, at least"
              type="number"
              min={0}
              value={gap[0]!}
              onChange={value => setGap([value, gap[1]!])}
            />
            <TextField
              label="and at most"
              type="number"
              min={0}
              value={gap[1]!}
              onChange={value => setGap([gap[0]!, value])}
            />
          </div>
          <TextField
            label="New people a day"
            type="number"
            min={0}
            value={newChats}
            onChange={setNewChats}
            help="Writing to many strangers is what gets WhatsApp numbers blocked. Empty: no limit."
          />
        </>
      )}
      <div className="foot-actions">
        <Button onClick={onClose}>Close</Button>
        <Button type="submit" look="primary" isBusy={isBusy}>
          Save
        </Button>
      </div>
    </form>
  )
}
