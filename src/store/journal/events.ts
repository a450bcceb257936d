/** Reading the journal. Rows become visible in the order of their numbers, so a cursor never misses one. */

import type { EventWithSubject, JournalEvent } from '../../core/events/event.ts'
import type { Received } from '../../core/inbox/received.ts'
import { raw, type Sql, sql } from '../engine/sql.ts'
import { receivedBetween } from '../inbox/received.ts'
import {
  type MessageRow,
  columns as messageColumns,
  fromRow as messageFrom,
} from '../messages/message-row.ts'
import { firstSince } from './seq-at-time.ts'

const columns = raw(`seq, environment_id AS "environmentId", type, at, message_seq AS "messageSeq",
  received_seq AS "receivedSeq", device_id AS "deviceId", n, data`)

type EventRow = Omit<JournalEvent, 'data'> & { data: string }
const fromRow = (row: EventRow): JournalEvent => ({ ...row, data: JSON.parse(row.data) })

export async function events(connection: Sql, afterSeq: number, limit: number): Promise<JournalEvent[]> {
  const found = await connection.all<EventRow>(sql`
    SELECT ${columns} FROM events WHERE seq > ${afterSeq} ORDER BY seq LIMIT ${limit}`)
  return found.map(fromRow)
}

export async function story(connection: Sql, messageSeq: number): Promise<JournalEvent[]> {
  const found = await connection.all<EventRow>(sql`
    SELECT ${columns} FROM events WHERE message_seq = ${messageSeq} ORDER BY seq`)
  return found.map(fromRow)
}

/** Events with what they are about. */
export async function tellable(
  connection: Sql,
  afterSeq: number,
  limit: number,
): Promise<EventWithSubject[]> {
  const found = await events(connection, afterSeq, limit)
  const last = found.at(-1)?.seq
  if (last === undefined) return []
  const [messages, received] = await Promise.all([
    found.some(({ messageSeq }) => messageSeq !== null)
      ? connection.all<MessageRow>(sql`
          SELECT ${messageColumns} FROM messages WHERE seq IN (
            SELECT message_seq FROM events WHERE seq > ${afterSeq} AND seq <= ${last} AND message_seq IS NOT NULL)`)
      : [],
    found.some(({ receivedSeq }) => receivedSeq !== null)
      ? receivedBetween(connection, afterSeq, last)
      : new Map<number, Received>(),
  ])
  const messageBySeq = new Map(messages.map(row => [row.seq, messageFrom(row)]))
  return found.map(event => {
    const message = event.messageSeq === null ? undefined : messageBySeq.get(event.messageSeq)
    const came = event.receivedSeq === null ? undefined : received.get(event.receivedSeq)
    return { ...event, ...(message && { message }), ...(came && { received: came }) }
  })
}

export async function journalHead(connection: Sql): Promise<number> {
  const [row] = await connection.all<{ value: number }>(
    sql`SELECT value FROM counters WHERE name = 'journal'`,
  )
  return row!.value
}

/** Numbers grow with time, so halving finds it. */
export async function seqBefore(connection: Sql, at: number): Promise<number> {
  return (await firstSince(connection, 'events', at)) - 1
}
