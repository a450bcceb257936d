/** Which node has the line to a device, and whether it is up. */

import type { PresenceGuard } from '../../core/devices/device-store.ts'
import { deviceLease } from '../../core/nodes/lease.ts'
import { from, sql } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'
import { isCurrent, take } from '../nodes/leases.ts'
import { allDevices, device, tell } from './devices.ts'

type Presence = { deviceId: string; node: string; online: boolean; only: PresenceGuard }

/** False: the line is at another node. */
export const presence: Verb<Presence, boolean> = each(async (tx, { deviceId, node, online, only }) => {
  const before = await device(tx, deviceId)
  // A node that lost the link to another has nothing more to say about it.
  if (!before || (!online && before.heldBy !== node)) return false
  const { heldBy } = before
  const { epoch, insteadOf } = only
  if (epoch !== undefined && !(await isCurrent(tx, deviceLease(deviceId), epoch))) return false
  if (insteadOf !== undefined && heldBy !== null && heldBy !== node && heldBy !== insteadOf) return false
  if (before.online === online && heldBy === node) return true
  await tx.all(sql`UPDATE devices SET online = ${online}, held_by = ${node} WHERE id = ${deviceId}`)
  tx.devicesChanged()
  if (before.online !== online)
    await tell(tx, online ? 'device.online' : 'device.offline', { ...before, online, heldBy: node })
  return true
})

type Taken = { node: string; deviceIds: readonly string[] }

/** Whether they are online is not touched: a link that changes hands is up again in a moment. */
export const takeLinks: Verb<Taken, ReadonlyMap<string, number>> = each(async (tx, { node, deviceIds }) => {
  const epochs = await take(tx, node, deviceIds.map(deviceLease))
  const taken = new Map(
    deviceIds.flatMap(id => {
      const epoch = epochs.get(deviceLease(id))
      return epoch === undefined ? [] : [[id, epoch] as const]
    }),
  )
  if (taken.size === 0) return taken
  const items = Array.from(taken.keys(), id => ({ device_id: id, node }))
  const moved = await tx.all(sql`
    UPDATE devices SET held_by = r.node ${from({ device_id: 'text', node: 'text' }, items)}
    WHERE devices.id = r.device_id AND (held_by IS NULL OR held_by <> r.node) RETURNING id`)
  if (moved.length > 0) tx.devicesChanged()
  return taken
})

/** The devices of a node that ends are offline. */
export async function leaveDevices(tx: Transaction, node: string): Promise<void> {
  for (const held of (await allDevices(tx)).filter(({ heldBy }) => heldBy === node)) {
    await tx.all(sql`UPDATE devices SET online = 0, held_by = NULL WHERE id = ${held.id}`)
    tx.devicesChanged()
    if (held.online) await tell(tx, 'device.offline', { ...held, online: false, heldBy: null })
  }
}
