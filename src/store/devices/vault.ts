/** Sealed entries of links. */

import type { VaultChange, VaultRange } from '../../core/devices/vault.ts'
import { type Sql, sql, values } from '../engine/sql.ts'
import { each, type Verb } from '../engine/verb.ts'

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

type Written = { deviceId: string; changes: readonly VaultChange[] }

export const vaultWrite: Verb<Written, void> = each(async (tx, { deviceId, changes }) => {
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

type Forgotten = { deviceId: string; type: string | null; before: number | null; but?: string | undefined }

type Replaced = { deviceId: string; changes: readonly VaultChange[]; but: string }

/** All of a device's entries make room for these, save those of one type. */
export const vaultReplace: Verb<Replaced, void> = async (tx, asked) => {
  await vaultForget(
    tx,
    asked.map(({ deviceId, but }) => ({ deviceId, type: null, before: null, but })),
  )
  return await vaultWrite(tx, asked)
}

export const vaultForget: Verb<Forgotten, void> = each(async (tx, { deviceId, type, before, but }) => {
  if (type === null)
    await tx.all(sql`DELETE FROM vault WHERE device_id = ${deviceId} AND type <> ${but ?? ''}`)
  else
    await tx.all(sql`
      DELETE FROM vault WHERE device_id = ${deviceId} AND type = ${type} AND written_at < ${before ?? tx.now + 1}`)
})
