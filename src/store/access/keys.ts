/** API keys, the environments they belong to, and the gateway that serves them. */

import { randomUUIDv7 } from 'node:crypto'
import type { Key, KeyDraft, Rotation } from '../../core/access/key.ts'
import {
  defaultSettings,
  type Environment,
  type EnvironmentName,
  type Owned,
  type Settings,
} from '../../core/environment.ts'
import { raw, type Sql, sql } from '../engine/sql.ts'
import { each, type Verb } from '../engine/verb.ts'

const columns =
  raw(`k.id, k.environment_id AS "environmentId", e.name AS environment, k.name, k.hint, k.scopes,
  k.rate_limit AS "rateLimit", k.allowed_ips AS "allowedIps", k.created_by AS "createdBy",
  k.parent_id AS "parentId", k.created_at AS "createdAt",
  k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt", k.last_used_at AS "lastUsedAt"`)

type KeyRow = Omit<Key, 'scopes' | 'allowedIps'> & { scopes: string; allowedIps: string }
const fromRow = (row: KeyRow): Key => ({
  ...row,
  scopes: JSON.parse(row.scopes),
  allowedIps: JSON.parse(row.allowedIps),
})

async function keyById(connection: Sql, id: string): Promise<Key | undefined> {
  const [row] = await connection.all<KeyRow>(
    sql`SELECT ${columns} FROM keys k JOIN environments e ON e.id = k.environment_id WHERE k.id = ${id}`,
  )
  return row && fromRow(row)
}

export async function key(connection: Sql, hash: string): Promise<Key | undefined> {
  const [row] = await connection.all<KeyRow>(
    sql`SELECT ${columns} FROM keys k JOIN environments e ON e.id = k.environment_id WHERE k.hash = ${hash}`,
  )
  return row && fromRow(row)
}

export async function allKeys(connection: Sql): Promise<Key[]> {
  const found = await connection.all<KeyRow>(sql`
    SELECT ${columns} FROM keys k JOIN environments e ON e.id = k.environment_id ORDER BY k.created_at, k.id`)
  return found.map(fromRow)
}

export async function keys(connection: Sql, environmentId: number): Promise<Key[]> {
  const found = await connection.all<KeyRow>(sql`
    SELECT ${columns} FROM keys k JOIN environments e ON e.id = k.environment_id
    WHERE k.environment_id = ${environmentId} ORDER BY k.created_at, k.id`)
  return found.map(fromRow)
}

export const addKey: Verb<{ draft: KeyDraft; hash: string; hint: string }, Key> = each(
  async (tx, { draft, hash, hint }) => {
    const id = randomUUIDv7()
    await tx.all(sql`
    INSERT INTO keys (id, environment_id, name, hash, hint, scopes, rate_limit, allowed_ips, created_by, parent_id,
      created_at, expires_at)
    VALUES (${id}, ${draft.environmentId}, ${draft.name}, ${hash}, ${hint}, ${JSON.stringify(draft.scopes)},
      ${draft.rateLimit}, ${JSON.stringify(draft.allowedIps)}, ${draft.createdBy},
      ${draft.parentId ?? null}, ${tx.now}, ${draft.expiresAt})`)
    return (await keyById(tx, id))!
  },
)

/** The same again under another secret; the one before ends a while later, or when it would have anyway. */
export const rotateKey: Verb<Rotation, Key | undefined> = each(
  async (tx, { environmentId, id, hash, hint, until, createdBy, parentId }) => {
    const old = await keyById(tx, id)
    if (old?.environmentId !== environmentId || old.revokedAt !== null) return undefined
    const [fresh] = await addKey(tx, [
      { draft: { ...old, createdBy, parentId: parentId ?? old.parentId }, hash, hint },
    ])
    await tx.all(sql`
    UPDATE keys SET expires_at = CASE WHEN expires_at < ${until} THEN expires_at ELSE ${until} END WHERE id = ${id}`)
    await tx.all(sql`UPDATE keys SET replaces = ${id} WHERE id = ${fresh!.id}`)
    return fresh
  },
)

/**
 * Whoever had the key may have made others with it: they end too, and so do those that they made, and what the keys
 * made whose place it took.
 */
export const revokeKey: Verb<Owned, Key | undefined> = each(async (tx, { environmentId, id }) => {
  if ((await keyById(tx, id))?.environmentId !== environmentId) return undefined
  await tx.all(sql`
    WITH RECURSIVE ended (id) AS (
      SELECT id FROM keys WHERE id = ${id}
      UNION SELECT k.id FROM ended e JOIN keys x ON x.id = e.id
        JOIN keys k ON k.parent_id = x.id OR k.id = x.replaces
    )
    UPDATE keys SET revoked_at = COALESCE(revoked_at, ${tx.now}) WHERE id IN (SELECT id FROM ended)`)
  return await keyById(tx, id)
})

export const touchKey: Verb<string, void> = async (tx, ids) => {
  for (const id of new Set(ids)) await tx.all(sql`UPDATE keys SET last_used_at = ${tx.now} WHERE id = ${id}`)
  return ids.map(() => undefined)
}

export async function environments(connection: Sql): Promise<Environment[]> {
  const found = await connection.all<{ id: number; name: EnvironmentName; settings: string }>(
    sql`SELECT id, name, settings FROM environments ORDER BY id`,
  )
  return found.map(row => ({ ...row, settings: { ...defaultSettings, ...JSON.parse(row.settings) } }))
}

export const announce: Verb<string, void> = each(async (tx, url) => {
  await tx.all(sql`
    INSERT INTO gateway (id, public_url) VALUES (1, ${url})
    ON CONFLICT (id) DO UPDATE SET public_url = excluded.public_url`)
})

export async function announced(connection: Sql): Promise<string | undefined> {
  const [row] = await connection.all<{ url: string }>(sql`SELECT public_url AS url FROM gateway`)
  return row?.url
}

export const configure: Verb<{ environmentId: number; settings: Settings }, void> = each(
  async (tx, { environmentId, settings }) => {
    // Defaults are not stored, so that a changed default applies everywhere.
    const chosen = Object.entries(settings).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(defaultSettings[name as keyof Settings]),
    )
    const kept = JSON.stringify(Object.fromEntries(chosen))
    await tx.all(sql`UPDATE environments SET settings = ${kept} WHERE id = ${environmentId}`)
  },
)
