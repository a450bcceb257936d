/** What shows whether the gateway has the secret key that its database was sealed with. */

import type { Verb } from './group.ts'
import { type Sql, sql } from './sql.ts'

export async function sealCheck(connection: Sql): Promise<string | undefined> {
  const [row] = await connection.all<{ value: string }>(sql`SELECT value FROM secrets WHERE name = 'check'`)
  return row?.value
}

/** Of several that start at once, the first counts. */
export const keepSealCheck: Verb<string, void> = async (tx, checks) => {
  for (const check of checks)
    await tx.all(
      sql`INSERT INTO secrets (name, value) VALUES ('check', ${check}) ON CONFLICT (name) DO NOTHING`,
    )
  return checks.map(() => undefined)
}

/** Forgets what nobody can open any more: sessions of links, one-time codes, kept answers, and the check itself. */
export const forgetSealed: Verb<void, void> = async (tx, asked) => {
  tx.write(sql`DELETE FROM vault`)
  tx.write(sql`UPDATE users SET totp = NULL`)
  // What is not sealed is JSON.
  tx.write(sql`DELETE FROM answers WHERE substr(body, 1, 1) <> '{'`)
  tx.write(sql`DELETE FROM secrets WHERE name = 'check'`)
  return asked.map(() => undefined)
}
