/** Files that belong to nothing any more: noted in the commit that made it so, forgotten when they are gone from the folder. */

import { type Sql, sql, values } from '../engine/sql.ts'
import type { Transaction } from '../engine/transaction.ts'
import type { Verb } from '../engine/verb.ts'

export function removeFiles(tx: Transaction, files: readonly string[]): void {
  if (files.length === 0) return
  const items = files.map(id => ({ id }))
  tx.write(sql`INSERT INTO removed_files ${values({ id: 'text' }, items)} ON CONFLICT (id) DO NOTHING`)
  for (const id of files) tx.write(sql`DELETE FROM media WHERE id = ${id}`)
}

export async function removedFiles(connection: Sql, limit: number): Promise<string[]> {
  const found = await connection.all<{ id: string }>(sql`SELECT id FROM removed_files LIMIT ${limit}`)
  return found.map(({ id }) => id)
}

export const noteRemoved: Verb<readonly string[], void> = async (tx, batches) => {
  for (const id of batches.flat()) tx.write(sql`DELETE FROM removed_files WHERE id = ${id}`)
  return batches.map(() => undefined)
}
