/** A device at a glance. */

import { Link } from 'wouter'
import { type Device, stateOf } from '../../devices.ts'
import { visible } from '../../parts/person.tsx'
import { count, Time } from '../../parts/show.tsx'

export function DeviceCard({ device }: { device: Device }) {
  const { word, look } = stateOf(device)
  return (
    <Link href={`/devices?device=${device.id}`} className="card device-card">
      <span className="row spread">
        <strong>{visible(device.name)}</strong>
        <span className={`badge ${look}`}>
          <span className={`dot ${look}`} />
          {word}
        </span>
      </span>
      <span className="muted small">
        {device.abilities.title}
        {device.status === 'offline' && device.seen_at && (
          <>
            {' '}
            · seen <Time at={device.seen_at} />
          </>
        )}
      </span>
      <span className="small">
        {paceOf(device)} · {leftOf(device)}
        {device.waiting > 0 && <strong> · {count(device.waiting)} waiting</strong>}
      </span>
    </Link>
  )
}

export function paceOf({ per_minute: pace, safety }: Device): string {
  if (safety) return `one every ${safety.gap_least_seconds}–${safety.gap_most_seconds} s`
  return pace === null ? 'no pace limit' : `${count(pace)} a minute`
}

export function leftOf({ left_today: left }: Device): string {
  return left === null ? 'no daily limit' : `${count(left)} left today`
}
