/** Received messages, numbered without gaps in each list they appear in. */

import { hash, randomUUIDv7 } from 'node:crypto'
import {
  type InboxFilter,
  type InboxPage,
  type Incoming,
  type MediaFile,
  numberOfDevice,
  pageSize,
  type Received,
} from '../../core/inbox/received.ts'
import { type Sql, sql, varying } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { comeBack, leave, sameOptOut } from '../people/opt-outs.ts'
import { noteReceived } from './conversations.ts'
import { columns, erasedPrefix, fromRow, type ReceivedRow } from './received-row.ts'

/** By which a device's own id is recognised when the person is forgotten: it may hold their number. */
export const erasedExternal = (externalId: string): string =>
  `${erasedPrefix}${hash('sha256', externalId, 'base64url')}`

/** The files that came with a received message. */
export const mediaOf = (metadata: string): string[] =>
  ((JSON.parse(metadata) as { media?: { id: string }[] }).media ?? []).map(({ id }) => id)

export const receive: Verb<Incoming, Received> = each(async (tx, incoming) => {
  return (await known(tx, incoming)) ?? (await keep(tx, incoming))
})

async function known(tx: Transaction, incoming: Incoming): Promise<Received | undefined> {
  const { deviceId, externalId, fingerprint } = incoming
  const by = async (column: 'external_id' | 'fingerprint', value: string | null | undefined) => {
    if (value === null || value === undefined) return undefined
    const forgotten = column === 'external_id' ? erasedExternal(value) : value
    const [row] = await tx.all<ReceivedRow>(sql`
      SELECT ${columns} FROM received r JOIN devices d ON d.id = r.device_id
      WHERE r.device_id = ${deviceId} AND r.${varying(column)} IN (${value}, ${forgotten})`)
    return row && fromRow(row)
  }
  return (await by('external_id', externalId)) ?? (await by('fingerprint', fingerprint))
}

type Place = {
  all: number | null
  device: number | null
  sender: number | null
  both: number | null
  last: number | null
}

async function keep(tx: Transaction, incoming: Incoming): Promise<Received> {
  const { deviceId, sender, text, type, externalId } = incoming
  const [device] = await tx.all<{ environmentId: number; name: string; phone: string }>(
    sql`SELECT environment_id AS "environmentId", name, phone FROM devices WHERE id = ${deviceId}`,
  )
  if (!device) throw new Error('a message came from a device that does not exist')
  const { environmentId } = device
  const [place] = await tx.all<Place>(sql`
    SELECT
      (SELECT MAX(n_all) FROM received WHERE environment_id = ${environmentId}) AS "all",
      (SELECT MAX(n_device) FROM received WHERE device_id = ${deviceId}) AS device,
      (SELECT MAX(n_sender) FROM received WHERE environment_id = ${environmentId} AND sender = ${sender}) AS sender,
      (SELECT MAX(n_device_sender) FROM received WHERE device_id = ${deviceId} AND sender = ${sender}) AS both,
      (SELECT received_at FROM received WHERE environment_id = ${environmentId} ORDER BY n_all DESC LIMIT 1) AS last`)
  // Never earlier than the one before, even when the clock was set back: clients poll by this time.
  const receivedAt = Math.max(tx.now, place!.last ?? 0)
  const id = randomUUIDv7()
  const told = { ...incoming.metadata, ...(await answeredIn(tx, incoming)) }
  const metadata = JSON.stringify(told)
  const seq = tx.journal({
    environmentId,
    type: 'message.received',
    receivedSeq: 'self',
    deviceId,
    data: { id },
  })
  await tx.all(sql`
    INSERT INTO received (seq, id, environment_id, device_id, sender, text, type, metadata, external_id, fingerprint,
      received_at, n_all, n_device, n_sender, n_device_sender)
    VALUES (${seq}, ${id}, ${environmentId}, ${deviceId}, ${sender}, ${text}, ${type}, ${metadata}, ${externalId},
      ${incoming.fingerprint ?? null}, ${receivedAt}, ${next(place!.all)}, ${next(place!.device)}, ${next(place!.sender)}, ${next(place!.both)})`)
  noteReceived(tx, { environmentId, person: sender, seq, n: next(place!.sender) })
  for (const file of incoming.media ?? [])
    await tx.all(sql`
      INSERT INTO media (id, environment_id, mime, size, filename, created_at)
      VALUES (${file.id}, ${environmentId}, ${file.mime}, ${file.size}, ${file.filename}, ${tx.now})
      ON CONFLICT (id) DO NOTHING`)
  await heed(tx, environmentId, incoming)
  return {
    id,
    environmentId,
    deviceId,
    deviceName: device.name,
    devicePhone: numberOfDevice(incoming.metadata, device.phone),
    sender,
    text,
    type,
    metadata: told,
    receivedAt,
  }
}

/** Whoever wants no messages wants none under any of their names. */
async function heed(
  tx: Transaction,
  environmentId: number,
  { sender, alias, wish }: Incoming,
): Promise<void> {
  const person = { environmentId, number: sender }
  if (wish === 'in') {
    await comeBack(tx, person)
    if (alias !== undefined) await comeBack(tx, { environmentId, number: alias })
    return
  }
  if (wish === 'out') await leave(tx, { ...person, source: 'message' })
  if (alias !== undefined) await sameOptOut(tx, [{ ...person, alias }])
}

