/** Reading the journal. Rows become visible in the order of their numbers, so a cursor never misses one. */

import type { JournalEvent } from '../core/event.ts'
import { type Sql, sql } from './sql.ts'

export async function events(connection: Sql, afterSeq: number, limit: number): Promise<JournalEvent[]> {
  const found = await connection.all<Omit<JournalEvent, 'data'> & { data: string }>(sql`
    SELECT seq, environment_id AS "environmentId", type, at, message_seq AS "messageSeq",
      received_seq AS "receivedSeq", device_id AS "deviceId", n, data
    FROM events WHERE seq > ${afterSeq} ORDER BY seq LIMIT ${limit}`)
  return found.map(row => ({ ...row, data: JSON.parse(row.data) }))
}
