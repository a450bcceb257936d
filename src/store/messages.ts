/** Messages on their way out: accepted, claimed, recorded, ended. */

import type { EventType } from '../core/event.ts'
import {
  type Message,
  meaningOf,
  type NewMessage,
  type Outcome,
  type Receipt,
  type Status,
  sourcesOf,
} from '../core/message.ts'
import { afterHanding, type Limits, mayHand, nextChance, type Pace } from '../core/pace.ts'
import type { Claim, Transfer } from '../core/store.ts'
import type { Verb } from './group.ts'
import { from, raw, type Sql, sql, values, varying, words } from './sql.ts'
import type { Transaction } from './transaction.ts'

const columns =
  raw(`seq, id, environment_id AS "environmentId", batch_id AS "batchId", device_id AS "deviceId", pinned,
  recipient, text, media_url AS "mediaUrl", sim_slot AS "simSlot", parts, status, error_code AS "errorCode",
  error_detail AS "errorDetail", created_at AS "createdAt", expires_at AS "expiresAt", handed_at AS "handedAt",
  sent_at AS "sentAt", delivered_at AS "deliveredAt", read_at AS "readAt", attempts, version`)

type MessageRow = Omit<Message, 'pinned' | 'recipient'> & { pinned: number; recipient: number }
/** The row becomes the message; copying it would cost more than reading it did. */
const fromRow = (row: MessageRow): Message =>
  Object.assign(row, { pinned: row.pinned === 1, recipient: `+${row.recipient}` })

/** What an event of a message is made from. */
type Trace = Pick<Message, 'seq' | 'environmentId' | 'deviceId' | 'version'>
const trace = raw(`seq, environment_id AS "environmentId", device_id AS "deviceId", version`)

function tell(tx: Transaction, status: Status, of: Trace, data?: Record<string, unknown>): void {
  const type: EventType = `message.${status}`
  tx.journal({
    environmentId: of.environmentId,
    type,
    messageSeq: of.seq,
    deviceId: of.deviceId,
    n: of.version,
    ...(data && { data }),
  })
}

/** A number in international format has at most 15 digits, which a number holds exactly. */
const digitsOf = (number: string) => Number(number.slice(1))

export const accept: Verb<readonly NewMessage[], void> = async (tx, batches) => {
  const items = batches.flat().map(message => {
    const { environmentId, deviceId, parts, pinned } = message
    const seq = tx.journal({ environmentId, type: 'message.queued', messageSeq: 'self', deviceId, n: 1 })
    tx.queued(deviceId, 1, parts, pinned)
    return {
      seq,
      id: message.id,
      environment_id: environmentId,
      batch_id: message.batchId,
      device_id: deviceId,
      pinned,
      recipient: digitsOf(message.recipient),
      text: message.text,
      media_url: message.mediaUrl,
      sim_slot: message.simSlot,
      parts,
      status: 'queued',
      created_at: tx.now,
      expires_at: message.expiresAt,
      due_at: message.expiresAt,
    }
  })
  const columns = {
    seq: 'bigint',
    id: 'text',
    environment_id: 'bigint',
    batch_id: 'text',
    device_id: 'text',
    pinned: 'bigint',
    recipient: 'bigint',
    text: 'text',
    media_url: 'text',
    sim_slot: 'bigint',
    parts: 'bigint',
    status: 'text',
    created_at: 'bigint',
    expires_at: 'bigint',
    due_at: 'bigint',
  } as const
  await tx.all(sql`INSERT INTO messages ${values(columns, items)}`)
  return batches.map(() => undefined)
}

export const claim: Verb<{ deviceId: string; limit: number }, Claim> = (tx, asked) =>
  Promise.all(asked.map(({ deviceId, limit }) => claimFor(tx, deviceId, limit)))

type Claimer = Limits & { paused: number; removed: number; pace: string }

