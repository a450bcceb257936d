/** Answers that were given under an Idempotency-Key. */

import { type AnswerKey, answerMs, type Keep, type KeptAnswer } from '../core/answer.ts'
import type { Verb } from './group.ts'
import { from, type Sql, sql, values } from './sql.ts'
import type { Transaction } from './transaction.ts'

const types = { place: 'bigint', environment: 'bigint', asked_operation: 'text', asked_key: 'text' } as const

const nameOf = ({ environmentId, operation, key }: AnswerKey) =>
  JSON.stringify([environmentId, operation, key])

/** Which of them were answered already, or are asked for twice: they must have no effect. */
export async function answered<Kept extends AnswerKey>(
  tx: Transaction,
  keeps: readonly Kept[],
): Promise<Set<Kept>> {
  const first = new Map<string, Kept>()
  const taken = new Set<Kept>()
  for (const keep of keeps) {
    const name = nameOf(keep)
    if (first.has(name)) taken.add(keep)
    else first.set(name, keep)
  }
  const asked = [...first.values()]
  const items = asked.map(({ environmentId, operation, key }, place) => ({
    place,
    environment: environmentId,
    asked_operation: operation,
    asked_key: key,
  }))
  const found = await tx.all<{ place: number; taken: number | null }>(sql`
    SELECT r.place AS place, (
      SELECT 1 FROM answers
      WHERE environment_id = r.environment AND operation = r.asked_operation AND idempotency_key = r.asked_key
        AND created_at > ${tx.now - answerMs}) AS taken
    ${from(types, items)}`)
  for (const { place, taken: isTaken } of found) if (isTaken !== null) taken.add(asked[place]!)
  return taken
}

export type Kept = AnswerKey & { fingerprint: string; body: string }

export function keepAll(tx: Transaction, kept: readonly Kept[]): void {
  const items = kept.map(({ environmentId, operation, key, fingerprint, body }) => ({
    environment_id: environmentId,
    operation,
    idempotency_key: key,
    fingerprint,
    body,
  }))
  const columns = {
    environment_id: 'bigint',
    operation: 'text',
    idempotency_key: 'text',
    fingerprint: 'text',
    body: 'text',
  } as const
  // What is there was kept more than a day ago, or it would have been found.
  tx.write(sql`
    INSERT INTO answers ${values(columns, items, { created_at: tx.now })}
    ON CONFLICT (environment_id, operation, idempotency_key) DO UPDATE SET
      fingerprint = excluded.fingerprint, body = excluded.body, created_at = excluded.created_at`)
}

/** Keeps what had no other effect. */
export const keepAnswer: Verb<Keep<void>, void> = async (_tx, keeps) => keeps.map(() => undefined)

export async function keptAnswer(
  connection: Sql,
  { environmentId, operation, key }: AnswerKey,
  now: number,
): Promise<KeptAnswer | undefined> {
  const [row] = await connection.all<KeptAnswer>(sql`
    SELECT fingerprint, body FROM answers
    WHERE environment_id = ${environmentId} AND operation = ${operation} AND idempotency_key = ${key}
      AND created_at > ${now - answerMs}`)
  return row
}

/** Forgets what is old, oldest first. Returns how many. */
export const forgetAnswers: Verb<number, number> = async (tx, limits) => {
  const counts: number[] = []
  for (const limit of limits) {
    const gone = await tx.all(sql`
      DELETE FROM answers WHERE (environment_id, operation, idempotency_key) IN (
        SELECT environment_id, operation, idempotency_key FROM answers
        WHERE created_at <= ${tx.now - answerMs} ORDER BY created_at LIMIT ${limit})
      RETURNING 1 AS gone`)
    counts.push(gone.length)
  }
  return counts
}
