/** Reads a long stretch in small steps: while SQLite reads, everybody else waits. */

import { setImmediate } from 'node:timers/promises'
import type { Awaitable } from '../../core/lib/awaitable.ts'

const step = 150

/** Up to `most` rows. `read` is given how many it may read and the last row so far. */
export async function readInSteps<Row>(
  most: number,
  read: (count: number, last: Row | undefined) => Awaitable<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const count = Math.min(step, most - rows.length)
    const found = await read(count, rows.at(-1))
    for (const row of found) rows.push(row)
    if (found.length < count || rows.length === most) return rows
    await setImmediate()
  }
}
