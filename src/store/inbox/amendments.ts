/** Edits, deletions and reactions, kept beside the message that they are about. */

import type { EventType } from '../../core/events/event.ts'
import { type Amended, type Amendment, amended } from '../../core/inbox/amendment.ts'
import { sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { erasedExternal } from './received.ts'

/** False: there is no such message here. */
export const amend: Verb<Amendment, boolean> = each(async (tx, amendment) =>
  'messageId' in amendment.about
    ? await amendSent(tx, amendment, amendment.about.messageId)
    : await amendReceived(tx, amendment, amendment.about.externalIds),
)

/** People can only react to our messages, not edit or delete them. */
async function amendSent(
  tx: Transaction,
  { deviceId, change }: Amendment,
  messageId: string,
): Promise<boolean> {
  const [message] = await tx.all<{ seq: number; environmentId: number; reaction: string | null }>(sql`
    SELECT seq, environment_id AS "environmentId", reaction FROM messages WHERE id = ${messageId}`)
  if (!message || change.kind !== 'reaction') return false
  if ((message.reaction ?? '') === change.emoji) return true
  const reaction = change.emoji === '' ? null : change.emoji
  tx.write(sql`UPDATE messages SET reaction = ${reaction} WHERE seq = ${message.seq}`)
  tx.journal({
    environmentId: message.environmentId,
    type: 'message.reaction',
    messageSeq: message.seq,
    deviceId,
    data: { reaction },
  })
  return true
}

const types: Record<Amendment['change']['kind'], EventType> = {
  edited: 'received.edited',
  deleted: 'received.deleted',
  reaction: 'received.reaction',
}

type Amendable = { seq: number; environmentId: number; externalId: string; metadata: string }

/** Texts are forgotten in order: what lies before this place has none any more. */
async function isForgotten(tx: Transaction, { seq, environmentId }: Amendable): Promise<boolean> {
  const [row] = await tx.all<{ position: number }>(sql`
    SELECT position FROM forgotten WHERE environment_id = ${environmentId} AND what = 'received texts'`)
  return seq <= (row?.position ?? 0)
}

async function amendReceived(
  tx: Transaction,
  amendment: Amendment,
  externalIds: readonly string[],
): Promise<boolean> {
  const { deviceId, change } = amendment
  for (const externalId of externalIds) {
    const erased = erasedExternal(externalId)
    const [row] = await tx.all<Amendable>(sql`
      SELECT seq, environment_id AS "environmentId", external_id AS "externalId", metadata FROM received
      WHERE device_id = ${deviceId} AND external_id IN (${externalId}, ${erased})`)
    if (!row) continue
    // Nothing is written about people who were forgotten, or to texts that were.
    if (row.externalId === erased || (await isForgotten(tx, row))) return true
    const after = amended(JSON.parse(row.metadata) as Amended, amendment)
    if (!after) return true
    tx.write(sql`UPDATE received SET metadata = ${JSON.stringify(after)} WHERE seq = ${row.seq}`)
    // The text is not put into the journal, because erasure does not search there.
    tx.journal({
      environmentId: row.environmentId,
      type: types[change.kind],
      receivedSeq: row.seq,
      deviceId,
      data: change.kind === 'edited' ? { edit: amendment.id } : {},
    })
    return true
  }
  return false
}