/** Which received message this one answers, if that is still here. */
async function answeredIn(tx: Transaction, { deviceId, answers }: Incoming): Promise<{ reply_to?: string }> {
  for (const externalId of answers ?? []) {
    const [row] = await tx.all<{ id: string }>(
      sql`SELECT id FROM received WHERE device_id = ${deviceId} AND external_id = ${externalId}`,
    )
    if (row) return { reply_to: row.id }
  }
  return {}
}

/** Those that events of this stretch of the journal are about, by their number. */
export async function receivedBetween(
  connection: Sql,
  afterSeq: number,
  lastSeq: number,
): Promise<Map<number, Received>> {
  const found = await connection.all<ReceivedRow & { seq: number }>(sql`
    SELECT r.seq, ${columns} FROM received r JOIN devices d ON d.id = r.device_id
    WHERE r.seq IN (
      SELECT received_seq FROM events
      WHERE seq > ${afterSeq} AND seq <= ${lastSeq} AND received_seq IS NOT NULL)`)
  return new Map(found.map(({ seq, ...row }) => [seq, fromRow(row)]))
}

export async function media(
  connection: Sql,
  environmentId: number,
  id: string,
): Promise<MediaFile | undefined> {
  const [row] = await connection.all<MediaFile>(sql`
    SELECT id, mime, size, filename FROM media WHERE id = ${id} AND environment_id = ${environmentId}`)
  return row
}

const next = (last: number | null) => (last ?? 0) + 1

/** A list is chosen by what it filters on; its messages are numbered by one column, which has an index of its own. */
const lists = {
  all: { ordinal: 'n_all', where: 'environment_id =' },
  device: { ordinal: 'n_device', where: 'device_id =' },
  sender: { ordinal: 'n_sender', where: 'environment_id =' },
  both: { ordinal: 'n_device_sender', where: 'device_id =' },
}

export async function inbox(connection: Sql, environmentId: number, filter: InboxFilter): Promise<InboxPage> {
  const nothing = { items: [], total: 0 }
  if (filter.deviceId !== undefined && !(await owns(connection, environmentId, filter.deviceId)))
    return nothing
  const list = listOf(filter)
  const ordinal = varying(list.ordinal)
  // The sender's condition is always there so that one wording serves all lists; `1 = 1` costs nothing.
  const scope = varying(`r.${list.where}`)
  const owner = filter.deviceId ?? environmentId
  const [bySender, sender] =
    filter.from === undefined
      ? ([varying('1 ='), 1] as const)
      : ([varying('r.sender ='), filter.from] as const)
  const edge = async (direction: 'ASC' | 'DESC') => {
    const [row] = await connection.all<{ n: number }>(sql`
      SELECT r.${ordinal} AS n FROM received r WHERE ${scope} ${owner} AND ${bySender} ${sender}
      ORDER BY r.${ordinal} ${varying(direction)} LIMIT 1`)
    return row?.n
  }
  /** The first number whose time is at or after `at`, or `end`: times grow with numbers, so halving finds it. */
  const firstSince = async (at: number, start: number, end: number) => {
    const [row] = await connection.all<{ low: number }>(sql`
      WITH RECURSIVE search (low, high) AS (
        SELECT CAST(${start} AS BIGINT), CAST(${end} AS BIGINT)
        UNION ALL
        SELECT
          CASE WHEN r.received_at < ${at} THEN (low + high) / 2 + 1 ELSE low END,
          CASE WHEN r.received_at < ${at} THEN high ELSE (low + high) / 2 END
        FROM search JOIN received r ON ${scope} ${owner} AND ${bySender} ${sender} AND r.${ordinal} = (low + high) / 2
        WHERE low < high)
      SELECT low FROM search WHERE low >= high`)
    return row!.low
  }
  const first = await edge('ASC')
  const last = await edge('DESC')
  if (first === undefined || last === undefined) return nothing
  const low = filter.since === undefined ? first : await firstSince(filter.since, first, last + 1)
  const high = filter.until === undefined ? last : (await firstSince(filter.until + 1, first, last + 1)) - 1
  const total = Math.max(0, high - low + 1)
  const newest = high - (filter.page - 1) * pageSize
  const oldest = Math.max(low, newest - pageSize + 1)
  if (total === 0 || newest < low) return { items: [], total }
  const found = await connection.all<ReceivedRow>(sql`
    SELECT ${columns} FROM received r JOIN devices d ON d.id = r.device_id
    WHERE ${scope} ${owner} AND ${bySender} ${sender} AND r.${ordinal} BETWEEN ${oldest} AND ${newest}
    ORDER BY r.${ordinal} DESC`)
  return { items: found.map(fromRow), total }
}

function listOf({ deviceId, from }: InboxFilter): (typeof lists)[keyof typeof lists] {
  if (deviceId !== undefined) return from === undefined ? lists.device : lists.both
  return from === undefined ? lists.all : lists.sender
}

async function owns(connection: Sql, environmentId: number, deviceId: string): Promise<boolean> {
  const found = await connection.all(
    sql`SELECT 1 AS yes FROM devices WHERE id = ${deviceId} AND environment_id = ${environmentId}`,
  )
  return found.length > 0
}
