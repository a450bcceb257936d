/** Sealed entries of links. */

import type { VaultChange, VaultPart, VaultRange } from '../../core/devices/vault.ts'
import { deviceLease } from '../../core/nodes/lease.ts'
import { type Sql, sql, values } from '../engine/sql.ts'
import { each, type Verb } from '../engine/verb.ts'
import { requireLease } from '../nodes/leases.ts'

export async function vaultRead(
  connection: Sql,
  deviceId: string,
  type: string,
  ids: readonly string[],
): Promise<{ id: string; value: string }[]> {
  const found = await Promise.all(
    ids.map(id =>
      connection.all<{ id: string; value: string }>(
        sql`SELECT id, value FROM vault WHERE device_id = ${deviceId} AND type = ${type} AND id = ${id}`,
      ),
    ),
  )
  return found.flat()
}

export async function vaultList(
  connection: Sql,
  deviceId: string,
  type: string,
  { limit = everything, before }: VaultRange = {},
): Promise<{ id: string; value: string }[]> {
  if (before === undefined)
    return await connection.all(sql`
      SELECT id, value FROM vault WHERE device_id = ${deviceId} AND type = ${type} ORDER BY id LIMIT ${limit}`)
  return await connection.all(sql`
    SELECT id, value FROM vault WHERE device_id = ${deviceId} AND type = ${type} AND id < ${before}
    ORDER BY id LIMIT ${limit}`)
}

const everything = 1_000_000_000

/** `epoch`: of the lease on whose behalf it is written. */
type Written = { deviceId: string; changes: readonly VaultChange[]; epoch?: number | undefined }

export const vaultWrite: Verb<Written, void> = each(async (tx, { deviceId, changes, epoch }) => {
  await requireLease(tx, deviceLease(deviceId), epoch)
  // The last word on an entry counts; a statement may meet each only once.
  const last = [...new Map(changes.map(change => [`${change.type}/${change.id}`, change])).values()]
  const gone = last.filter(({ value }) => value === null)
  const kept = last.flatMap(({ type, id, value }) => (value === null ? [] : [{ type, id, value }]))
  for (const { type, id } of gone)
    tx.write(sql`DELETE FROM vault WHERE device_id = ${deviceId} AND type = ${type} AND id = ${id}`)
  if (kept.length > 0)
    tx.write(sql`
      INSERT INTO vault ${values({ type: 'text', id: 'text', value: 'text' }, kept, { device_id: deviceId, written_at: tx.now })}
      ON CONFLICT (device_id, type, id) DO UPDATE SET value = excluded.value, written_at = excluded.written_at`)
})

type Forgotten = VaultPart & { deviceId: string; epoch?: number | undefined }

type Replaced = { deviceId: string; changes: readonly VaultChange[]; but: string }

/** All of a device's entries make room for these, save those of one type. */
export const vaultReplace: Verb<Replaced, void> = async (tx, asked) => {
  await vaultForget(
    tx,
    asked.map(({ deviceId, but }) => ({ deviceId, but })),
  )
  return await vaultWrite(tx, asked)
}

export const vaultForget: Verb<Forgotten, void> = each(async (tx, { deviceId, epoch, type, before, but }) => {
  await requireLease(tx, deviceLease(deviceId), epoch)
  if (type === undefined)
    await tx.all(sql`DELETE FROM vault WHERE device_id = ${deviceId} AND type <> ${but ?? ''}`)
  else
    await tx.all(sql`
      DELETE FROM vault WHERE device_id = ${deviceId} AND type = ${type} AND written_at < ${before ?? tx.now + 1}`)
})
