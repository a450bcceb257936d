/** Which device last exchanged messages with a number. */

import { digitsOf } from './message-row.ts'
import { from, type Sql, sql, varying } from './sql.ts'

/** Further back nobody looks: a number with a thousand failed messages must not cost a thousand look-ups. */
const lookBack = 50

export type Acquaintance = { environmentId: number; number: string; since: number }

/** The device that last exchanged messages with each number. */
export async function familiarDevices(
  connection: Sql,
  asked: readonly Acquaintance[],
): Promise<(string | undefined)[]> {
  const items = asked.map(({ environmentId, number, since }, place) => ({
    place,
    environment: environmentId,
    digits: digitsOf(number),
    number,
    since,
  }))
  const columns = {
    place: 'bigint',
    environment: 'bigint',
    digits: 'bigint',
    number: 'text',
    since: 'bigint',
  } as const
  type Exchange = { place: number; sent: number | null; came: number | null }
  const found = await connection.all<Exchange>(sql`
    SELECT r.place AS place, (
      SELECT seq FROM (
        SELECT seq, environment_id, created_at, status FROM messages WHERE recipient = r.digits
        ORDER BY seq DESC LIMIT ${lookBack}) AS latest
      WHERE environment_id = r.environment AND created_at >= r.since
        AND status NOT IN ('failed', 'expired', 'canceled')
      ORDER BY seq DESC LIMIT 1) AS sent, (
      SELECT seq FROM received
      WHERE environment_id = r.environment AND sender = r.number AND received_at >= r.since
      ORDER BY n_sender DESC LIMIT 1) AS came
    ${from(columns, items)}`)
  const devices: (string | undefined)[] = asked.map(() => undefined)
  for (const { place, sent, came } of found) {
    // Both are places in the one journal, so the larger one is the later.
    const table = (sent ?? 0) > (came ?? 0) ? 'messages' : 'received'
    const seq = Math.max(sent ?? 0, came ?? 0)
    if (seq === 0) continue
    const [row] = await connection.all<{ deviceId: string }>(
      sql`SELECT device_id AS "deviceId" FROM ${varying(table)} WHERE seq = ${seq}`,
    )
    devices[place] = row?.deviceId
  }
  return devices
}
