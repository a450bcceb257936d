/** Lists of messages, newest first. A page costs the same wherever it lies. */

import type { Message, Status } from '../core/message.ts'
import type { MessageFilter, MessagePage } from '../core/message-list.ts'
import { columns, digitsOf, fromRow, type MessageRow } from './message-row.ts'
import { firstSince } from './since.ts'
import { raw, type Sql, sql, varying } from './sql.ts'

/** Rows that are looked at for one page at most. If the filter leaves too few of them, the page is short and says where to go on. */
const mostLookedAt = 2_000

/** The states for which there is an index, in the very words of that index. */
const rare: readonly Status[] = ['scheduled', 'failed', 'expired', 'canceled', 'unknown']
const isRare = raw(`status IN ('scheduled', 'failed', 'expired', 'canceled', 'unknown')`)

export async function messageList(
  connection: Sql,
  environmentId: number,
  filter: MessageFilter,
): Promise<MessagePage> {
  const { limit, since, until } = filter
  const last = until === undefined ? undefined : await firstSince(connection, 'messages', until + 1)
  const below = Math.min(filter.beforeSeq ?? Number.MAX_SAFE_INTEGER, last ?? Number.MAX_SAFE_INTEGER)
  const from = since === undefined ? 0 : await firstSince(connection, 'messages', since)
  const looked = await lookedAt(connection, environmentId, filter, from, below)
  const matching = looked.filter(message => matches(message, filter))
  const items = matching.slice(0, limit)
  if (matching.length > limit) return { items, next: items.at(-1)!.seq }
  return { items, next: looked.length === lookAt(filter) ? looked.at(-1)!.seq : null }
}

/** With one filter that has an index nothing is looked at in vain, but for one that says whether there is more. */
const lookAt = ({ limit, ...filter }: MessageFilter): number => {
  const { status, deviceId, recipient, batchId } = filter
  const filters = [deviceId, recipient, batchId, status].filter(one => one !== undefined)
  const isIndexed =
    filters.length === 0 || (filters.length === 1 && (status === undefined || rare.includes(status)))
  return isIndexed ? limit + 1 : mostLookedAt
}

async function lookedAt(
  connection: Sql,
  environmentId: number,
  filter: MessageFilter,
  from: number,
  below: number,
): Promise<Message[]> {
  const { status, deviceId, recipient, batchId } = filter
  const most = lookAt(filter)
  const query =
    batchId !== undefined
      ? sql`SELECT ${columns} FROM messages
          WHERE batch_id = ${batchId} AND environment_id = ${environmentId} AND seq >= ${from} AND seq < ${below}
          ORDER BY seq DESC LIMIT ${most}`
      : recipient !== undefined
        ? sql`SELECT ${columns} FROM messages
            WHERE recipient = ${digitsOf(recipient)} AND environment_id = ${environmentId} AND seq >= ${from} AND seq < ${below}
            ORDER BY seq DESC LIMIT ${most}`
        : status !== undefined && rare.includes(status)
          ? sql`SELECT ${columns} FROM messages
              WHERE environment_id = ${environmentId} AND ${isRare} AND status = ${varying(`'${status}'`)}
                AND seq >= ${from} AND seq < ${below}
              ORDER BY seq DESC LIMIT ${most}`
          : deviceId !== undefined
            ? sql`SELECT ${columns} FROM messages
                WHERE device_id = ${deviceId} AND environment_id = ${environmentId} AND seq >= ${from} AND seq < ${below}
                ORDER BY seq DESC LIMIT ${most}`
            : sql`SELECT ${columns} FROM messages
                WHERE environment_id = ${environmentId} AND seq >= ${from} AND seq < ${below}
                ORDER BY seq DESC LIMIT ${most}`
  return (await connection.all<MessageRow>(query)).map(fromRow)
}

const matches = (message: Message, { status, deviceId, recipient, since, until }: MessageFilter): boolean =>
  (status === undefined || message.status === status) &&
  (deviceId === undefined || message.deviceId === deviceId) &&
  (recipient === undefined || message.recipient === recipient) &&
  (since === undefined || message.createdAt >= since) &&
  (until === undefined || message.createdAt <= until)
