/** What devices report: each receipt moves its message forward, or does nothing. */

import type { DeviceTimes, Outcome, Receipt } from '../../core/messages/message.ts'
import { sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import type { Verb } from '../engine/verb.ts'
import { move } from './move.ts'

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
      if (outcome === 'taken') continue
      const found = items.map(({ receipt }) => receipt)
      for (const id of await recordAlike(tx, outcome, found)) moved[wave.get(id)!.index] = true
    }
    rest = later
  }
  await keepTimes(
    tx,
    receipts.filter(({ times }) => times !== undefined),
  )
  return moved
}

/** Keeps the device's own times, of each state the earliest, whatever order the reports come in. */
async function keepTimes(tx: Transaction, receipts: readonly Receipt[]): Promise<void> {
  const keep = async (messageId: string, same: readonly Receipt[]) => {
    const { deviceId } = same[0]!
    const [row] = await tx.all<{ reported: string | null }>(
      sql`SELECT reported FROM messages WHERE id = ${messageId} AND device_id = ${deviceId}`,
    )
    if (!row) return
    const known: DeviceTimes = row.reported === null ? {} : JSON.parse(row.reported)
    for (const { times = {} } of same)
      for (const [state, at] of Object.entries(times) as [keyof DeviceTimes, number][])
        known[state] = Math.min(known[state] ?? at, at)
    const reported = JSON.stringify(known)
    if (reported === row.reported) return
    tx.write(sql`UPDATE messages SET reported = ${reported} WHERE id = ${messageId}`)
    // The phone's radio has it: it is too late to cancel.
    if (known.processed !== undefined)
      tx.write(sql`UPDATE messages SET cancel_asked = 0 WHERE id = ${messageId} AND cancel_asked = 1`)
  }
  const byMessage = Map.groupBy(receipts, ({ messageId, deviceId }) => `${messageId} ${deviceId}`)
  await Promise.all([...byMessage.values()].map(same => keep(same[0]!.messageId, same)))
}

/** What each outcome notes beside the state. The first time stands: a later receipt may repeat an earlier state. */
const times: Record<Outcome, string> = {
  sent: 'sent_at = COALESCE(sent_at, r.at)',
  delivered: 'sent_at = COALESCE(sent_at, r.at), delivered_at = COALESCE(delivered_at, r.at)',
  read: 'sent_at = COALESCE(sent_at, r.at), delivered_at = COALESCE(delivered_at, r.at), read_at = COALESCE(read_at, r.at)',
  failed: 'sent_at = sent_at',
  canceled: 'sent_at = sent_at',
}

/** Of phones: each says what it did itself. */
const anyEpoch = Number.MAX_SAFE_INTEGER

/** Returns the ids of the messages that moved. */
async function recordAlike(
  tx: Transaction,
  outcome: Outcome,
  receipts: readonly Receipt[],
): Promise<string[]> {
  const byId = new Map(receipts.map(receipt => [receipt.messageId, receipt]))
  // A device that says it sent what we believe is waiting is believed: else it would be sent twice.
  const moved = await move(tx, {
    to: outcome,
    columns: {
      message_id: 'text',
      sender_id: 'text',
      at: 'bigint',
      error_code: 'text',
      error_detail: 'text',
      epoch: 'bigint',
    },
    items: receipts.map(({ messageId, deviceId, at, error, epoch }) => ({
      message_id: messageId,
      sender_id: deviceId,
      at,
      error_code: error?.code ?? null,
      error_detail: error?.detail ?? null,
      epoch: epoch ?? anyEpoch,
    })),
    // The fence: a link that another node has taken over says nothing about what was claimed since.
    match: `messages.id = r.message_id AND messages.device_id = r.sender_id
      AND (messages.registration IS NULL OR messages.registration <= r.epoch)`,
    set: `${times[outcome]}, error_code = r.error_code, error_detail = r.error_detail`,
    data: ({ id }) => {
      const { at, error } = byId.get(id)!
      return { at, ...(error && { error }) }
    },
  })
  return moved.map(({ id }) => id)
}
