/** Lists of messages, newest first. A page costs the same wherever it lies. */

import type { Message, Status } from '../../core/messages/message.ts'
import type { MessageFilter, MessagePage } from '../../core/messages/message-list.ts'
import { readInSteps } from '../engine/read-in-steps.ts'
import { type Query, type Sql, sql, varying } from '../engine/sql.ts'
import { firstSince } from '../journal/seq-at-time.ts'
import { columns, digitsOf, fromRow, isRare, type MessageRow, rare } from './message-row.ts'

/** Rows that are looked at for one page at most. If the filter leaves too few of them, the page is short and says where to go on. */
const mostLookedAt = 2_000
/** With more devices than this, their lists are not put together. */
const mostDevices = 50

/** A stretch of the list: from `from` on, below `below`. */
type Stretch = { environmentId: number; from: number; below: number }

export async function messageList(
  connection: Sql,
  environmentId: number,
  filter: MessageFilter,
): Promise<MessagePage> {
  const { limit, since, until } = filter
  const last = until === undefined ? undefined : await firstSince(connection, 'messages', until + 1)
  const below = Math.min(filter.beforeSeq ?? Number.MAX_SAFE_INTEGER, last ?? Number.MAX_SAFE_INTEGER)
  const from = since === undefined ? 0 : await firstSince(connection, 'messages', since)
  const { rows, isEnd } = await lookedAt(connection, { environmentId, from, below }, filter)
  const matching = rows.filter(message => matches(message, environmentId, filter))
  const items = matching.slice(0, limit)
  if (matching.length > limit) return { items, next: items.at(-1)!.seq }
  return { items, next: isEnd ? null : rows.at(-1)!.seq }
}

/** `isEnd`: there is nothing behind them. */
type Looked = { rows: Message[]; isEnd: boolean }

async function lookedAt(connection: Sql, stretch: Stretch, filter: MessageFilter): Promise<Looked> {
  const { status, deviceId, recipient, batchId, contains, limit } = filter
  const isAlone =
    [status, deviceId, recipient, batchId, contains].filter(one => one !== undefined).length === 1
  // With one filter that has an index nothing is looked at in vain, but for one that says whether there is more.
  const look = (query: Reading) => some(connection, stretch, query, isAlone ? limit + 1 : mostLookedAt)
  if (batchId !== undefined) return await look((part, most) => ofBatch(part, batchId, most))
  if (recipient !== undefined) return await look((part, most) => toRecipient(part, recipient, most))
  if (status !== undefined && rare.includes(status))
    return await look((part, most) => inRareState(part, status, most))
  const waiting = await inWaitingState(connection, stretch, filter)
  if (waiting) return waiting
  if (deviceId !== undefined) return await look((part, most) => ofDevice(part, deviceId, most))
  const isUnfiltered = status === undefined && contains === undefined
  const together = isUnfiltered ? await allDevices(connection, stretch, limit + 1) : undefined
  return together ?? (await some(connection, stretch, ofAnyone, mostLookedAt))
}

/** How the newest rows of a stretch are read. */
type Reading = (stretch: Stretch, most: number) => Query

async function some(connection: Sql, stretch: Stretch, query: Reading, most: number): Promise<Looked> {
  const rows = await readInSteps<Message>(most, async (count, last) => {
    const part = { ...stretch, below: last?.seq ?? stretch.below }
    return (await connection.all<MessageRow>(query(part, count))).map(fromRow)
  })
  return { rows, isEnd: rows.length < most }
}

/** The lists of all devices, put together: an index over environments would cost every send. */
async function allDevices(connection: Sql, stretch: Stretch, most: number): Promise<Looked | undefined> {
  const devices = await connection.all<{ id: string }>(
    sql`SELECT id FROM devices WHERE environment_id = ${stretch.environmentId} LIMIT ${mostDevices + 1}`,
  )
  if (devices.length > mostDevices) return undefined
  const lists = await Promise.all(
    devices.map(({ id }) => some(connection, stretch, (part, count) => ofDevice(part, id, count), most)),
  )
  const rows = lists
    .flatMap(list => list.rows)
    .sort((a, b) => b.seq - a.seq)
    .slice(0, most)
  return { rows, isEnd: rows.length < most }
}

