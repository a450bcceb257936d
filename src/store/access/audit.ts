/** What people did, and how often somebody tried to sign in. */

import { randomUUIDv7 } from 'node:crypto'
import type { AuditDraft, AuditEntry, AuditPage } from '../../core/access/user.ts'
import type { LoginTry } from '../../core/access/user-store.ts'
import { raw, type Sql, sql } from '../engine/sql.ts'
import { each, type Verb } from '../engine/verb.ts'

export const audit: Verb<AuditDraft, string> = async (tx, drafts) =>
  drafts.map(({ email, environment, action, target, fields, address, refusal }) => {
    const id = randomUUIDv7()
    tx.write(sql`
      INSERT INTO audit (id, at, email, environment, action, target, fields, address, refusal)
      VALUES (${id}, ${tx.now}, ${email}, ${environment}, ${action}, ${target}, ${JSON.stringify(fields)}, ${address},
        ${refusal})`)
    return id
  })

export const auditRefusal: Verb<{ id: string; refusal: string | undefined }, void> = each(
  async (tx, { id, refusal }) => {
    if (refusal === undefined) tx.write(sql`DELETE FROM audit WHERE id = ${id}`)
    else tx.write(sql`UPDATE audit SET refusal = ${refusal} WHERE id = ${id}`)
  },
)

const columns = raw(`id, at, email, environment, action, target, fields, address, refusal`)

export async function auditLog(connection: Sql, { limit, before }: AuditPage): Promise<AuditEntry[]> {
  const found = await connection.all<Omit<AuditEntry, 'fields'> & { fields: string }>(sql`
    SELECT ${columns} FROM audit WHERE id < ${before ?? 'z'} ORDER BY id DESC LIMIT ${limit}`)
  return found.map(row => ({ ...row, fields: JSON.parse(row.fields) }))
}

/** Counts a try before it is made. Returns how long to wait; then it is not to be made, and was not counted. */
export const tryLogin: Verb<readonly LoginTry[], number> = each(async (tx, tries) => {
  const known = new Map<string, { count: number; freeAt: number }>()
  for (const { name } of tries) {
    const [kept] = await tx.all<{ count: number; freeAt: number }>(sql`
        SELECT count, free_at AS "freeAt" FROM login_tries
        WHERE name = ${name} AND at > ${tx.now - forgetTriesMs}`)
    if (kept) known.set(name, kept)
  }
  const wait = Math.max(0, ...tries.map(({ name }) => (known.get(name)?.freeAt ?? 0) - tx.now))
  if (wait > 0) return wait
  for (const { name, mostWaitMs } of tries) {
    const count = (known.get(name)?.count ?? 0) + 1
    const pause = count < freeTries ? 0 : Math.min(mostWaitMs, 1_000 * 2 ** (count - freeTries))
    await tx.all(sql`
        INSERT INTO login_tries (name, count, free_at, at) VALUES (${name}, ${count}, ${tx.now + pause}, ${tx.now})
        ON CONFLICT (name) DO UPDATE SET count = excluded.count, free_at = excluded.free_at, at = excluded.at`)
  }
  await tx.all(sql`DELETE FROM login_tries WHERE at <= ${tx.now - forgetTriesMs}`)
  return 0
})

const freeTries = 5
const forgetTriesMs = 24 * 3_600_000

/** It was the right one: earlier tries are forgiven. */
export const forgiveLogin: Verb<readonly string[], void> = async (tx, asked) => {
  for (const name of asked.flat()) await tx.all(sql`DELETE FROM login_tries WHERE name = ${name}`)
  return asked.map(() => undefined)
}