async function claimFor(tx: Transaction, deviceId: string, limit: number): Promise<Claim> {
  const [[device], waiting] = await Promise.all([
    tx.all<Claimer>(sql`
      SELECT d.per_minute AS "perMinute", d.per_day AS "perDay", d.paused, d.removed_at IS NOT NULL AS removed, l.pace
      FROM devices d JOIN loads l ON l.device_id = d.id WHERE d.id = ${deviceId}`),
    tx.all<MessageRow>(sql`
      SELECT ${columns} FROM messages
      WHERE device_id = ${deviceId} AND status = 'queued' AND held = 0 AND expires_at > ${tx.now}
      ORDER BY seq LIMIT ${limit}`),
  ])
  if (!device || device.paused || device.removed || waiting.length === 0)
    return { messages: [], retryAt: null }
  const { count, pace, retryAt } = within(device, waiting, tx.now)
  const messages = waiting.slice(0, count).map(row => handOver(fromRow(row), tx.now))
  if (count === 0) return { messages, retryAt }
  await tx.all(sql`
    UPDATE messages SET status = 'sending', handed_at = ${tx.now}, attempts = attempts + 1, version = version + 1
    ${from(
      { message_seq: 'bigint' },
      messages.map(({ seq }) => ({ message_seq: seq })),
    )}
    WHERE seq = r.message_seq AND status = 'queued'`)
  if (pace) await tx.all(sql`UPDATE loads SET pace = ${pace} WHERE device_id = ${deviceId}`)
  for (const message of messages) {
    tx.queued(deviceId, -1, message.parts, message.pinned)
    tell(tx, 'sending', message, { attempt: message.attempts })
  }
  return { messages, retryAt }
}

const handOver = (message: Message, now: number): Message =>
  Object.assign(message, {
    status: 'sending',
    handedAt: now,
    attempts: message.attempts + 1,
    version: message.version + 1,
  })

/** How many of the waiting messages the device's pace allows now. The first that does not fit holds up the rest. */
function within(device: Claimer, waiting: readonly { parts: number }[], now: number) {
  if (device.perMinute === null && device.perDay === null)
    return { count: waiting.length, pace: null, retryAt: null }
  let pace = JSON.parse(device.pace) as Pace
  let count = 0
  for (const { parts } of waiting) {
    if (!mayHand(device, pace, parts, now))
      return { count, pace: JSON.stringify(pace), retryAt: nextChance(device, pace, parts, now) }
    pace = afterHanding(pace, parts, now)
    count += 1
  }
  return { count, pace: JSON.stringify(pace), retryAt: null }
}

export const release: Verb<Message, void> = async (tx, messages) => {
  const back = await tx.all<Trace & { parts: number; pinned: number }>(sql`
    UPDATE messages SET status = 'queued', handed_at = NULL, version = version + 1
    ${from(
      { message_seq: 'bigint', attempt: 'bigint' },
      messages.map(({ seq, attempts }) => ({ message_seq: seq, attempt: attempts })),
    )}
    WHERE messages.seq = r.message_seq AND messages.attempts = r.attempt AND messages.status = 'sending'
    RETURNING ${trace}, parts, pinned`)
  for (const message of back) {
    tx.queued(message.deviceId, 1, message.parts, message.pinned === 1)
    tell(tx, 'queued', message, { reason: 'link_down' })
  }
  return messages.map(() => undefined)
}

export const record: Verb<Receipt, boolean> = async (tx, receipts) => {
  const moved = receipts.map(() => false)
  let rest = receipts.map((receipt, index) => ({ receipt, index }))
  // A statement may meet each message once: a second receipt for the same one waits for the next wave.
  while (rest.length > 0) {
    const wave = new Map<string, { receipt: Receipt; index: number }>()
    const later: typeof rest = []
    for (const item of rest) {
      if (wave.has(item.receipt.messageId)) later.push(item)
      else wave.set(item.receipt.messageId, item)
    }
    const alike = Map.groupBy(wave.values(), ({ receipt }) => receipt.outcome)
    for (const [outcome, items] of alike) {
      const found = items.map(({ receipt }) => receipt)
      for (const id of await recordAlike(tx, outcome, found)) moved[wave.get(id)!.index] = true
    }
    rest = later
  }
  return moved
}

/** What each outcome notes beside the state. The first time stands: a later receipt may repeat an earlier state. */
const times: Record<Outcome, string> = {
  sent: 'sent_at = COALESCE(sent_at, r.at)',
  delivered: 'sent_at = COALESCE(sent_at, r.at), delivered_at = COALESCE(delivered_at, r.at)',
  read: 'sent_at = COALESCE(sent_at, r.at), delivered_at = COALESCE(delivered_at, r.at), read_at = COALESCE(read_at, r.at)',
  failed: 'sent_at = sent_at',
  canceled: 'sent_at = sent_at',
}

