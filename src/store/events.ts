/** Reading the journal. Rows become visible in the order of their numbers, so a cursor never misses one. */

import type { JournalEvent } from '../core/event.ts'
import { raw, type Sql, sql } from './sql.ts'

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
