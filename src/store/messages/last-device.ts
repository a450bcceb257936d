/** Which device last exchanged messages with a number. */

import { from, raw, type Sql, sql, varying } from '../engine/sql.ts'
import { digitsOf } from './message-row.ts'

/** Further back nobody looks: a number with a thousand failed messages must not cost a thousand look-ups. */
const lookBack = 50

export type Acquaintance = { environmentId: number; number: string; since: number }

type Question = { place: number; environment: number; digits: number; number: string; since: number }
const columns = {
  place: 'bigint',
  environment: 'bigint',
  digits: 'bigint',
  number: 'text',
  since: 'bigint',
} as const

/** Where in the journal the latest message to a number, and the latest from it, stand. */
type Latest = { place: number; sent: number | null; came: number | null }

/** A message that never arrived was no exchange. */
const exchanged = raw(`created_at >= r.since AND status NOT IN ('failed', 'expired', 'canceled')`)
const cameLast = raw(`(SELECT seq FROM received
  WHERE environment_id = r.environment AND sender = r.number AND received_at >= r.since
  ORDER BY n_sender DESC LIMIT 1) AS came`)

/** The device that last exchanged messages with each number. */
export async function lastDevices(
  connection: Sql,
  asked: readonly Acquaintance[],
): Promise<(string | undefined)[]> {
  const questions = asked.map(({ environmentId, number, since }, place) => ({
    place,
    environment: environmentId,
    digits: digitsOf(number),
    number,
    since,
  }))
  const devices: (string | undefined)[] = asked.map(() => undefined)
  const unsettled = await settle(connection, questions, await latest(connection, questions), devices)
  // Rare: the newest message to that number was no exchange, so those before it matter.
  if (unsettled.length > 0)
    await settle(connection, unsettled, await latestExchanged(connection, unsettled), devices)
  return devices
}

async function latest(connection: Sql, questions: readonly Question[]): Promise<Latest[]> {
  return await connection.all<Latest>(sql`
    SELECT r.place AS place, (
      SELECT seq FROM messages WHERE recipient = r.digits AND environment_id = r.environment
      ORDER BY seq DESC LIMIT 1) AS sent, ${cameLast}
    ${from(columns, questions)}`)
}

async function latestExchanged(connection: Sql, questions: readonly Question[]): Promise<Latest[]> {
  return await connection.all<Latest>(sql`
    SELECT r.place AS place, (
      SELECT seq FROM (
        SELECT seq, created_at, status FROM messages WHERE recipient = r.digits AND environment_id = r.environment
        ORDER BY seq DESC LIMIT ${lookBack}) AS recent
      WHERE ${exchanged} ORDER BY seq DESC LIMIT 1) AS sent, ${cameLast}
    ${from(columns, questions)}`)
}

/** Notes the devices of those that were found. Returns the questions whose latest message turns out to be no exchange. */
async function settle(
  connection: Sql,
  questions: readonly Question[],
  found: readonly Latest[],
  devices: (string | undefined)[],
): Promise<Question[]> {
  const sinceOf = new Map(questions.map(question => [question.place, question.since]))
  // Both are places in the one journal, so the larger one is the later.
  const isSent = ({ sent, came }: Latest) => (sent ?? 0) > (came ?? 0)
  const look = async (
    table: 'messages' | 'received',
    condition: string,
    list: { place: number; at: number }[],
  ) => {
    if (list.length === 0) return []
    const items = list.map(({ place, at }) => ({ place, at, since: sinceOf.get(place)! }))
    return await connection.all<{ place: number; deviceId: string | null }>(sql`
      SELECT r.place AS place, (
        SELECT device_id FROM ${varying(table)} WHERE seq = r.at AND ${varying(condition)}) AS "deviceId"
      ${from({ place: 'bigint', at: 'bigint', since: 'bigint' }, items)}`)
  }
  const sent = found.filter(isSent).map(({ place, sent }) => ({ place, at: sent! }))
  const came = found
    .filter(one => !isSent(one) && one.came !== null)
    .map(({ place, came }) => ({ place, at: came! }))
  const rows = [
    ...(await look('messages', exchanged.text, sent)),
    ...(await look('received', 'received_at >= r.since', came)),
  ]
  const unsettled = new Set<number>()
  for (const { place, deviceId } of rows) {
    if (deviceId === null) unsettled.add(place)
    else devices[place] = deviceId
  }
  return questions.filter(({ place }) => unsettled.has(place))
}
