/** What single and bulk sends choose alike: the device, and the time. */

import { type Device, useDevices } from '../../devices.ts'
import { SelectField, TextField } from '../../parts/field.tsx'

export function DeviceChoice({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { data: devices = [] } = useDevices()
  return (
    <SelectField
      label="Device"
      value={value}
      onChange={onChange}
      options={[
        { value: '', label: 'Choose the best one' },
        ...devices.map(({ id, name, status, paused }) => ({
          value: id,
          label: `${name}${paused ? ' (paused)' : status === 'offline' ? ' (offline)' : ''}`,
        })),
      ]}
    />
  )
}

export const mayTakeMedia = (devices: readonly Device[], chosen: string): boolean =>
  devices.some(({ id, abilities }) => (chosen === '' || id === chosen) && abilities.media)

export const SendTime = ({ value, onChange }: { value: string; onChange: (local: string) => void }) => (
  <TextField
    label="When (optional)"
    type="datetime-local"
    value={value}
    onChange={onChange}
    min={localNow()}
    max="9999-12-31T23:59"
    help="By your clock; at once when left empty."
  />
)

/** As the input writes times: by the clock on the wall. */
const localNow = () => {
  const now = new Date()
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export const sendAtOf = (local: string): string | undefined =>
  Number.isNaN(new Date(local).getTime()) ? undefined : new Date(local).toISOString()
