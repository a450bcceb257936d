/** Addresses that receive events. */

import { randomUUIDv7 } from 'node:crypto'
import { visibilityBits, visibilityFrom } from '../../core/events/visibility.ts'
import { webhookLease } from '../../core/nodes/lease.ts'
import type { DisabledReason, Webhook, WebhookChange, WebhookDraft } from '../../core/webhooks/webhook.ts'
import type { Replay, Settlement } from '../../core/webhooks/webhook-store.ts'
import { raw, type Sql, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { isCurrent } from '../nodes/leases.ts'
import { leaveNoRest, writeDeliveries } from './deliveries.ts'

const columns =
  raw(`id, environment_id AS "environmentId", url, types, device_id AS "deviceId", sight AS visibility, secret,
  previous_secret AS "previousSecret", previous_until AS "previousUntil", position, enabled,
  disabled_reason AS "disabledReason", failing_since AS "failingSince", rests_until AS "restsUntil",
  (SELECT node FROM leases WHERE leases.name = 'webhook:' || webhooks.id) AS "heldBy", created_at AS "createdAt"`)

type WebhookRow = Omit<Webhook, 'types' | 'enabled' | 'visibility'> & {
  types: string | null
  enabled: number
  visibility: number
}
const fromRow = (row: WebhookRow): Webhook => ({
  ...row,
  types: row.types === null ? null : JSON.parse(row.types),
  enabled: row.enabled === 1,
  visibility: visibilityFrom(row.visibility),
})
const typesText = (types: readonly string[] | null) => (types === null ? null : JSON.stringify(types))

export async function allWebhooks(connection: Sql): Promise<Webhook[]> {
  const found = await connection.all<WebhookRow>(
    sql`SELECT ${columns} FROM webhooks WHERE removed = 0 ORDER BY created_at, id`,
  )
  return found.map(fromRow)
}

export async function webhooks(connection: Sql, environmentId: number): Promise<Webhook[]> {
  const found = await connection.all<WebhookRow>(sql`
    SELECT ${columns} FROM webhooks WHERE environment_id = ${environmentId} AND removed = 0 ORDER BY created_at, id`)
  return found.map(fromRow)
}

export async function webhook(
  connection: Sql,
  environmentId: number,
  id: string,
): Promise<Webhook | undefined> {
  const [row] = await connection.all<WebhookRow>(
    sql`SELECT ${columns} FROM webhooks WHERE id = ${id} AND environment_id = ${environmentId} AND removed = 0`,
  )
  return row && fromRow(row)
}

/** It receives events from now on. */
export const addWebhook: Verb<WebhookDraft, Webhook> = each(async (tx, draft) => {
  const [row] = await tx.all<WebhookRow>(sql`
    INSERT INTO webhooks (id, environment_id, url, types, device_id, sight, secret, position, created_at)
    VALUES (${draft.id}, ${draft.environmentId}, ${draft.url}, ${typesText(draft.types)}, ${draft.deviceId},
      ${visibilityBits(draft.visibility)}, ${draft.secret}, ${tx.last}, ${tx.now})
    RETURNING ${columns}`)
  return fromRow(row!)
})

type Named = { environmentId: number; id: string }

export const changeWebhook: Verb<Named & { change: WebhookChange }, Webhook | undefined> = each(
  async (tx, { environmentId, id, change }) => {
    const before = await webhook(tx, environmentId, id)
    if (!before) return undefined
    const after = { ...before, ...change }
    const isBack = after.enabled && !before.enabled
    const isNew = isBack || after.url !== before.url
    const reason: DisabledReason | null = after.enabled ? null : (before.disabledReason ?? 'switched_off')
    // Once enabled again it gets new events only; the time between can be replayed.
    const [row] = await tx.all<WebhookRow>(sql`
    UPDATE webhooks SET url = ${after.url}, types = ${typesText(after.types)}, device_id = ${after.deviceId},
      sight = ${visibilityBits(after.visibility)}, enabled = ${after.enabled}, disabled_reason = ${reason},
      position = ${isBack ? tx.last : before.position},
      failing_since = ${isNew ? null : before.failingSince}, rests_until = ${isNew ? null : before.restsUntil}
    WHERE id = ${id} RETURNING ${columns}`)
    return fromRow(row!)
  },
)

export const rotateWebhook: Verb<Named & { secret: string; previousUntil: number }, Webhook | undefined> =
  each(async (tx, { environmentId, id, secret, previousUntil }) => {
    const [row] = await tx.all<WebhookRow>(sql`
    UPDATE webhooks SET previous_secret = secret, previous_until = ${previousUntil}, secret = ${secret}
    WHERE id = ${id} AND environment_id = ${environmentId} RETURNING ${columns}`)
    return row && fromRow(row)
  })

export const removeWebhook: Verb<Named, boolean> = each(async (tx, { environmentId, id }) => {
  const found = await webhook(tx, environmentId, id)
  if (found) await tx.all(sql`UPDATE webhooks SET removed = 1, enabled = 0, secret = '' WHERE id = ${id}`)
  return found !== undefined
})

/** Clears up after webhooks that were removed, some at a time: a log may be long. Returns how much there was. */
export const clearRemoved: Verb<number, number> = each(async (tx, limit) => {
  const [gone] = await tx.all<{ id: string }>(sql`SELECT id FROM webhooks WHERE removed = 1 LIMIT 1`)
  const cleared = gone
    ? await tx.all(sql`
        DELETE FROM deliveries WHERE webhook_id = ${gone.id} AND event_seq IN (
          SELECT event_seq FROM deliveries WHERE webhook_id = ${gone.id} LIMIT ${limit})
        RETURNING 1 AS gone`)
    : []
  if (gone && cleared.length < limit) {
    await tx.all(sql`DELETE FROM replays WHERE webhook_id = ${gone.id}`)
    await tx.all(sql`DELETE FROM webhooks WHERE id = ${gone.id}`)
  }
  return gone ? Math.max(1, cleared.length) : 0
})

/** Stores the outcomes of some deliveries. Undefined: another process serves this address now, or none should. */
export const settle: Verb<Settlement, Webhook | undefined> = each(settleOne)

async function settleOne(tx: Transaction, settlement: Settlement): Promise<Webhook | undefined> {
  const { id, epoch, url, position, isWell, deliveries, replay } = settlement
  if (!(await isCurrent(tx, webhookLease(id), epoch))) return undefined
  const [held] = await tx.all<WebhookRow>(sql`SELECT ${columns} FROM webhooks WHERE id = ${id}`)
  if (!held) return undefined
  // If the address was changed meanwhile, the old one's responses do not count for it.
  const isSame = held.url === url
  const disable = isSame ? settlement.disable : undefined
  const restsUntil = isSame ? settlement.restsUntil : held.restsUntil
  const fails = held.failingSince ?? (isWell === false && isSame ? tx.now : null)
  const failingSince = isWell ? null : fails
  const [row] = await tx.all<WebhookRow>(sql`
    UPDATE webhooks SET position = ${Math.max(held.position, position)}, failing_since = ${failingSince},
      rests_until = ${restsUntil},
      enabled = ${disable ? 0 : held.enabled}, disabled_reason = ${disable ?? held.disabledReason}
    WHERE id = ${id} RETURNING ${columns}`)
  writeDeliveries(tx, id, deliveries)
  if (replay) {
    if (replay.isOver) await tx.all(sql`DELETE FROM replays WHERE id = ${replay.id}`)
    else await tx.all(sql`UPDATE replays SET position = ${replay.position} WHERE id = ${replay.id}`)
  }
  if (disable)
    tx.journal({
      environmentId: held.environmentId,
      type: 'webhook.disabled',
      // Not the whole address: there may be a secret in it, and others can read this.
      data: { id, url: new URL(held.url).origin, reason: disable },
    })
  return row && fromRow(row)
}

/** Delivers a range of the journal again. Returns the replay's id. */
export const addReplay: Verb<{ webhookId: string; afterSeq: number; untilSeq: number }, string> = each(
  async (tx, { webhookId, afterSeq, untilSeq }) => {
    const id = randomUUIDv7()
    await leaveNoRest(tx, webhookId)
    await tx.all(sql`
    INSERT INTO replays (id, webhook_id, position, until_seq) VALUES (${id}, ${webhookId}, ${afterSeq}, ${untilSeq})`)
    return id
  },
)

export async function nextReplay(connection: Sql, webhookId: string): Promise<Replay | undefined> {
  const [row] = await connection.all<Replay>(sql`
    SELECT id, position, until_seq AS "untilSeq" FROM replays WHERE webhook_id = ${webhookId} ORDER BY id LIMIT 1`)
  return row
}
