/** How a database knows its secret key, and everything that is sealed with it. */

import type { Resealing, Sealing } from '../../core/access/secret-store.ts'
import { raw, type Sql, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'

export async function sealing(connection: Sql): Promise<Sealing> {
  const rows = await connection.all<{ name: string; value: string }>(sql`
    SELECT name, value FROM secrets WHERE name IN ('salt', 'check')`)
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

async function keep(tx: Transaction, { salt, check }: { salt: string; check: string }): Promise<void> {
  await tx.all(sql`DELETE FROM secrets WHERE name IN ('salt', 'check')`)
  await tx.all(sql`INSERT INTO secrets (name, value) VALUES ('salt', ${salt}), ('check', ${check})`)
}

export const reseal: Verb<Resealing, void> = each(async (tx, change) => {
  if ((await sealing(tx)).salt !== change.from) return
  await keep(tx, change)
  await resealWebhooks(tx, change.again)
  await resealCodes(tx, change.again)
  await resealAnswers(tx, change.again)
  await resealVault(tx, change.again)
})

type Rerun = Resealing['again']

async function resealWebhooks(tx: Transaction, again: Rerun): Promise<void> {
  const rows = await tx.all<{ id: string; secret: string; previous: string | null }>(
    sql`SELECT id, secret, previous_secret AS previous FROM webhooks`,
  )
  for (const { id, secret, previous } of rows) {
    const next = (one: string) => again(['webhook', id], one) ?? one
    await tx.all(sql`
      UPDATE webhooks SET secret = ${next(secret)}, previous_secret = ${previous && next(previous)} WHERE id = ${id}`)
  }
}

async function resealCodes(tx: Transaction, again: Rerun): Promise<void> {
  const rows = await tx.all<{ id: string; totp: string }>(
    sql`SELECT id, totp FROM users WHERE totp IS NOT NULL`,
  )
  for (const { id, totp } of rows)
    await tx.all(sql`UPDATE users SET totp = ${again(['totp'], totp) ?? totp} WHERE id = ${id}`)
}

async function resealAnswers(tx: Transaction, again: Rerun): Promise<void> {
  const rows = await tx.all<{ name: string; body: string }>(sql`SELECT name, body FROM answers ${areSealed}`)
  for (const { name, body } of rows)
    await tx.all(sql`UPDATE answers SET body = ${again(['answers'], body) ?? body} WHERE name = ${name}`)
}

/** What is not sealed is JSON. */
const areSealed = raw(`WHERE substr(body, 1, 1) <> '{'`)

type Entry = { device: string; type: string; id: string; value: string }
/** Thousands of entries are not read at once. */
const page = 500

async function resealVault(tx: Transaction, again: Rerun): Promise<void> {
  let last: Omit<Entry, 'value'> = { device: '', type: '', id: '' }
  while (true) {
    const rows = await tx.all<Entry>(sql`
      SELECT device_id AS device, type, id, value FROM vault
      WHERE (device_id, type, id) > (${last.device}, ${last.type}, ${last.id})
      ORDER BY device_id, type, id LIMIT ${page}`)
    for (const { device, type, id, value } of rows)
      tx.write(sql`
        UPDATE vault SET value = ${again([device, type, id], value) ?? value}
        WHERE device_id = ${device} AND type = ${type} AND id = ${id}`)
    if (rows.length < page) return
    last = rows.at(-1)!
  }
}

/** Sessions of links, one-time codes and kept answers. */
export const forgetSealed: Verb<{ salt: string; check: string }, void> = each(async (tx, next) => {
  tx.write(sql`DELETE FROM vault`)
  tx.write(sql`UPDATE users SET totp = NULL`)
  tx.write(sql`DELETE FROM answers ${areSealed}`)
  await keep(tx, next)
})
