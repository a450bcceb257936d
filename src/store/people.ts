/** Forgetting a person: texts and numbers are blanked in place, so that totals and pages stay as they were. */

import { meaningOf } from '../core/message.ts'
import { optOutDigest } from '../core/opt-out.ts'
import type { Erased, Erasure } from '../core/store.ts'
import { cancelAllFor } from './cancellations.ts'
import type { Verb } from './group.ts'
import { digitsOf, type Trace, tell, trace } from './message-row.ts'
import { erasedSender, mediaOf } from './received.ts'
import { from, sql } from './sql.ts'
import type { Transaction } from './transaction.ts'

/** A step of it: no more than `limit` of each. Whoever asks goes on until there is nothing left. */
export const erase: Verb<Erasure, Erased> = async (tx, asked) => {
  const results: Erased[] = []
  for (const erasure of asked) results.push(await eraseSome(tx, erasure))
  return results
}

async function eraseSome(tx: Transaction, { environmentId, number, token, limit }: Erasure): Promise<Erased> {
  await cancelAllFor(tx, environmentId, number, 'erased')
  await giveUp(tx, environmentId, number)
  const messages = await tx.all<{ seq: number }>(sql`
    UPDATE messages SET recipient = 0, text = '', media_url = NULL, error_detail = NULL
    WHERE seq IN (
      SELECT seq FROM messages WHERE recipient = ${digitsOf(number)} AND environment_id = ${environmentId} LIMIT ${limit})
    RETURNING seq`)
  const received = await tx.all<{ seq: number; metadata: string }>(sql`
    SELECT seq, metadata FROM received
    WHERE environment_id = ${environmentId} AND sender = ${number} ORDER BY n_sender LIMIT ${limit}`)
  const files = received.flatMap(({ metadata }) => mediaOf(metadata))
  blankAnswers(tx, environmentId, messages, received)
  if (received.length > 0)
    tx.write(sql`
      UPDATE received SET sender = ${erasedSender(token)}, text = '', metadata = '{}', fingerprint = NULL
      ${from(
        { erased_seq: 'bigint' },
        received.map(({ seq }) => ({ erased_seq: seq })),
      )}
      WHERE received.seq = r.erased_seq`)
  for (const id of files) tx.write(sql`DELETE FROM media WHERE id = ${id}`)
  tx.write(sql`
    UPDATE opt_outs SET number = NULL
    WHERE environment_id = ${environmentId} AND digest = ${optOutDigest(environmentId, number)}`)
  tx.write(sql`
    DELETE FROM answers WHERE environment_id = ${environmentId} AND body LIKE ${`%"${number}"%`}`)
  return { messages: messages.length, received: received.length, files }
}

/** What a device has and has not answered for cannot be offered to it again without its text. */
async function giveUp(tx: Transaction, environmentId: number, number: string): Promise<void> {
  const unknown = await tx.all<Trace>(sql`
    UPDATE messages SET status = 'unknown', due_at = NULL, version = version + 1, error_code = 'no_answer',
      error_detail = ${meaningOf('no_answer').detail}
    WHERE recipient = ${digitsOf(number)} AND environment_id = ${environmentId} AND status = 'sending'
    RETURNING ${trace}`)
  for (const message of unknown) tell(tx, 'unknown', message, { reason: 'erased' })
}

/** Webhooks may have answered with what they were told. */
function blankAnswers(
  tx: Transaction,
  environmentId: number,
  messages: readonly { seq: number }[],
  received: readonly { seq: number }[],
): void {
  const items = (rows: readonly { seq: number }[]) =>
    from(
      { subject: 'bigint' },
      rows.map(({ seq }) => ({ subject: seq })),
    )
  if (messages.length > 0)
    tx.write(sql`
      UPDATE deliveries SET log = '[]' ${items(messages)}
      WHERE deliveries.webhook_id IN (SELECT id FROM webhooks WHERE environment_id = ${environmentId})
        AND deliveries.event_seq IN (SELECT seq FROM events WHERE message_seq = r.subject)`)
  // A received message has the number of its event.
  if (received.length > 0)
    tx.write(sql`
      UPDATE deliveries SET log = '[]' ${items(received)}
      WHERE deliveries.webhook_id IN (SELECT id FROM webhooks WHERE environment_id = ${environmentId})
        AND deliveries.event_seq = r.subject`)
}

/** Notes that a person was forgotten, and how much of them there was. */
export const noteErased: Verb<
  { environmentId: number; counts: { messages: number; received: number; files: number } },
  void
> = async (tx, asked) => {
  for (const { environmentId, counts } of asked)
    tx.journal({ environmentId, type: 'person.erased', data: counts })
  return asked.map(() => undefined)
}
