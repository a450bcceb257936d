/** What a number may be handed that must not send too eagerly: seldom, unevenly, and to few strangers a day. */

import { afterHanding, type Limits, mayHand, nextChance, type Pace } from '../../core/devices/pace.ts'
import { gapMs, limitsOf, newChatsAt, newChatsLeft, type Safety } from '../../core/devices/sending-safety.ts'
import { raw, type Sql, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { columns, type MessageRow, recipientOf } from './message-row.ts'

/** The messages to hand over now; the new pace, if it changed; when to ask again. */
export type Picked = { taken: readonly MessageRow[]; pace: string | null; retryAt: number | null }

type CarefulDevice = Limits & {
  id: string
  environmentId: number
  safety: Safety
  restrictedUntil: number | null
  createdAt: number
  pace: string
}

/** Messages to strangers wait while there may be no more of them; those behind go ahead. */
export async function pickCarefully(
  tx: Transaction,
  device: CarefulDevice,
  waiting: readonly MessageRow[],
  { limit, except }: { limit: number; except: readonly number[] },
): Promise<Picked> {
  const { now } = tx
  const limits = limitsOf(device, now)
  const taken: MessageRow[] = []
  let pace = JSON.parse(device.pace) as Pace
  let retryAt: number | null = null
  let mustWait = false
  const known = new Set<number>()
  const offer = async (row: MessageRow) => {
    const isNew = !known.has(row.recipient) && !(await knows(tx, device, row.recipient))
    if (isNew && newChatsLeft(device, pace, now) === 0) {
      mustWait = true
      return
    }
    known.add(row.recipient)
    taken.push(row)
    pace = afterHanding(pace, row.parts, now, isNew)
    const gap = gapMs(device.safety)
    if (gap > 0) pace = { ...pace, restUntil: now + gap }
  }
  const rests = (row: MessageRow) => {
    const restUntil = Math.max(pace.restUntil ?? 0, pace.heldUntil ?? 0)
    if (restUntil > now) retryAt = restUntil
    else if (!mayHand(limits, pace, row.parts, now)) retryAt = nextChance(limits, pace, row.parts, now)
    return retryAt !== null
  }
  for (const row of waiting) {
    if (rests(row)) break
    await offer(row)
  }
  if (taken.length === 0 && mustWait && retryAt === null && waiting.length === limit) {
    // Only new chats at the head of the queue: look for a known recipient further back.
    const friend = await firstFriend(tx, device, now)
    if (friend && !except.includes(friend.seq)) await offer(friend)
  }
  if (mustWait && retryAt === null) retryAt = newChatsAt(device, now)
  return { taken, pace: taken.length > 0 ? JSON.stringify(pace) : null, retryAt }
}

type Chat = { id: string; environmentId: number }

/** Whether they wrote to this number, or it to them. */
export async function knows(
  connection: Sql,
  { id, environmentId }: Chat,
  recipient: number,
): Promise<boolean> {
  const [row] = await connection.all<{ known: number }>(sql`
    SELECT 1 AS known WHERE
      EXISTS (SELECT 1 FROM received WHERE device_id = ${id} AND sender = ${recipientOf(recipient)})
      OR EXISTS (SELECT 1 FROM messages WHERE recipient = ${recipient} AND environment_id = ${environmentId}
        AND device_id = ${id} AND (sent_at IS NOT NULL OR status = 'sending'))`)
  return row !== undefined
}

/** The same for each row of `messages`: its recipient and its device know each other. */
export const isFriend = `(
  EXISTS (SELECT 1 FROM received r WHERE r.device_id = messages.device_id AND r.sender =
    CASE WHEN messages.recipient < 0 THEN (-messages.recipient) || '@lid' ELSE '+' || messages.recipient END)
  OR EXISTS (SELECT 1 FROM messages m WHERE m.recipient = messages.recipient
    AND m.environment_id = messages.environment_id AND m.device_id = messages.device_id
    AND (m.sent_at IS NOT NULL OR m.status = 'sending')))`

async function firstFriend(connection: Sql, { id }: Chat, now: number): Promise<MessageRow | undefined> {
  const [row] = await connection.all<MessageRow>(sql`
    SELECT ${columns} FROM messages
    WHERE device_id = ${id} AND status = 'queued' AND held = 0 AND expires_at > ${now} AND ${raw(isFriend)}
    ORDER BY seq LIMIT 1`)
  return row
}
