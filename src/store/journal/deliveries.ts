/** The outcome of each event at each address. */

import type { Attempt, Delivery, DeliveryRecord, DeliveryState } from '../../core/webhooks/webhook.ts'
import type { DeliveryFilter } from '../../core/webhooks/webhook-store.ts'
import { raw, type Sql, sql, values, varying } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'

const names = `webhook_id AS "webhookId", event_seq AS "eventSeq", state, attempts, due_at AS "dueAt",
  tried_at AS "triedAt", log`
const columns = raw(names)
const columnsAndType = raw(`${names}, (SELECT type FROM events WHERE seq = event_seq) AS "eventType"`)

type Row<Shape extends Delivery> = Omit<Shape, 'log'> & { log: string }
const fromRow = <Shape extends Delivery>(row: Row<Shape>) => ({
  ...row,
  log: JSON.parse(row.log) as Attempt[],
})

export function writeDeliveries(tx: Transaction, webhookId: string, deliveries: readonly Delivery[]): void {
  if (deliveries.length === 0) return
  const items = deliveries.map(({ eventSeq, state, attempts, dueAt, triedAt, log }) => ({
    event_seq: eventSeq,
    state,
    attempts,
    due_at: dueAt,
    tried_at: triedAt,
    log: JSON.stringify(log),
  }))
  const types = {
    event_seq: 'bigint',
    state: 'text',
    attempts: 'bigint',
    due_at: 'bigint',
    tried_at: 'bigint',
    log: 'text',
  } as const
  tx.write(sql`
    INSERT INTO deliveries ${values(types, items, { webhook_id: webhookId })}
    ON CONFLICT (webhook_id, event_seq) DO UPDATE SET state = excluded.state, attempts = excluded.attempts,
      due_at = excluded.due_at, tried_at = excluded.tried_at, log = excluded.log`)
}

/** Those that are to be tried again by now, the most overdue first. */
export async function dueDeliveries(
  connection: Sql,
  webhookId: string,
  now: number,
  limit: number,
): Promise<Delivery[]> {
  const found = await connection.all<Row<Delivery>>(sql`
    SELECT ${columns} FROM deliveries WHERE webhook_id = ${webhookId} AND due_at IS NOT NULL AND due_at <= ${now}
    ORDER BY due_at LIMIT ${limit}`)
  return found.map(fromRow)
}

/** When the next one is to be tried. */
export async function nextDelivery(connection: Sql, webhookId: string): Promise<number | undefined> {
  const [row] = await connection.all<{ at: number }>(sql`
    SELECT due_at AS at FROM deliveries WHERE webhook_id = ${webhookId} AND due_at IS NOT NULL
    ORDER BY due_at LIMIT 1`)
  return row?.at
}

export async function delivery(
  connection: Sql,
  webhookId: string,
  eventSeq: number,
): Promise<DeliveryRecord | undefined> {
  const [row] = await connection.all<Row<DeliveryRecord>>(sql`
    SELECT ${columnsAndType} FROM deliveries WHERE webhook_id = ${webhookId} AND event_seq = ${eventSeq}`)
  return row && fromRow(row)
}

/** Newest event first. */
export async function deliveries(
  connection: Sql,
  webhookId: string,
  { limit, beforeSeq = Number.MAX_SAFE_INTEGER, state }: DeliveryFilter,
): Promise<DeliveryRecord[]> {
  const found =
    state === undefined
      ? await connection.all<Row<DeliveryRecord>>(sql`
          SELECT ${columnsAndType} FROM deliveries WHERE webhook_id = ${webhookId} AND event_seq < ${beforeSeq}
          ORDER BY event_seq DESC LIMIT ${limit}`)
      : await connection.all<Row<DeliveryRecord>>(sql`
          SELECT ${columnsAndType} FROM deliveries
          WHERE webhook_id = ${webhookId} AND event_seq < ${beforeSeq} AND ${inState(state)}
          ORDER BY event_seq DESC LIMIT ${limit}`)
  return found.map(fromRow)
}

/** Must match the condition of the partial index on undelivered rows exactly. */
const inState = (state: DeliveryState) =>
  varying(state === 'delivered' ? `state = 'delivered'` : `state <> 'delivered' AND state = '${state}'`)

/** Delivers an event once more, now. */
export const redeliver: Verb<{ webhookId: string; eventSeq: number }, void> = each(
  async (tx, { webhookId, eventSeq }) => {
    await leaveNoRest(tx, webhookId)
    await tx.all(sql`
    INSERT INTO deliveries (webhook_id, event_seq, state, attempts, due_at, log)
    VALUES (${webhookId}, ${eventSeq}, 'pending', 0, ${tx.now}, '[]')
    ON CONFLICT (webhook_id, event_seq) DO UPDATE SET state = 'pending', attempts = 0, due_at = excluded.due_at`)
  },
)

/** Ends the backoff: a delivery was requested by hand, so the fault is probably fixed. */
export async function leaveNoRest(tx: Transaction, webhookId: string): Promise<void> {
  await tx.all(sql`UPDATE webhooks SET rests_until = NULL WHERE id = ${webhookId}`)
}

/** Deletes the outcomes of old events, unless they are still being retried. Returns how many. */
export const forgetDeliveries: Verb<{ before: number; limit: number }, number> = each(
  async (tx, { before, limit }) => {
    const gone = await tx.all(sql`
    DELETE FROM deliveries WHERE (webhook_id, event_seq) IN (
      SELECT webhook_id, event_seq FROM deliveries WHERE due_at IS NULL AND tried_at < ${before}
      ORDER BY tried_at LIMIT ${limit})
    RETURNING 1 AS gone`)
    return gone.length
  },
)
