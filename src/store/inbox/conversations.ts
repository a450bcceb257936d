/** People who wrote, newest first, and what was said with each of them. */

import type {
  Conversation,
  ConversationFilter,
  ConversationPage,
  Thread,
  ThreadEntry,
  ThreadPlace,
} from '../../core/inbox/conversation.ts'
import { isWritable } from '../../core/people/number.ts'
import { readInSteps } from '../engine/read-in-steps.ts'
import { from, type Sql, sql, varying } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import {
  digitsOf,
  type MessageRow,
  columns as messageColumns,
  fromRow as messageFrom,
} from '../messages/message-row.ts'
import { type ReceivedRow, columns as receivedColumns, fromRow as receivedFrom } from './received-row.ts'

/** Rows that are looked at for one page at most. */
const mostLookedAt = 2_000

/** Notes that somebody wrote. */
export function noteReceived(
  tx: Transaction,
  { environmentId, person, seq, n }: { environmentId: number; person: string; seq: number; n: number },
): void {
  tx.write(sql`
    INSERT INTO conversations (environment_id, person, last_seq, last_n)
    VALUES (${environmentId}, ${person}, ${seq}, ${n})
    ON CONFLICT (environment_id, person) DO UPDATE SET last_seq = excluded.last_seq, last_n = excluded.last_n`)
}

/** What was removed with age cannot be seen any more. */
export function notUnread(
  tx: Transaction,
  environmentId: number,
  removed: ReadonlyMap<string, number>,
): void {
  const items = [...removed].map(([writer, n]) => ({ writer, n }))
  if (items.length === 0) return
  tx.write(sql`
    UPDATE conversations SET read_n = r.n ${from({ writer: 'text', n: 'bigint' }, items)}
    WHERE conversations.environment_id = ${environmentId} AND conversations.person = r.writer
      AND conversations.read_n < r.n`)
}

/** What the person wrote is gone up to this number. */
export function forgetUpTo(tx: Transaction, environmentId: number, seq: number): void {
  tx.write(sql`DELETE FROM conversations WHERE environment_id = ${environmentId} AND last_seq <= ${seq}`)
}

export function forgetPerson(tx: Transaction, environmentId: number, person: string): void {
  tx.write(sql`DELETE FROM conversations WHERE environment_id = ${environmentId} AND person = ${person}`)
}

export const readConversation: Verb<{ environmentId: number; person: string }, boolean> = each(
  async (tx, { environmentId, person }) => {
    const read = await tx.all(sql`
    UPDATE conversations SET read_n = last_n WHERE environment_id = ${environmentId} AND person = ${person}
    RETURNING person`)
    return read.length > 0
  },
)

type ConversationRow = ReceivedRow & { person: string; lastSeq: number; unread: number }

export async function conversations(
  connection: Sql,
  environmentId: number,
  { limit, beforeSeq = Number.MAX_SAFE_INTEGER, unread, contains, number }: ConversationFilter,
): Promise<ConversationPage> {
  const most = contains === undefined ? limit + 1 : mostLookedAt
  const rows = await readInSteps<ConversationRow>(most, (count, last) =>
    connection.all(sql`
      SELECT c.person, c.last_seq AS "lastSeq", c.last_n - c.read_n AS unread, ${receivedColumns}
      FROM conversations c JOIN received r ON r.seq = c.last_seq JOIN devices d ON d.id = r.device_id
      WHERE c.environment_id = ${environmentId} AND c.last_seq < ${last?.lastSeq ?? beforeSeq}
        ${varying(unread ? 'AND c.read_n < c.last_n' : '')}
      ORDER BY c.last_seq DESC LIMIT ${count}`),
  )
  const wanted = contains?.toLowerCase()
  const matching = rows.filter(
    ({ person, text }) =>
      wanted === undefined ||
      person.toLowerCase().includes(wanted) ||
      text.toLowerCase().includes(wanted) ||
      (number !== undefined && person.includes(number)),
  )
  const items = matching.slice(0, limit).map(conversationOf)
  if (matching.length > limit) return { items, next: items.at(-1)!.lastSeq }
  return { items, next: rows.length < most ? null : rows.at(-1)!.lastSeq }
}

const conversationOf = ({ person, lastSeq, unread, ...row }: ConversationRow): Conversation => ({
  person,
  lastSeq,
  unread,
  last: receivedFrom(row),
})

/** How many people wrote something that nobody has seen, counted up to a limit. */
export async function unreadConversations(
  connection: Sql,
  environmentId: number,
  limit: number,
): Promise<number> {
  const rows = await connection.all(sql`
    SELECT 1 AS one FROM conversations WHERE environment_id = ${environmentId} AND read_n < last_n LIMIT ${limit}`)
  return rows.length
}

export async function thread(
  connection: Sql,
  environmentId: number,
  person: string,
  { limit, below, withSent }: { limit: number; below?: ThreadPlace; withSent: boolean },
): Promise<Thread> {
  const { seq = Number.MAX_SAFE_INTEGER, n = Number.MAX_SAFE_INTEGER } = below ?? {}
  const isNumber = isWritable(person)
  const [sent, received] = await Promise.all([
    withSent && isNumber
      ? connection.all<MessageRow>(sql`
          SELECT ${messageColumns} FROM messages
          WHERE recipient = ${digitsOf(person)} AND environment_id = ${environmentId} AND seq < ${seq}
          ORDER BY seq DESC LIMIT ${limit + 1}`)
      : [],
    connection.all<ReceivedRow & { seq: number; n: number }>(sql`
      SELECT r.seq, r.n_sender AS n, ${receivedColumns} FROM received r JOIN devices d ON d.id = r.device_id
      WHERE r.environment_id = ${environmentId} AND r.sender = ${person} AND r.n_sender < ${n}
      ORDER BY r.n_sender DESC LIMIT ${limit + 1}`),
  ])
  const all: ThreadEntry[] = [
    ...sent.map(row => ({ seq: row.seq, message: messageFrom(row) })),
    ...received.map(({ seq: at, n: number, ...row }) => ({
      seq: at,
      n: number,
      received: receivedFrom(row),
    })),
  ].sort((a, b) => b.seq - a.seq)
  const entries = all.slice(0, limit)
  if (all.length <= limit) return { entries, next: null }
  const lastReceived = entries.findLast(entry => 'n' in entry)
  return { entries, next: { seq: entries.at(-1)!.seq, n: lastReceived?.n ?? n } }
}
