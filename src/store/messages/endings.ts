/** Ends that no device reports: validity that ran out, devices that are gone. */

import { meaningOf, type Status } from '../../core/messages/message.ts'
import { sql, varying } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { failing, move } from './move.ts'

export const expire: Verb<number, number> = each(async (tx, limit) => {
  const late = await overdue(tx, 'queued', limit)
  const expired = await move(tx, {
    to: 'expired',
    only: ['queued'],
    ...failing(late, 'expired', meaningOf('expired').detail),
  })
  const silent = await overdue(tx, 'sending', limit - expired.length)
  const unknown = await move(tx, { to: 'unknown', ...failing(silent, ...noAnswer) })
  return expired.length + unknown.length
})

const noAnswer = ['no_answer', meaningOf('no_answer').detail] as const

async function overdue(tx: Transaction, status: 'queued' | 'sending', limit: number): Promise<number[]> {
  const found = await tx.all<{ seq: number }>(sql`
    SELECT seq FROM messages WHERE due_at <= ${tx.now} AND status = ${varying(`'${status}'`)}
    ORDER BY due_at LIMIT ${limit}`)
  return found.map(({ seq }) => seq)
}

export const abandon: Verb<{ deviceId: string; limit: number }, number> = each(
  async (tx, { deviceId, limit }) => {
    let count = 0
    // What was meant for this device by name, and no device has.
    for (const status of ['queued', 'scheduled'] as const) {
      const pinned = await waitingAt(tx, deviceId, status, limit - count, 'AND pinned = 1')
      const failed = await move(tx, {
        to: 'failed',
        only: [status],
        ...failing(pinned, 'device_removed', meaningOf('device_removed').detail),
        data: () => ({ error: { code: 'device_removed' } }),
      })
      count += failed.length
    }
    const silent = await waitingAt(tx, deviceId, 'sending', limit - count)
    const unknown = await move(tx, {
      to: 'unknown',
      ...failing(silent, ...noAnswer),
      data: () => ({ error: { code: 'no_answer' } }),
    })
    return count + unknown.length
  },
)

async function waitingAt(
  tx: Transaction,
  deviceId: string,
  status: Status,
  limit: number,
  condition = '',
): Promise<number[]> {
  const found = await tx.all<{ seq: number }>(sql`
    SELECT seq FROM messages
    WHERE device_id = ${deviceId} AND status = ${varying(`'${status}'`)} AND held = 0 ${varying(condition)}
    ORDER BY seq LIMIT ${limit}`)
  return found.map(({ seq }) => seq)
}
