/** Handing messages to devices, within their pace. */

import { type DeviceKind, type Driver, kindOf, safetyOf } from '../../core/devices/kinds/kinds.ts'
import {
  afterHanding,
  beforeHanding,
  isOfDay,
  type Limits,
  mayHand,
  nextChance,
  type Pace,
} from '../../core/devices/pace.ts'
import type { Message } from '../../core/messages/message.ts'
import type { Claim } from '../../core/messages/message-store.ts'
import { deviceLease } from '../../core/nodes/lease.ts'
import { type Sql, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { columns, digitsOf, fromRow, type MessageRow } from './message-row.ts'
import { move, moveQueued } from './move.ts'
import { knows, type Picked, pickCarefully } from './safe-claims.ts'

/** Devices do not concern each other, but two claims for the same one must see what the other took. */
export const claim: Verb<Wanted, Claim> = (tx, asked) =>
  inTurn(asked, wanted => claimFor(tx, wanted, wanted.epoch, () => tx.now))

/** How many at most, and which not: those rest for a while. */
type Wanted = { deviceId: string; epoch: number; limit: number; except: readonly number[] }

export const pull: Verb<Pull, Claim | undefined> = (tx, asked) => inTurn(asked, one => pullOne(tx, one))

type Pull = { deviceId: string; registration: number; limit: number }

function inTurn<Asked extends { deviceId: string }, Answer>(
  asked: readonly Asked[],
  work: (one: Asked) => Promise<Answer>,
): Promise<Answer[]> {
  const lines = new Map<string, Promise<unknown>>()
  return Promise.all(
    asked.map(one => {
      const before = lines.get(one.deviceId)
      const mine = before ? before.then(() => work(one)) : work(one)
      lines.set(one.deviceId, mine)
      return mine
    }),
  )
}

async function pullOne(tx: Transaction, { deviceId, registration, limit }: Pull): Promise<Claim | undefined> {
  const [phone] = await tx.all<{ registration: number; handedAt: number }>(
    sql`SELECT registration, handed_at AS "handedAt" FROM phones WHERE device_id = ${deviceId}`,
  )
  // Looked at within the transaction: a phone that was replaced a moment ago must not take what its successor is given.
  if (phone?.registration !== registration) return undefined
  let last = phone.handedAt
  // The app sorts by this time, so each message has a later one than all before it, even if the clock is set back.
  const claimed = await claimFor(tx, { deviceId, limit, except: [] }, registration, () => {
    last = Math.max(last + 1, tx.now)
    return last
  })
  if (claimed.messages.length > 0)
    tx.write(sql`UPDATE phones SET handed_at = ${last} WHERE device_id = ${deviceId}`)
  return claimed
}

type Claimer = Limits & {
  environmentId: number
  kind: DeviceKind
  driver: Driver | null
  safety: string
  restrictedUntil: number | null
  createdAt: number
  paused: number
  removed: number
  pace: string
  /** Of the lease that was taken last; null: none ever was. */
  leased: number | null
}

async function claimFor(
  tx: Transaction,
  { deviceId, limit, except, epoch }: Omit<Wanted, 'epoch'> & Partial<Wanted>,
  /** What is noted of the claim: the lease's epoch, or the phone's registration. */
  registration: number,
  nextTime: () => number,
): Promise<Claim> {
  const [[device], queued] = await Promise.all([
    tx.all<Claimer>(sql`
      SELECT d.environment_id AS "environmentId", d.kind, d.driver, d.per_minute AS "perMinute", d.per_day AS "perDay",
        d.caution AS safety, d.restricted_until AS "restrictedUntil", d.created_at AS "createdAt", d.paused,
        d.removed_at IS NOT NULL AS removed, l.pace,
        (SELECT leases.epoch FROM leases WHERE leases.name = ${deviceLease(deviceId)}) AS leased
      FROM devices d JOIN loads l ON l.device_id = d.id WHERE d.id = ${deviceId}`),
    tx.all<MessageRow>(sql`
      SELECT ${columns} FROM messages
      WHERE device_id = ${deviceId} AND status = 'queued' AND held = 0 AND expires_at > ${tx.now}
      ORDER BY seq LIMIT ${limit + except.length}`),
  ])
  const waiting = queued.filter(({ seq }) => !except.includes(seq)).slice(0, limit)
  if (!device || device.paused || device.removed || waiting.length === 0)
    return { messages: [], retryAt: null }
  // Another node took the link: whoever asks here has slept.
  if (epoch !== undefined && epoch !== (device.leased ?? 0)) return { messages: [], retryAt: null }
  const safety = safetyOf(kindOf(device), JSON.parse(device.safety))
  const { taken, pace, retryAt } = safety
    ? await pickCarefully(tx, { ...device, id: deviceId, safety }, waiting, { limit, except })
    : within(device, waiting, tx.now)
  const messages = taken.map(row => handOver(fromRow(row), nextTime(), registration))
  if (messages.length === 0) return { messages, retryAt }
  const attempts = new Map(messages.map(({ seq, attempts }) => [seq, attempts]))
  moveQueued(
    tx,
    {
      to: 'sending',
      columns: { message_seq: 'bigint', moment: 'bigint', at_registration: 'bigint' },
      items: messages.map(({ seq, handedAt }) => ({
        message_seq: seq,
        moment: handedAt,
        at_registration: registration,
      })),
      set: 'handed_at = r.moment, registration = r.at_registration, attempts = attempts + 1',
      data: ({ seq }) => ({ attempt: attempts.get(seq)! }),
    },
    messages,
  )
  if (pace) tx.write(sql`UPDATE loads SET pace = ${pace} WHERE device_id = ${deviceId}`)
  return { messages, retryAt }
}

const handOver = (message: Message, now: number, epoch: number): Message =>
  Object.assign(message, {
    status: 'sending',
    handedAt: now,
    epoch,
    attempts: message.attempts + 1,
    version: message.version + 1,
  })

/** How many of the waiting messages the device's pace allows now. The first that does not fit holds up the rest. */
function within(device: Claimer, waiting: readonly MessageRow[], now: number): Picked {
  if (device.perMinute === null && device.perDay === null)
    return { taken: waiting, pace: null, retryAt: null }
  let pace = JSON.parse(device.pace) as Pace
  for (const [count, { parts }] of waiting.entries()) {
    if (!mayHand(device, pace, parts, now))
      return {
        taken: waiting.slice(0, count),
        pace: JSON.stringify(pace),
        retryAt: nextChance(device, pace, parts, now),
      }
    pace = afterHanding(pace, parts, now)
  }
  return { taken: waiting, pace: JSON.stringify(pace), retryAt: null }
}

export const release: Verb<Message, void> = async (tx, messages) => {
  const back = await move(tx, {
    to: 'queued',
    only: ['sending'],
    columns: { message_seq: 'bigint', attempt: 'bigint', epoch: 'bigint' },
    items: messages.map(({ seq, attempts, epoch }) => ({ message_seq: seq, attempt: attempts, epoch })),
    // Of this very claim. It need not be the newest lease: who says that nothing left is right about it, later too; unless
    // the next holder has offered it to the device again.
    match: `messages.seq = r.message_seq AND messages.attempts = r.attempt
      AND (messages.registration IS NULL OR messages.registration = r.epoch)`,
    set: 'handed_at = NULL',
    data: () => ({ reason: 'link_down' }),
  })
  await refund(
    tx,
    messages.filter(({ seq }) => back.some(message => message.seq === seq)),
  )
  return messages.map(() => undefined)
}

/** Only under the newest lease. */
export const adopt: Verb<{ deviceId: string; epoch: number }, void> = each((tx, { deviceId, epoch }) => {
  tx.write(sql`
    UPDATE messages SET registration = ${epoch}
    WHERE device_id = ${deviceId} AND status = 'sending' AND held = 0
      AND ${epoch} = (SELECT leases.epoch FROM leases WHERE leases.name = ${deviceLease(deviceId)})`)
})

/** A device's pace counts what it was handed; what never left was not. */
async function refund(tx: Transaction, messages: readonly Message[]): Promise<void> {
  for (const [deviceId, same] of Map.groupBy(messages, message => message.deviceId)) {
    const [load] = await tx.all<{ pace: string }>(sql`SELECT pace FROM loads WHERE device_id = ${deviceId}`)
    if (!load) continue
    let after = JSON.parse(load.pace) as Pace
    const strangers = new Set<string>()
    for (const { parts, handedAt, recipient, environmentId } of same) {
      after = beforeHanding(after, parts, handedAt ?? tx.now)
      const chat = { id: deviceId, environmentId }
      // A recipient unknown now was counted as a new chat at the hand-over, once, on that day.
      const counted = after.newChats && !strangers.has(recipient) && isOfDay(after, handedAt ?? tx.now)
      if (counted && !(await knows(tx, chat, digitsOf(recipient))))
        after = { ...after, newChats: after.newChats! - 1 }
      strangers.add(recipient)
    }
    tx.write(sql`UPDATE loads SET pace = ${JSON.stringify(after)} WHERE device_id = ${deviceId}`)
  }
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

export async function unacknowledged(
  connection: Sql,
  deviceId: string,
  registration: number,
  now: number,
  limit: number,
): Promise<Message[]> {
  const found = await connection.all<MessageRow>(sql`
    SELECT ${columns} FROM messages
    WHERE device_id = ${deviceId} AND status = 'sending' AND held = 0
      AND registration = ${registration} AND reported IS NULL AND cancel_asked = 0 AND expires_at > ${now}
    ORDER BY seq LIMIT ${limit}`)
  return found.map(fromRow)
}

export async function slowToAcknowledge(connection: Sql, before: number, now: number): Promise<string[]> {
  const found = await connection.all<{ id: string }>(sql`
    SELECT p.device_id AS id FROM phones p
    WHERE p.registered_at IS NOT NULL AND EXISTS (
      SELECT 1 FROM messages m
      WHERE m.device_id = p.device_id AND m.status = 'sending' AND m.held = 0
        AND m.registration = p.registration AND m.reported IS NULL AND m.cancel_asked = 0
        AND m.handed_at <= ${before} AND m.expires_at > ${now})`)
  return found.map(({ id }) => id)
}