type Recorded = Trace & { id: string; parts: number; pinned: number }

/** Returns the ids of the messages that moved. */
async function recordAlike(
  tx: Transaction,
  outcome: Outcome,
  receipts: readonly Receipt[],
): Promise<string[]> {
  const move = async (of: readonly Receipt[], sources: readonly Status[]): Promise<Recorded[]> =>
    await tx.all<Recorded>(sql`
      UPDATE messages SET status = ${varying(`'${outcome}'`)}, version = version + 1, due_at = NULL,
        ${varying(times[outcome])}, error_code = r.error_code, error_detail = r.error_detail
      ${from(
        { message_id: 'text', sender_id: 'text', at: 'bigint', error_code: 'text', error_detail: 'text' },
        of.map(({ messageId, deviceId, at, error }) => ({
          message_id: messageId,
          sender_id: deviceId,
          at,
          error_code: error?.code ?? null,
          error_detail: error?.detail ?? null,
        })),
      )}
      WHERE id = r.message_id AND device_id = r.sender_id AND status IN (${words(sources)})
      RETURNING ${trace}, id, parts, pinned`)
  const sources = sourcesOf(outcome)
  const done = new Map(
    (
      await move(
        receipts,
        sources.filter(status => status !== 'queued'),
      )
    ).map(message => [message.id, message]),
  )
  if (done.size < receipts.length && sources.includes('queued')) {
    // Nearly always late or repeated news. But if a device says it sent what we believe is waiting, it is believed.
    const left = receipts.filter(({ messageId }) => !done.has(messageId))
    for (const message of await move(left, ['queued'])) {
      tx.queued(message.deviceId, -1, message.parts, message.pinned === 1)
      done.set(message.id, message)
    }
  }
  for (const { messageId, at, error } of receipts) {
    const message = done.get(messageId)
    if (message) tell(tx, outcome, message, { at, ...(error && { error }) })
  }
  return [...done.keys()]
}

type Ended = Trace & { parts: number; pinned: number; held: number }

export const expire: Verb<number, number> = async (tx, limits) => {
  const counts: number[] = []
  for (const limit of limits) {
    const expired = await tx.all<Ended>(sql`
      UPDATE messages SET status = 'expired', due_at = NULL, version = version + 1, error_code = 'expired',
        error_detail = ${meaningOf('expired').detail}
      WHERE seq IN (
        SELECT seq FROM messages WHERE due_at <= ${tx.now} AND status = 'queued' ORDER BY due_at LIMIT ${limit})
      RETURNING ${trace}, parts, pinned, held`)
    for (const message of expired) {
      if (!message.held) tx.queued(message.deviceId, -1, message.parts, message.pinned === 1)
      tell(tx, 'expired', message)
    }
    const unknown = await tx.all<Ended>(sql`
      UPDATE messages SET status = 'unknown', due_at = NULL, version = version + 1, error_code = 'no_answer',
        error_detail = ${meaningOf('no_answer').detail}
      WHERE seq IN (
        SELECT seq FROM messages WHERE due_at <= ${tx.now} AND status = 'sending' ORDER BY due_at LIMIT ${limit - expired.length})
      RETURNING ${trace}`)
    for (const message of unknown) tell(tx, 'unknown', message)
    counts.push(expired.length + unknown.length)
  }
  return counts
}

export const transfer: Verb<readonly Transfer[], void> = async (tx, batches) => {
  const transfers = batches.flat()
  const moved = await tx.all<Trace & { id: string }>(sql`
    UPDATE messages SET device_id = r.receiver, parts = r.new_parts, version = version + 1
    ${from(
      { message_id: 'text', giver: 'text', receiver: 'text', new_parts: 'bigint' },
      transfers.map(({ messageId, from, to, parts }) => ({
        message_id: messageId,
        giver: from,
        receiver: to,
        new_parts: parts,
      })),
    )}
    WHERE messages.id = r.message_id AND messages.device_id = r.giver AND messages.status = 'queued' AND messages.pinned = 0 AND messages.held = 0
    RETURNING ${trace}, id`)
  const wanted = new Map(transfers.map(item => [item.messageId, item]))
  for (const message of moved) {
    const { from, to, parts, oldParts, reason } = wanted.get(message.id)!
    tx.queued(from, -1, oldParts, false)
    tx.queued(to, 1, parts, false)
    tell(tx, 'queued', message, { reason, from })
  }
  return batches.map(() => undefined)
}

