/** Shows that something can be written, which a full or read-only disk and a standby refuse. */

import type { Verb } from './group.ts'
import { sql } from './sql.ts'

export const probe: Verb<void, void> = async (tx, asked) => {
  tx.write(sql`UPDATE counters SET value = value WHERE name = 'devices'`)
  return asked.map(() => undefined)
}
