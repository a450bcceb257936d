/** Finding a time among rows that are numbered in the order they came. */

import { type Sql, sql, varying } from '../engine/sql.ts'

const times = { messages: 'created_at', events: 'at' } as const

/** The number of the first row at or after then, or the one behind the last: numbers grow with time, so halving finds it. */
export async function firstSince(connection: Sql, table: keyof typeof times, at: number): Promise<number> {
  const name = varying(table)
  const [edge] = await connection.all<{ first: number | null; last: number | null }>(
    sql`SELECT (SELECT MIN(seq) FROM ${name}) AS first, (SELECT MAX(seq) FROM ${name}) AS last`,
  )
  let low = edge?.first ?? 0
  let high = (edge?.last ?? 0) + 1
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [row] = await connection.all<{ seq: number; at: number }>(sql`
      SELECT seq, ${varying(times[table])} AS at FROM ${name} WHERE seq >= ${middle} ORDER BY seq LIMIT 1`)
    if (!row || row.at >= at) high = middle
    else low = row.seq + 1
  }
  return low
}