export const abandon: Verb<{ deviceId: string; limit: number }, number> = async (tx, asked) => {
  const counts: number[] = []
  for (const { deviceId, limit } of asked) {
    const failed = await tx.all<Ended>(sql`
      UPDATE messages SET status = 'failed', due_at = NULL, version = version + 1, error_code = 'device_removed',
        error_detail = ${meaningOf('device_removed').detail}
      WHERE seq IN (
        SELECT seq FROM messages
        WHERE device_id = ${deviceId} AND status = 'queued' AND held = 0
          AND pinned = 1
        ORDER BY seq LIMIT ${limit})
      RETURNING ${trace}, parts, pinned, held`)
    for (const message of failed) {
      tx.queued(deviceId, -1, message.parts, true)
      tell(tx, 'failed', message, { error: { code: 'device_removed' } })
    }
    const unknown = await tx.all<Trace>(sql`
      UPDATE messages SET status = 'unknown', due_at = NULL, version = version + 1, error_code = 'no_answer',
        error_detail = ${meaningOf('no_answer').detail}
      WHERE seq IN (
        SELECT seq FROM messages
        WHERE device_id = ${deviceId} AND status = 'sending' AND held = 0
        ORDER BY seq LIMIT ${limit - failed.length})
      RETURNING ${trace}`)
    for (const message of unknown) tell(tx, 'unknown', message, { error: { code: 'no_answer' } })
    counts.push(failed.length + unknown.length)
  }
  return counts
}

export const unhold: Verb<number, number> = async (tx, limits) => {
  const counts: number[] = []
  for (const limit of limits) {
    const freed = await tx.all<{ deviceId: string; status: Status; parts: number; pinned: number }>(sql`
      UPDATE messages SET held = 0 WHERE seq IN (SELECT seq FROM messages WHERE held = 1 ORDER BY seq LIMIT ${limit})
      RETURNING device_id AS "deviceId", status, parts, pinned`)
    for (const { deviceId, status, parts, pinned } of freed)
      if (status === 'queued') tx.queued(deviceId, 1, parts, pinned === 1)
    counts.push(freed.length)
  }
  return counts
}

export async function message(
  connection: Sql,
  environmentId: number,
  id: string,
): Promise<Message | undefined> {
  const [row] = await connection.all<MessageRow>(
    sql`SELECT ${columns} FROM messages WHERE id = ${id} AND environment_id = ${environmentId}`,
  )
  return row && fromRow(row)
}

export async function unanswered(
  connection: Sql,
  deviceId: string,
  afterSeq: number,
  limit: number,
): Promise<Message[]> {
  const found = await connection.all<MessageRow>(sql`
    SELECT ${columns} FROM messages
    WHERE device_id = ${deviceId} AND status = 'sending' AND held = 0
      AND seq > ${afterSeq}
    ORDER BY seq LIMIT ${limit}`)
  return found.map(fromRow)
}

export async function movable(connection: Sql, deviceId: string, limit: number): Promise<Message[]> {
  const found = await connection.all<MessageRow>(sql`
    SELECT ${columns} FROM messages
    WHERE device_id = ${deviceId} AND status = 'queued' AND held = 0
      AND pinned = 0
    ORDER BY seq LIMIT ${limit}`)
  return found.map(fromRow)
}

export async function heldCount(connection: Sql): Promise<number> {
  const [row] = await connection.all<{ count: number }>(
    sql`SELECT COUNT(*) AS count FROM messages WHERE held = 1`,
  )
  return row!.count
}

export async function oldestWaiting(connection: Sql): Promise<{ deviceId: string; createdAt: number }[]> {
  return await connection.all(sql`
    SELECT l.device_id AS "deviceId", (
      SELECT created_at FROM messages
      WHERE messages.device_id = l.device_id AND status = 'queued' AND held = 0
      ORDER BY seq LIMIT 1) AS "createdAt"
    FROM loads l WHERE l.waiting > 0`)
}

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
      SELECT seq FROM messages
      WHERE recipient = r.digits AND environment_id = r.environment AND created_at >= r.since
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
