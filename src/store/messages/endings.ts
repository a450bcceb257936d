/** Ends that no device reports: validity that ran out, devices that are gone. */

import { meaningOf } from '../../core/messages/message.ts'
import { sql, varying } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import type { Verb } from '../engine/verb.ts'
import { type Trace, tell, trace } from './message-row.ts'

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

export const abandon: Verb<{ deviceId: string; limit: number }, number> = async (tx, asked) => {
  const counts: number[] = []
  for (const { deviceId, limit } of asked) {
    const queued = await failPinned(tx, deviceId, 'queued', limit)
    for (const { parts } of queued) tx.queued(deviceId, -1, parts, true)
    const scheduled = await failPinned(tx, deviceId, 'scheduled', limit - queued.length)
    const failed = queued.length + scheduled.length
    const unknown = await tx.all<Trace>(sql`
      UPDATE messages SET status = 'unknown', due_at = NULL, version = version + 1, error_code = 'no_answer',
        error_detail = ${meaningOf('no_answer').detail}
      WHERE seq IN (
        SELECT seq FROM messages
        WHERE device_id = ${deviceId} AND status = 'sending' AND held = 0
        ORDER BY seq LIMIT ${limit - failed})
      RETURNING ${trace}`)
    for (const message of unknown) tell(tx, 'unknown', message, { error: { code: 'no_answer' } })
    counts.push(failed + unknown.length)
  }
  return counts
}

/** What was meant for this device by name, and no device has. */
async function failPinned(
  tx: Transaction,
  deviceId: string,
  status: 'queued' | 'scheduled',
  limit: number,
): Promise<Ended[]> {
  const failed = await tx.all<Ended>(sql`
    UPDATE messages SET status = 'failed', due_at = NULL, version = version + 1, error_code = 'device_removed',
      error_detail = ${meaningOf('device_removed').detail}
    WHERE seq IN (
      SELECT seq FROM messages
      WHERE device_id = ${deviceId} AND status = ${varying(`'${status}'`)} AND held = 0
        AND pinned = 1
      ORDER BY seq LIMIT ${limit})
    RETURNING ${trace}, parts, pinned, held`)
  for (const message of failed) tell(tx, 'failed', message, { error: { code: 'device_removed' } })
  return failed
}
