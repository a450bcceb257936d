/** Counting requests where several nodes share the count: one statement for all that came together, no wait for disk. */

import type { Window } from '../core/store.ts'
import { from, type Sql, sql } from './sql.ts'

type Waiting = { keyId: string; resolve: (window: Window) => void; reject: (error: unknown) => void }

export class SharedWindows {
  readonly #sql: Sql
  readonly #now: () => number
  #waiting: Waiting[] = []

  constructor(connection: Sql, now: () => number) {
    this.#sql = connection
    this.#now = now
  }

  count(keyId: string, windowMs: number): Promise<Window> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ keyId, resolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => void this.#flush(windowMs))
    })
  }

  async #flush(windowMs: number): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    const byKey = Map.groupBy(waiting, ({ keyId }) => keyId)
    const items = [...byKey].map(([key_id, calls]) => ({ key_id, calls: calls.length }))
    const now = this.#now()
    try {
      const found = await this.#sql.all<{ keyId: string; startedAt: number; count: number }>(sql`
        INSERT INTO request_windows (key_id, started_at, count)
        SELECT r.key_id, ${now}::bigint, r.calls ${from({ key_id: 'text', calls: 'bigint' }, items)}
        ON CONFLICT (key_id) DO UPDATE SET
          count = excluded.count +
            CASE WHEN request_windows.started_at > ${now - windowMs}::bigint THEN request_windows.count ELSE 0 END,
          started_at =
            CASE WHEN request_windows.started_at > ${now - windowMs}::bigint THEN request_windows.started_at
            ELSE excluded.started_at END
        RETURNING key_id AS "keyId", started_at AS "startedAt", count`)
      for (const { keyId, startedAt, count } of found) {
        const calls = byKey.get(keyId)!
        calls.forEach((call, index) => call.resolve({ startedAt, count: count - calls.length + index + 1 }))
      }
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}
