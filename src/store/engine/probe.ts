/** Shows that something can be written, which a full or read-only disk and a standby refuse. */

import { sql } from './sql.ts'
import type { Verb } from './verb.ts'

export const probe: Verb<void, void> = async (tx, asked) => {
  tx.write(sql`UPDATE counters SET value = value WHERE name = 'devices'`)
  return asked.map(() => undefined)
}
