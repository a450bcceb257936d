/** Who wants no messages. */

import { type OptOut, type OptOutPage, type OptOutSource, optOutDigest } from '../../core/people/opt-out.ts'
import { from, raw, type Sql, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { cancelAllFor } from '../messages/cancellations.ts'

const columns = raw(`number, digest, source, created_at AS "createdAt"`)

type Person = { environmentId: number; number: string }

/** The places in the list of those who opted out. */
export async function optedOut(connection: Sql, people: readonly Person[]): Promise<Set<number>> {
  // Nearly always nobody has; then nothing more is looked up.
  const some = await connection.all(sql`SELECT 1 AS some FROM opt_outs LIMIT 1`)
  if (some.length === 0 || people.length === 0) return new Set()
  const items = people.map(({ environmentId, number }, place) => ({
    place,
    environment: environmentId,
    person: optOutDigest(environmentId, number),
  }))
  const found = await connection.all<{ place: number; out: number | null }>(sql`
    SELECT r.place AS place, (
      SELECT 1 FROM opt_outs WHERE environment_id = r.environment AND digest = r.person) AS out
    ${from({ place: 'bigint', environment: 'bigint', person: 'text' }, items)}`)
  return new Set(found.filter(({ out }) => out !== null).map(({ place }) => place))
}

type Leaving = Person & { source: OptOutSource }

export const optOut: Verb<Leaving, OptOut> = each(leave)

export async function leave(tx: Transaction, { environmentId, number, source }: Leaving): Promise<OptOut> {
  const digest = optOutDigest(environmentId, number)
  const [row] = await tx.all<OptOut>(sql`
    INSERT INTO opt_outs (environment_id, digest, number, source, created_at)
    VALUES (${environmentId}, ${digest}, ${number}, ${source}, ${tx.now})
    ON CONFLICT (environment_id, digest) DO UPDATE SET number = excluded.number
    RETURNING ${columns}`)
  await cancelAllFor(tx, environmentId, number, 'opted_out')
  return row!
}

export const optIn: Verb<Person, boolean> = each(comeBack)

/** Under all their names: what was said under one of them holds for all. */
export async function comeBack(tx: Transaction, { environmentId, number }: Person): Promise<boolean> {
  const digest = optOutDigest(environmentId, number)
  const gone = await tx.all(sql`
    DELETE FROM opt_outs WHERE environment_id = ${environmentId} AND (digest = ${digest} OR alias_of = ${digest}
      OR digest = (SELECT alias_of FROM opt_outs WHERE environment_id = ${environmentId} AND digest = ${digest}))
    RETURNING 1 AS gone`)
  return gone.length > 0
}

type Names = { environmentId: number; number: string; alias: string }

/** Both are one person. If they opted out under one of the names, they did under both: then it is true. */
export const sameOptOut: Verb<Names, boolean> = each(async (tx, { environmentId, number, alias }) => {
  const people = [number, alias].map(one => ({ environmentId, number: one }))
  const known = await optedOut(tx, people)
  if (known.size > 0) {
    for (const person of people) await leave(tx, { ...person, source: 'message' })
    await tx.all(sql`
      UPDATE opt_outs SET alias_of = ${optOutDigest(environmentId, number)}
      WHERE environment_id = ${environmentId} AND digest = ${optOutDigest(environmentId, alias)}`)
  }
  return known.size > 0
})

export async function optOuts(
  connection: Sql,
  environmentId: number,
  { limit, before, number }: OptOutPage,
): Promise<OptOut[]> {
  if (number !== undefined)
    return await connection.all<OptOut>(sql`
      SELECT ${columns} FROM opt_outs
      WHERE environment_id = ${environmentId} AND digest = ${optOutDigest(environmentId, number)}`)
  if (!before)
    return await connection.all<OptOut>(sql`
      SELECT ${columns} FROM opt_outs WHERE environment_id = ${environmentId}
      ORDER BY created_at DESC, digest DESC LIMIT ${limit}`)
  return await connection.all<OptOut>(sql`
    SELECT ${columns} FROM opt_outs
    WHERE environment_id = ${environmentId} AND (created_at, digest) < (${before.createdAt}, ${before.digest})
    ORDER BY created_at DESC, digest DESC LIMIT ${limit}`)
}
