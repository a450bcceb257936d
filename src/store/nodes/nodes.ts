/** The nodes that work on this database. */

import { type Node, nodeLeaseMs } from '../../core/nodes/node.ts'
import type { Beat, Beaten } from '../../core/nodes/node-store.ts'
import { leaveDevices } from '../devices/presence.ts'
import { type Sql, sql } from '../engine/sql.ts'
import { each, type Verb } from '../engine/verb.ts'
import { freeAll, take } from './leases.ts'

export const beat: Verb<Beat, Beaten> = each(
  async (tx, { node, version = '', startedAt = tx.now, wants = [] }) => {
    const [row] = await tx.all<{ draining: number }>(sql`
      INSERT INTO nodes (name, version, started_at, seen_at, alive_until)
      VALUES (${node}, ${version}, ${startedAt}, ${tx.now}, ${tx.now + nodeLeaseMs})
      ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at, alive_until = excluded.alive_until
      RETURNING draining`)
    return { now: tx.now, isDraining: row!.draining === 1, held: await take(tx, node, wants, true) }
  },
)

export const leave: Verb<string, void> = each(async (tx, name) => {
  await leaveDevices(tx, name)
  freeAll(tx, name)
  tx.write(sql`DELETE FROM nodes WHERE name = ${name}`)
})

/** Unless it has come back to life since somebody took it for dead. */
export const bury: Verb<{ name: string; isCertain: boolean }, void> = each(
  async (tx, { name, isCertain }) => {
    const gone = await tx.all(sql`
    DELETE FROM nodes WHERE name = ${name} AND (alive_until <= ${tx.now} OR ${isCertain} = 1) RETURNING name`)
    if (gone.length > 0) freeAll(tx, name)
  },
)

export const drain: Verb<string, boolean> = each(async (tx, name) => {
  const found = await tx.all(sql`UPDATE nodes SET draining = 1 WHERE name = ${name} RETURNING name`)
  return found.length > 0
})

type NodeRow = Omit<Node, 'isAlive' | 'isDraining'> & { aliveUntil: number; draining: number }

export async function nodes(connection: Sql, now: number): Promise<Node[]> {
  const found = await connection.all<NodeRow>(sql`
    SELECT name, version, started_at AS "startedAt", seen_at AS "seenAt", alive_until AS "aliveUntil", draining
    FROM nodes ORDER BY name`)
  return found.map(({ aliveUntil, draining, ...node }) => ({
    ...node,
    isAlive: aliveUntil > now,
    isDraining: draining === 1,
  }))
}
