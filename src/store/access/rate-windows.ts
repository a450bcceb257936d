/** Counting requests where several nodes share the count: one statement for all that came together, no wait for disk. */

import type { Window } from '../../core/access/key-store.ts'
import { from, type Sql, sql } from '../engine/sql.ts'

/** Each request gets its own place in the count. */
export async function countRequests(
  connection: Sql,
  keyIds: readonly string[],
  windowMs: number,
  now: number,
): Promise<Window[]> {
  const byKey = Map.groupBy(keyIds, keyId => keyId)
  // Always in the same order: two statements that lock the same keys must not wait for each other.
  const items = [...byKey]
    .map(([key_id, same]) => ({ key_id, calls: same.length }))
    .sort((a, b) => (a.key_id < b.key_id ? -1 : 1))
  const ended = now - windowMs
  const found = await connection.all<{ keyId: string; startedAt: number; count: number }>(sql`
    INSERT INTO request_windows AS w (key_id, started_at, count)
    SELECT r.key_id, ${now}::bigint, r.calls ${from({ key_id: 'text', calls: 'bigint' }, items)}
    ON CONFLICT (key_id) DO UPDATE SET
      count = excluded.count + CASE WHEN w.started_at > ${ended}::bigint THEN w.count ELSE 0 END,
      started_at = CASE WHEN w.started_at > ${ended}::bigint THEN w.started_at ELSE excluded.started_at END
    RETURNING key_id AS "keyId", started_at AS "startedAt", count`)
  const windows = new Map(found.map(({ keyId, startedAt, count }) => [keyId, { startedAt, next: count }]))
  for (const [keyId, same] of byKey) windows.get(keyId)!.next -= same.length
  return keyIds.map(keyId => {
    const window = windows.get(keyId)!
    window.next += 1
    return { startedAt: window.startedAt, count: window.next }
  })
}
