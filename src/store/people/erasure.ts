/** Forgetting a person: texts and numbers are blanked in place, so that totals and pages stay as they were. */

import { type Failure, meaningOf } from '../../core/messages/message.ts'
import { isWritable } from '../../core/people/number.ts'
import { optOutDigest } from '../../core/people/opt-out.ts'
import type { Erased, ErasureStep } from '../../core/people/people-store.ts'
import { blankAnswers } from '../access/kept-responses.ts'
import { from, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { removeFiles } from '../files/removed-files.ts'
import { forgetPerson } from '../inbox/conversations.ts'
import { erasedExternal, mediaOf } from '../inbox/received.ts'
import { erasedSender } from '../inbox/received-row.ts'
import { cancelAllFor } from '../messages/cancellations.ts'
import { digitsOf } from '../messages/message-row.ts'
import { failing, move } from '../messages/move.ts'

/** A step of it: no more than `limit` of each. Whoever asks goes on until there is nothing left. */
export const erase: Verb<ErasureStep, Erased> = each(async (tx, erasure) => {
  const messages = isNumber(erasure.number) ? await eraseMessages(tx, erasure) : 0
  return { messages, ...(await eraseReceived(tx, erasure)) }
})

/** WhatsApp may tell somebody by an id, to which nothing is sent under that name. */
const isNumber = isWritable

async function eraseMessages(
  tx: Transaction,
  { environmentId, number, limit }: ErasureStep,
): Promise<number> {
  await cancelAllFor(tx, environmentId, number, 'erased')
  await giveUp(tx, environmentId, number)
  await blankAnswers(tx, environmentId, number)
  tx.write(sql`
    UPDATE opt_outs SET number = NULL
    WHERE environment_id = ${environmentId} AND digest = ${optOutDigest(environmentId, number)}`)
  const messages = await tx.all<{ seq: number }>(sql`
    UPDATE messages SET recipient = 0, text = '', media_url = NULL, error_detail = NULL
    WHERE seq IN (
      SELECT seq FROM messages WHERE recipient = ${digitsOf(number)} AND environment_id = ${environmentId} LIMIT ${limit})
    RETURNING seq`)
  const events = await Promise.all(
    messages.map(({ seq }) =>
      tx.all<{ seq: number; data: string }>(sql`SELECT seq, data FROM events WHERE message_seq = ${seq}`),
    ),
  )
  for (const { seq, data } of events.flat()) if (data.includes('"error"')) blankError(tx, seq, data)
  await blankLogs(
    tx,
    environmentId,
    events.flat().map(({ seq }) => seq),
  )
  return messages.length
}

async function eraseReceived(
  tx: Transaction,
  { environmentId, number, token, limit }: ErasureStep,
): Promise<Omit<Erased, 'messages'>> {
  const received = await tx.all<{ seq: number; metadata: string; externalId: string | null }>(sql`
    SELECT seq, metadata, external_id AS "externalId" FROM received
    WHERE environment_id = ${environmentId} AND sender = ${number} ORDER BY n_sender LIMIT ${limit}`)
  const files = received.flatMap(({ metadata }) => mediaOf(metadata))
  if (received.length > 0)
    tx.write(sql`
      UPDATE received SET sender = ${erasedSender(token)}, text = '', metadata = '{}', fingerprint = NULL,
        external_id = r.external
      ${from(
        { erased_seq: 'bigint', external: 'text' },
        received.map(({ seq, externalId }) => ({
          erased_seq: seq,
          external: externalId === null ? null : erasedExternal(externalId),
        })),
      )}
      WHERE received.seq = r.erased_seq`)
  forgetPerson(tx, environmentId, number)
  removeFiles(tx, files)
  // A received message has the number of its event.
  await blankLogs(
    tx,
    environmentId,
    received.map(({ seq }) => seq),
  )
  return { received: received.length, files: files.length }
}

/** What a device has and has not answered for cannot be offered to it again without its text. */
async function giveUp(tx: Transaction, environmentId: number, number: string): Promise<void> {
  const found = await tx.all<{ seq: number }>(sql`
    SELECT seq FROM messages
    WHERE recipient = ${digitsOf(number)} AND environment_id = ${environmentId} AND status = 'sending'`)
  const seqs = found.map(({ seq }) => seq)
  await move(tx, {
    to: 'unknown',
    ...failing(seqs, 'no_answer', meaningOf('no_answer').detail),
    data: () => ({ reason: 'erased' }),
  })
}

/** The code stays; what the network said in its own words may name somebody. */
function blankError(tx: Transaction, seq: number, data: string): void {
  const told = JSON.parse(data) as { error?: Failure }
  const blank = JSON.stringify({ ...told, ...(told.error && { error: { code: told.error.code } }) })
  tx.write(sql`UPDATE events SET data = ${blank} WHERE seq = ${seq}`)
}

/** Webhooks may have answered with what they were told. */
async function blankLogs(tx: Transaction, environmentId: number, events: readonly number[]): Promise<void> {
  if (events.length === 0) return
  const webhooks = await tx.all<{ id: string }>(
    sql`SELECT id FROM webhooks WHERE environment_id = ${environmentId}`,
  )
  for (const { id } of webhooks)
    tx.write(sql`
      UPDATE deliveries SET log = '[]'
      ${from(
        { told_seq: 'bigint' },
        events.map(seq => ({ told_seq: seq })),
      )}
      WHERE deliveries.webhook_id = ${id} AND deliveries.event_seq = r.told_seq`)
}

/** Notes that a person was forgotten, and how much of them there was. */
export const noteErased: Verb<{ environmentId: number; counts: Erased }, void> = each(
  async (tx, { environmentId, counts }) => {
    tx.journal({ environmentId, type: 'person.erased', data: counts })
  },
)
