/** Forgetting what is old, oldest first: texts, or everything. What is not finished is never touched. */

import type { Forgotten, Old } from '../core/store.ts'
import type { Verb } from './group.ts'
import { mediaOf } from './received.ts'
import { from, sql } from './sql.ts'
import type { Transaction } from './transaction.ts'

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

type Oldest = { seq: number; environmentId: number; status: string; createdAt: number }

/** The next ones that are old enough, up to the first that is not finished; those of other environments are passed over. */
async function oldMessages(
  tx: Transaction,
  old: Old,
  what: Kind,
): Promise<{ count: number; mine: Oldest[] }> {
  const after = await positionOf(tx, old.environmentId, what)
  const next = await tx.all<Oldest>(sql`
    SELECT seq, environment_id AS "environmentId", status, created_at AS "createdAt" FROM messages
    WHERE seq > ${after} ORDER BY seq LIMIT ${old.limit}`)
  const isMine = ({ environmentId }: Oldest) => environmentId === old.environmentId
  const end = next.findIndex(
    one =>
      one.createdAt >= old.before || (isMine(one) && ['scheduled', 'queued', 'sending'].includes(one.status)),
  )
  const passed = end === -1 ? next : next.slice(0, end)
  if (passed.length > 0) moveOn(tx, old.environmentId, what, passed.at(-1)!.seq)
  return { count: passed.length, mine: passed.filter(isMine) }
}

type OldReceived = { seq: number; n: number; metadata: string; receivedAt: number }

async function oldReceived(tx: Transaction, old: Old, after: number): Promise<OldReceived[]> {
  const next = await tx.all<OldReceived>(sql`
    SELECT seq, n_all AS n, metadata, received_at AS "receivedAt" FROM received
    WHERE environment_id = ${old.environmentId} AND n_all > ${after} ORDER BY n_all LIMIT ${old.limit}`)
  const end = next.findIndex(({ receivedAt }) => receivedAt >= old.before)
  return end === -1 ? next : next.slice(0, end)
}

export const forgetTexts: Verb<Old, Forgotten> = async (tx, asked) => {
  const results: Forgotten[] = []
  for (const old of asked) {
    const { environmentId } = old
    const { count, mine } = await oldMessages(tx, old, 'texts')
    if (mine.length > 0)
      tx.write(sql`
        UPDATE messages SET text = '', media_url = NULL ${seqs(mine)} WHERE messages.seq = r.old_seq`)
    const received = await oldReceived(tx, old, await positionOf(tx, environmentId, 'received texts'))
    const files = received.flatMap(({ metadata }) => mediaOf(metadata))
    for (const { seq, metadata } of received) {
      const { media: _, ...rest } = JSON.parse(metadata)
      tx.write(sql`UPDATE received SET text = '', metadata = ${JSON.stringify(rest)} WHERE seq = ${seq}`)
    }
    for (const id of files) tx.write(sql`DELETE FROM media WHERE id = ${id}`)
    if (received.length > 0) moveOn(tx, environmentId, 'received texts', received.at(-1)!.n)
    results.push({ count: Math.max(count, received.length), files })
  }
  return results
}

export const removeOld: Verb<Old, Forgotten> = async (tx, asked) => {
  const results: Forgotten[] = []
  for (const old of asked) {
    const { environmentId } = old
    const { count, mine } = await oldMessages(tx, old, 'messages')
    const [first, last] = [mine.at(0)?.seq, mine.at(-1)?.seq]
    if (first !== undefined && last !== undefined) {
      tx.write(sql`
        DELETE FROM events
        WHERE message_seq IS NOT NULL AND message_seq >= ${first} AND message_seq <= ${last}
          AND environment_id = ${environmentId}`)
      tx.write(sql`
        DELETE FROM messages WHERE seq >= ${first} AND seq <= ${last} AND environment_id = ${environmentId}`)
      tx.write(sql`
        DELETE FROM batches WHERE last_seq <= ${last}
          AND NOT EXISTS (SELECT 1 FROM messages WHERE seq >= batches.first_seq AND seq <= batches.last_seq)`)
    }
    const received = await oldReceived(tx, old, 0)
    const lastReceived = received.at(-1)?.n
    const files = received.flatMap(({ metadata }) => mediaOf(metadata))
    if (lastReceived !== undefined) {
      // A received message has the number of its event.
      tx.write(sql`
        DELETE FROM events WHERE seq IN (
          SELECT seq FROM received WHERE environment_id = ${environmentId} AND n_all <= ${lastReceived})`)
      tx.write(sql`DELETE FROM received WHERE environment_id = ${environmentId} AND n_all <= ${lastReceived}`)
    }
    for (const id of files) tx.write(sql`DELETE FROM media WHERE id = ${id}`)
    const events = await removeEvents(tx, old)
    results.push({ count: Math.max(count, received.length, events), files })
  }
  return results
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

const seqs = (rows: readonly { seq: number }[]) =>
  from(
    { old_seq: 'bigint' },
    rows.map(({ seq }) => ({ old_seq: seq })),
  )