/** Those that wait, or are with a device: each device has a list of them, and there are never many. */
async function inWaitingState(
  connection: Sql,
  stretch: Stretch,
  { status, deviceId, contains, limit }: MessageFilter,
): Promise<Looked | undefined> {
  if (status !== 'queued' && status !== 'sending') return undefined
  const devices =
    deviceId === undefined
      ? await connection.all<{ id: string }>(
          sql`SELECT id FROM devices WHERE environment_id = ${stretch.environmentId} LIMIT ${mostDevices + 1}`,
        )
      : [{ id: deviceId }]
  if (devices.length > mostDevices) return undefined
  const most = contains === undefined ? limit + 1 : mostLookedAt
  const lists = await Promise.all([
    ...devices.map(({ id }) =>
      some(connection, stretch, (part, count) => waitingFor(part, id, status, count), most),
    ),
    some(connection, stretch, (part, count) => heldBack(part, status, count), most),
  ])
  const rows = lists.flatMap(list => list.rows).sort((a, b) => b.seq - a.seq)
  return { rows: rows.slice(0, most), isEnd: rows.length < most }
}

const waitingFor = (
  { from, below }: Stretch,
  deviceId: string,
  status: 'queued' | 'sending',
  most: number,
) => sql`
  SELECT ${columns} FROM messages
  WHERE device_id = ${deviceId} AND status = ${varying(`'${status}'`)} AND held = 0
    AND seq >= ${from} AND seq < ${below}
  ORDER BY seq DESC LIMIT ${most}`

/** Since a restore. */
const heldBack = ({ from, below }: Stretch, status: 'queued' | 'sending', most: number) => sql`
  SELECT ${columns} FROM messages WHERE held = 1 AND status = ${varying(`'${status}'`)}
    AND seq >= ${from} AND seq < ${below}
  ORDER BY seq DESC LIMIT ${most}`

const ofBatch = ({ environmentId, from, below }: Stretch, batchId: string, most: number) => sql`
  SELECT ${columns} FROM messages
  WHERE seq >= (SELECT first_seq FROM batches WHERE id = ${batchId})
    AND seq <= (SELECT last_seq FROM batches WHERE id = ${batchId})
    AND batch_id = ${batchId} AND environment_id = ${environmentId} AND seq >= ${from} AND seq < ${below}
  ORDER BY seq DESC LIMIT ${most}`

const toRecipient = ({ environmentId, from, below }: Stretch, recipient: string, most: number) => sql`
  SELECT ${columns} FROM messages
  WHERE recipient = ${digitsOf(recipient)} AND environment_id = ${environmentId} AND seq >= ${from} AND seq < ${below}
  ORDER BY seq DESC LIMIT ${most}`

const inRareState = ({ environmentId, from, below }: Stretch, status: Status, most: number) => sql`
  SELECT ${columns} FROM messages
  WHERE environment_id = ${environmentId} AND ${isRare} AND status = ${varying(`'${status}'`)}
    AND seq >= ${from} AND seq < ${below}
  ORDER BY seq DESC LIMIT ${most}`

const ofDevice = ({ environmentId, from, below }: Stretch, deviceId: string, most: number) => sql`
  SELECT ${columns} FROM messages
  WHERE device_id = ${deviceId} AND environment_id = ${environmentId} AND seq >= ${from} AND seq < ${below}
  ORDER BY seq DESC LIMIT ${most}`

const ofAnyone = ({ from, below }: Stretch, most: number) => sql`
  SELECT ${columns} FROM messages WHERE seq >= ${from} AND seq < ${below} ORDER BY seq DESC LIMIT ${most}`

const matches = (message: Message, environmentId: number, filter: MessageFilter): boolean =>
  message.environmentId === environmentId &&
  (filter.status === undefined || message.status === filter.status) &&
  (filter.deviceId === undefined || message.deviceId === filter.deviceId) &&
  (filter.recipient === undefined || message.recipient === filter.recipient) &&
  (filter.contains === undefined || message.text.toLowerCase().includes(filter.contains)) &&
  (filter.since === undefined || message.createdAt >= filter.since) &&
  (filter.until === undefined || message.createdAt <= filter.until)
