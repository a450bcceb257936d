/** Answers that were given under an Idempotency-Key. */

import { type AnswerKey, answerMs, answerName, type Keep, type KeptAnswer } from '../../core/idempotency.ts'
import { from, type Sql, sql, values } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'

/** Which of them were answered already, or are asked for twice: they must have no effect. */
export async function answered<Kept extends AnswerKey>(
  tx: Transaction,
  keeps: readonly Kept[],
): Promise<Set<Kept>> {
  const first = new Map<string, Kept>()
  const taken = new Set<Kept>()
  for (const keep of keeps) {
    const name = answerName(keep)
    if (first.has(name)) taken.add(keep)
    else first.set(name, keep)
  }
  const asked = [...first]
  const items = asked.map(([name], place) => ({ place, asked_name: name }))
  const found = await tx.all<{ place: number; taken: number | null }>(sql`
    SELECT r.place AS place, (
      SELECT 1 FROM answers WHERE name = r.asked_name AND created_at > ${tx.now - answerMs}) AS taken
    ${from({ place: 'bigint', asked_name: 'text' }, items)}`)
  for (const { place, taken: isTaken } of found) if (isTaken !== null) taken.add(asked[place]![1])
  return taken
}

export type Kept = AnswerKey & { fingerprint: string; body: string }

export function keepAll(tx: Transaction, kept: readonly Kept[]): void {
  const items = kept.map(one => ({
    name: answerName(one),
    environment_id: one.environmentId,
    fingerprint: one.fingerprint,
    body: one.body,
  }))
  const columns = { name: 'text', environment_id: 'bigint', fingerprint: 'text', body: 'text' } as const
  // What is there was kept more than a day ago, or it would have been found.
  tx.write(sql`
    INSERT INTO answers ${values(columns, items, { created_at: tx.now })}
    ON CONFLICT (name) DO UPDATE SET
      fingerprint = excluded.fingerprint, body = excluded.body, created_at = excluded.created_at`)
}

/** Keeps what had no other effect. */
export const keepAnswer: Verb<Keep<void>, void> = async (_tx, keeps) => keeps.map(() => undefined)

export async function keptAnswer(
  connection: Sql,
  key: AnswerKey,
  now: number,
): Promise<KeptAnswer | undefined> {
  const [row] = await connection.all<KeptAnswer>(sql`
    SELECT fingerprint, body FROM answers WHERE name = ${answerName(key)} AND created_at > ${now - answerMs}`)
  return row
}

/** Forgets what is old, oldest first. Returns how many. */
export const forgetAnswers: Verb<number, number> = each(async (tx, limit) => {
  const gone = await tx.all(sql`
    DELETE FROM answers WHERE name IN (
      SELECT name FROM answers WHERE created_at <= ${tx.now - answerMs} ORDER BY created_at LIMIT ${limit})
    RETURNING 1 AS gone`)
  return gone.length
})

/** Takes a person out of what was answered. The key stands for its request still: a repetition must not send again. */
export async function blankAnswers(tx: Transaction, environmentId: number, number: string): Promise<void> {
  const found = await tx.all<{ name: string; body: string }>(sql`
    SELECT name, body FROM answers WHERE environment_id = ${environmentId} AND body LIKE ${`%"${number}"%`}`)
  for (const { name, body } of found) {
    const blank = JSON.stringify(JSON.parse(body), (field, value) =>
      ['to', 'message', 'media_url', 'number', 'detail'].includes(field) && typeof value === 'string'
        ? ''
        : value,
    ).replaceAll(`"${number}"`, '""')
    tx.write(sql`UPDATE answers SET body = ${blank} WHERE name = ${name}`)
  }
}
