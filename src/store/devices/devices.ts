/** Devices, what waits for them, and the nodes that hold their links. */

import type { Connection, Description, Device, DeviceThen, Load } from '../../core/devices/device.ts'
import type { DeviceChange } from '../../core/devices/device-draft.ts'
import { checkSafety } from '../../core/devices/device-rules.ts'
import { kindOf, safetyOf } from '../../core/devices/kinds/kinds.ts'
import type { Pace } from '../../core/devices/pace.ts'
import type { Owned } from '../../core/environment.ts'
import type { EventType } from '../../core/events/event.ts'
import { raw, type Sql, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'

export const deviceColumns =
  raw(`d.id, d.environment_id AS "environmentId", e.name AS environment, d.kind, d.name, d.phone,
  d.per_minute AS "perMinute", d.per_day AS "perDay", d.driver, d.caution AS safety, d.restricted_until AS "restrictedUntil", d.paused, d.draining, d.online, d.held_by AS "heldBy",
  d.about, p.registered_at AS "registeredAt", p.stream_at AS "streamAt", p.key_at AS "keyAt", d.attention, d.seen_at AS "seenAt", d.created_at AS "createdAt", d.removed_at AS "removedAt"`)

const joined = raw(
  `FROM devices d JOIN environments e ON e.id = d.environment_id LEFT JOIN phones p ON p.device_id = d.id`,
)

type Told = 'paused' | 'draining' | 'online' | 'about' | 'connection' | 'attention' | 'safety'
export type DeviceRow = Omit<Device, Told> &
  Connection & {
    safety: string
    paused: number
    draining: number
    online: number
    about: string
    attention: string
  }
export function deviceFrom({ registeredAt, streamAt, keyAt, ...row }: DeviceRow): Device {
  const kind = kindOf(row)
  return {
    ...row,
    connection: { registeredAt, streamAt, keyAt },
    paused: row.paused === 1,
    draining: row.draining === 1,
    online: row.online === 1,
    driver: kind.driver,
    safety: safetyOf(kind, JSON.parse(row.safety)),
    about: JSON.parse(row.about),
    attention: JSON.parse(row.attention),
  }
}

/** With `environmentId` only if it belongs there. */
export async function device(
  connection: Sql,
  id: string,
  environmentId?: number,
): Promise<Device | undefined> {
  const [row] = await connection.all<DeviceRow>(sql`SELECT ${deviceColumns} ${joined} WHERE d.id = ${id}`)
  const isTheirs = environmentId === undefined || row?.environmentId === environmentId
  return row && isTheirs ? deviceFrom(row) : undefined
}

export async function allDevices(connection: Sql): Promise<Device[]> {
  const found = await connection.all<DeviceRow>(sql`
    SELECT ${deviceColumns} ${joined} ORDER BY d.created_at, d.id`)
  return found.map(deviceFrom)
}

export async function devices(connection: Sql, environmentId: number): Promise<Device[]> {
  const found = await connection.all<DeviceRow>(sql`
    SELECT ${deviceColumns} ${joined} WHERE d.environment_id = ${environmentId} ORDER BY d.created_at, d.id`)
  return found.map(deviceFrom)
}

/** Writes an event about a device, with the device as it is now: whenever it is told, it says the same. */
export async function tell(
  tx: Transaction,
  type: EventType,
  of: Device,
  data?: Record<string, unknown>,
): Promise<void> {
  tx.devicesChanged()
  const then: DeviceThen = { device: of, load: await loadOf(tx, of.id) }
  tx.journal({ environmentId: of.environmentId, type, deviceId: of.id, data: { ...data, then } })
}

export const change: Verb<Owned & { change: DeviceChange }, Device | undefined> = each(
  async (tx, { environmentId, id: deviceId, change }) => {
    const before = await device(tx, deviceId, environmentId)
    if (!before || before.removedAt !== null) return undefined
    const after = {
      ...before,
      ...change,
      safety: before.safety && { ...before.safety, ...change.safety },
    }
    // Two changes at once may each be right, and wrong together.
    if (after.safety) checkSafety(after.safety)
    await tx.all(sql`
      UPDATE devices SET name = ${after.name}, phone = ${after.phone}, per_minute = ${after.perMinute},
        per_day = ${after.perDay}, paused = ${after.paused}, draining = ${after.draining}
      WHERE id = ${deviceId}`)
    if (change.safety && after.safety)
      await tx.all(sql`UPDATE devices SET caution = ${JSON.stringify(after.safety)} WHERE id = ${deviceId}`)
    if (before.paused !== after.paused)
      await tell(tx, after.paused ? 'device.paused' : 'device.resumed', after)
    const { paused: _, ...rest } = change
    if (Object.keys(rest).length > 0) await tell(tx, 'device.changed', after, rest)
    return after
  },
)

export const retire: Verb<Owned, Device | undefined> = each(async (tx, { environmentId, id }) => {
  const before = await device(tx, id, environmentId)
  if (!before || before.removedAt !== null) return undefined
  await tx.all(sql`UPDATE devices SET removed_at = ${tx.now} WHERE id = ${id}`)
  // Its secrets, and what it remembered for itself, are nobody's any more.
  await tx.all(sql`DELETE FROM vault WHERE device_id = ${id}`)
  await tell(tx, 'device.removed', before)
  return { ...before, removedAt: tx.now }
})

export const describe: Verb<{ deviceId: string; description: Description }, void> = each(
  async (tx, { deviceId, description }) => {
    const before = await device(tx, deviceId)
    if (!before) return
    const about = { ...before.about, ...description.about }
    const attention = description.attention ?? before.attention
    const seenAt = Math.max(before.seenAt ?? 0, description.seenAt ?? 0) || null
    const restrictedUntil =
      description.restrictedUntil === undefined ? before.restrictedUntil : description.restrictedUntil
    const told =
      JSON.stringify(about) !== JSON.stringify(before.about) || restrictedUntil !== before.restrictedUntil
    const worried = attention.join() !== before.attention.join()
    if (description.restsUntil !== undefined) await rest(tx, deviceId, description.restsUntil)
    if (!told && !worried && seenAt === before.seenAt) return
    await tx.all(sql`
    UPDATE devices SET about = ${JSON.stringify(about)}, attention = ${JSON.stringify(attention)}, seen_at = ${seenAt},
      restricted_until = ${restrictedUntil}
    WHERE id = ${deviceId}`)
    if (told) tx.devicesChanged()
    if (worried)
      await tell(
        tx,
        'device.attention',
        { ...before, about, attention, seenAt, restrictedUntil },
        { attention },
      )
  },
)

async function rest(tx: Transaction, deviceId: string, until: number | null): Promise<void> {
  const [load] = await tx.all<{ pace: string }>(sql`SELECT pace FROM loads WHERE device_id = ${deviceId}`)
  if (!load) return
  const { heldUntil: _, ...pace } = JSON.parse(load.pace) as Pace
  const changed: Pace = until === null ? pace : { ...pace, heldUntil: until }
  await tx.all(sql`UPDATE loads SET pace = ${JSON.stringify(changed)} WHERE device_id = ${deviceId}`)
  tx.devicesChanged()
}

type LoadRow = Omit<Load, 'pace'> & { pace: string }
const loadColumns = raw(`device_id AS "deviceId", waiting, waiting_parts AS "waitingParts", movable, pace`)
const loadFrom = (row: LoadRow): Load => ({ ...row, pace: JSON.parse(row.pace) as Pace })

export async function loads(connection: Sql): Promise<Load[]> {
  return (await connection.all<LoadRow>(sql`SELECT ${loadColumns} FROM loads`)).map(loadFrom)
}

async function loadOf(connection: Sql, deviceId: string): Promise<Load> {
  const [row] = await connection.all<LoadRow>(
    sql`SELECT ${loadColumns} FROM loads WHERE device_id = ${deviceId}`,
  )
  return loadFrom(row!)
}

export async function devicesVersion(connection: Sql): Promise<number> {
  const [row] = await connection.all<{ value: number }>(
    sql`SELECT value FROM counters WHERE name = 'devices'`,
  )
  return row!.value
}
