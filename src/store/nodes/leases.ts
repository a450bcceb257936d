/** Who holds what. Taking, renewing and freeing are one guarded statement each, by the database's clock. */

import { LeaseLost } from '../../core/nodes/lease.ts'
import type { LeaseRecord } from '../../core/nodes/node-store.ts'
import { type Sql, sql, values } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import { each, type Verb } from '../engine/verb.ts'

export type Asked = { node: string; names: readonly string[] }

export const takeLeases: Verb<Asked, ReadonlyMap<string, number>> = each((tx, { node, names }) =>
  take(tx, node, names),
)

/**
 * Those that nobody alive holds. Each with its epoch. What the node holds already is taken anew, under a higher epoch: what
 * it began before must not be mixed up with what it begins now. `keeps`: it goes on under the same.
 */
export async function take(
  tx: Transaction,
  node: string,
  names: readonly string[],
  keeps = false,
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map()
  const taken = await tx.all<{ name: string; epoch: number }>(sql`
    INSERT INTO leases ${values(
      { name: 'text' },
      names.map(name => ({ name })),
      { node, epoch: 1, taken_at: tx.now },
    )}
    ON CONFLICT (name) DO UPDATE SET node = excluded.node,
      epoch = CASE WHEN leases.node = excluded.node AND ${keeps} = 1 THEN leases.epoch ELSE leases.epoch + 1 END,
      taken_at = CASE WHEN leases.node = excluded.node THEN leases.taken_at ELSE excluded.taken_at END
    WHERE leases.node IS NULL OR leases.node = excluded.node
      OR NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.name = leases.node AND alive_until > ${tx.now})
    RETURNING name, epoch`)
  return new Map(taken.map(({ name, epoch }) => [name, epoch]))
}

export const letGo: Verb<Asked, void> = each((tx, { node, names }) => {
  for (const name of names)
    tx.write(sql`UPDATE leases SET node = NULL WHERE name = ${name} AND node = ${node}`)
})

/** All that a node held is free. */
export function freeAll(tx: Transaction, node: string): void {
  tx.write(sql`UPDATE leases SET node = NULL WHERE node = ${node}`)
}

/** Whether nobody took it since. */
export async function isCurrent(connection: Sql, name: string, epoch: number): Promise<boolean> {
  const [row] = await connection.all<{ epoch: number }>(sql`SELECT epoch FROM leases WHERE name = ${name}`)
  return row?.epoch === epoch
}

/** The fence: throws when somebody took it since. Without an epoch nothing is asked. */
export async function requireLease(tx: Transaction, name: string, epoch: number | undefined): Promise<void> {
  if (epoch !== undefined && !(await isCurrent(tx, name, epoch))) throw new LeaseLost(name)
}

export async function leases(connection: Sql): Promise<LeaseRecord[]> {
  return await connection.all(sql`SELECT name, node, epoch, taken_at AS "takenAt" FROM leases ORDER BY name`)
}
