/** How many messages are under way: with a device, or for another time. */

import { type Sql, sql } from '../engine/sql.ts'
import { isRare } from './message-row.ts'

/** More are not counted one by one: nobody reads the difference. */
const most = 100_000

export async function underWay(
  connection: Sql,
  environmentId: number,
): Promise<{ sending: number; scheduled: number }> {
  const [sending, scheduled] = await Promise.all([
    connection.all<{ count: number }>(sql`
      SELECT COUNT(*) AS count FROM (
        SELECT 1 FROM messages m JOIN devices d ON d.id = m.device_id
        WHERE m.status = 'sending' AND m.held = 0 AND d.environment_id = ${environmentId} LIMIT ${most}) AS counted`),
    connection.all<{ count: number }>(sql`
      SELECT COUNT(*) AS count FROM (
        SELECT 1 FROM messages
        WHERE environment_id = ${environmentId} AND ${isRare}
          AND status = 'scheduled' LIMIT ${most}) AS counted`),
  ])
  return { sending: sending[0]!.count, scheduled: scheduled[0]!.count }
}
