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
        SELECT seq, created_at, status FROM messages WHERE recipient = r.digits AND environment_id = r.environment
        ORDER BY seq DESC LIMIT ${lookBack}) AS latest
      WHERE created_at >= r.since AND status NOT IN ('failed', 'expired', 'canceled')
      ORDER BY seq DESC LIMIT 1) AS sent, (
      SELECT seq FROM received
      WHERE environment_id = r.environment AND sender = r.number AND received_at >= r.since
      ORDER BY n_sender DESC LIMIT 1) AS came
    ${from(columns, items)}`)
  // Both are places in the one journal, so the larger one is the later.
  const isSent = ({ sent, came }: Exchange) => (sent ?? 0) > (came ?? 0)
  const devices: (string | undefined)[] = asked.map(() => undefined)
  const fill = async (table: 'messages' | 'received', places: { place: number; seq: number }[]) => {
    if (places.length === 0) return
    const rows = await connection.all<{ place: number; deviceId: string }>(sql`
      SELECT r.place AS place, (SELECT device_id FROM ${varying(table)} WHERE seq = r.seq) AS "deviceId"
      ${from({ place: 'bigint', seq: 'bigint' }, places)}`)
    for (const { place, deviceId } of rows) devices[place] = deviceId
  }
  const known = found.filter(({ sent, came }) => sent !== null || came !== null)
  await fill(
    'messages',
    known.filter(isSent).map(({ place, sent }) => ({ place, seq: sent! })),
  )
  await fill(
    'received',
    known.filter(one => !isSent(one)).map(({ place, came }) => ({ place, seq: came! })),
  )
  return devices
}
