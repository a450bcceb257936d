/** Forgetting what is old, oldest first: texts, or everything. What is not finished is passed over until it is. */

import type { Old } from '../../core/people/people-store.ts'
import { from, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { removeFiles } from '../files/removed-files.ts'
import { forgetUpTo, notUnread } from '../inbox/conversations.ts'
import { mediaOf } from '../inbox/received.ts'

type Kind = 'texts' | 'received texts' | 'messages' | 'events'

async function positionOf(tx: Transaction, environmentId: number, what: Kind): Promise<number> {
  const [row] = await tx.all<{ position: number }>(
    sql`SELECT position FROM forgotten WHERE environment_id = ${environmentId} AND what = ${what}`,
  )
  return row?.position ?? 0
}

function moveOn(tx: Transaction, environmentId: number, what: Kind, position: number): void {
  tx.write(sql`
    INSERT INTO forgotten (environment_id, what, position) VALUES (${environmentId}, ${what}, ${position})
    ON CONFLICT (environment_id, what) DO UPDATE SET position = excluded.position`)
}

type OldMessage = { seq: number; environmentId: number; status: string; createdAt: number }

const isFinished = ({ status }: { status: string }) => !['scheduled', 'queued', 'sending'].includes(status)

/** The next ones that are old enough and finished, with those passed over before that are finished by now. */
async function oldMessages(
  tx: Transaction,
  { environmentId, before, limit }: Old,
  what: Kind,
): Promise<{ count: number; seqs: number[] }> {
  const waited = await tx.all<{ seq: number; status: string | null }>(sql`
    SELECT p.seq, m.status FROM passed_over p LEFT JOIN messages m ON m.seq = p.seq
    WHERE p.environment_id = ${environmentId} AND p.what = ${what} ORDER BY p.seq LIMIT ${limit}`)
  const ready = waited.filter(({ status }) => status === null || isFinished({ status }))
  for (const { seq } of ready)
    tx.write(sql`
      DELETE FROM passed_over WHERE environment_id = ${environmentId} AND what = ${what} AND seq = ${seq}`)
  const after = await positionOf(tx, environmentId, what)
  const next = await tx.all<OldMessage>(sql`
    SELECT seq, environment_id AS "environmentId", status, created_at AS "createdAt" FROM messages
    WHERE seq > ${after} ORDER BY seq LIMIT ${limit}`)
  const end = next.findIndex(({ createdAt }) => createdAt >= before)
  const old = end === -1 ? next : next.slice(0, end)
  const mine = old.filter(one => one.environmentId === environmentId)
  for (const { seq } of mine.filter(one => !isFinished(one)))
    tx.write(sql`
      INSERT INTO passed_over (environment_id, what, seq) VALUES (${environmentId}, ${what}, ${seq})
      ON CONFLICT (environment_id, what, seq) DO NOTHING`)
  if (old.length > 0) moveOn(tx, environmentId, what, old.at(-1)!.seq)
  return { count: old.length, seqs: [...ready, ...mine.filter(isFinished)].map(({ seq }) => seq) }
}

export const forgetTexts: Verb<Old, number> = each(async (tx, old) => {
  const { count, seqs } = await oldMessages(tx, old, 'texts')
  if (seqs.length > 0)
    tx.write(sql`
      UPDATE messages SET text = '', media_url = NULL ${listed(seqs)} WHERE messages.seq = r.old_seq`)
  return Math.max(count, await forgetReceivedTexts(tx, old))
})

/** What somebody wrote, and what came with it, beside the text itself. */
const wordsInMetadata = new Set(['media', 'edits', 'quoted', 'subject', 'data'])

/** Returns how many were looked at. */
async function forgetReceivedTexts(tx: Transaction, { environmentId, before, limit }: Old): Promise<number> {
  const after = await positionOf(tx, environmentId, 'received texts')
  const next = await tx.all<{ seq: number; environmentId: number; metadata: string; receivedAt: number }>(sql`
    SELECT seq, environment_id AS "environmentId", metadata, received_at AS "receivedAt" FROM received
    WHERE seq > ${after} ORDER BY seq LIMIT ${limit}`)
  const end = next.findIndex(({ receivedAt }) => receivedAt >= before)
  const old = end === -1 ? next : next.slice(0, end)
  for (const { seq, metadata } of old.filter(one => one.environmentId === environmentId)) {
    const kept = Object.entries(JSON.parse(metadata)).filter(([name]) => !wordsInMetadata.has(name))
    const rest = JSON.stringify(Object.fromEntries(kept))
    tx.write(sql`UPDATE received SET text = '', metadata = ${rest} WHERE seq = ${seq}`)
    removeFiles(tx, mediaOf(metadata))
  }
  if (old.length > 0) moveOn(tx, environmentId, 'received texts', old.at(-1)!.seq)
  return old.length
}

export const removeOld: Verb<Old, number> = each(async (tx, old) => {
  const { count, seqs } = await oldMessages(tx, old, 'messages')
  for (const seq of seqs) {
    tx.write(sql`DELETE FROM events WHERE message_seq = ${seq}`)
    tx.write(sql`DELETE FROM messages WHERE seq = ${seq}`)
  }
  const last = seqs.at(-1)
  if (last !== undefined)
    tx.write(sql`
      DELETE FROM batches WHERE last_seq <= ${last}
        AND NOT EXISTS (SELECT 1 FROM messages WHERE seq >= batches.first_seq AND seq <= batches.last_seq)`)
  const received = await removeReceived(tx, old)
  return Math.max(count, received, await removeEvents(tx, old))
})

/** The oldest, so that each list stays without gaps. Returns how many. */
async function removeReceived(tx: Transaction, { environmentId, before, limit }: Old): Promise<number> {
  const next = await tx.all<{
    seq: number
    sender: string
    nSender: number
    n: number
    metadata: string
    receivedAt: number
  }>(sql`
    SELECT seq, sender, n_sender AS "nSender", n_all AS n, metadata, received_at AS "receivedAt" FROM received
    WHERE environment_id = ${environmentId} ORDER BY n_all LIMIT ${limit}`)
  const end = next.findIndex(({ receivedAt }) => receivedAt >= before)
  const old = end === -1 ? next : next.slice(0, end)
  const last = old.at(-1)?.n
  if (last === undefined) return 0
  removeFiles(
    tx,
    old.flatMap(({ metadata }) => mediaOf(metadata)),
  )
  // A received message has the number of its event.
  tx.write(sql`
    DELETE FROM events WHERE seq IN (
      SELECT seq FROM received WHERE environment_id = ${environmentId} AND n_all <= ${last})`)
  tx.write(sql`DELETE FROM received WHERE environment_id = ${environmentId} AND n_all <= ${last}`)
  // In order, so that the last of each person stays.
  notUnread(tx, environmentId, new Map(old.map(({ sender, nSender }) => [sender, nSender])))
  forgetUpTo(tx, environmentId, old.at(-1)!.seq)
  return old.length
}

/** Those that are about no message. Returns how many were looked at. */
async function removeEvents(tx: Transaction, { environmentId, before, limit }: Old): Promise<number> {
  const position = await positionOf(tx, environmentId, 'events')
  const next = await tx.all<{ seq: number; at: number }>(
    sql`SELECT seq, at FROM events WHERE seq > ${position} ORDER BY seq LIMIT ${limit}`,
  )
  const end = next.findIndex(({ at }) => at >= before)
  const old = end === -1 ? next : next.slice(0, end)
  const last = old.at(-1)?.seq
  if (last === undefined) return 0
  tx.write(sql`
    DELETE FROM events
    WHERE seq > ${position} AND seq <= ${last} AND environment_id = ${environmentId} AND message_seq IS NULL
      AND received_seq IS NULL`)
  moveOn(tx, environmentId, 'events', last)
  return old.length
}

const listed = (seqs: readonly number[]) =>
  from(
    { old_seq: 'bigint' },
    seqs.map(seq => ({ old_seq: seq })),
  )
