/** Brings a database to the newest schema. Steps are numbered, only ever go forward, and are never edited. */

import { readdirSync, readFileSync } from 'node:fs'
import { type Driver, StorageFault } from './driver.ts'
import { type Dialect, type Sql, sql, varying } from './sql.ts'

const folder = new URL('../migrations/', import.meta.url)

type Step = { version: number; name: string; text: string }

export const steps: readonly Step[] = readdirSync(folder)
  .filter(name => /^\d{4}_.*\.sql$/.test(name))
  .sort()
  .map(name => ({
    version: Number(name.slice(0, 4)),
    name,
    text: readFileSync(new URL(name, folder), 'utf8'),
  }))

export const newestVersion = steps.at(-1)!.version

/** A line may belong to one database only, by a comment at its end. */
function forDialect(text: string, dialect: Dialect): string {
  const other = dialect === 'sqlite' ? 'postgres' : 'sqlite'
  return text
    .split('\n')
    .filter(line => !line.endsWith(`-- only: ${other}`))
    .join('\n')
}

/** The version of the schema; 0: none yet. */
export async function schemaVersion(driver: Driver): Promise<number> {
  const query =
    driver.dialect === 'sqlite'
      ? sql`SELECT name FROM sqlite_schema WHERE name = 'schema_version'`
      : sql`SELECT to_regclass('schema_version')::text AS name`
  const [table] = await driver.reader.all<{ name: string | null }>(query)
  if (!table?.name) return 0
  const [row] = await driver.reader.all<{ version: number }>(
    sql`SELECT MAX(version) AS version FROM schema_version`,
  )
  return row?.version ?? 0
}

/** Returns the names of the steps it took. Safe when several processes start at once. */
export async function migrate(
  driver: Driver,
  now: () => number,
  /** Fewer than all only to make a database of an earlier version. */
  known: readonly Step[] = steps,
): Promise<string[]> {
  const current = await schemaVersion(driver)
  if (current > newestVersion)
    throw new StorageFault(
      `The database has schema ${current}; this program knows ${newestVersion}. It needs a newer Basestation.`,
    )
  const taken: string[] = []
  for (const step of known.filter(({ version }) => version > current)) {
    const ran = await driver.transact(async connection => {
      // Whoever comes second waits here until the first has committed, then finds the step taken.
      if (driver.dialect === 'postgres') await connection.all(sql`SELECT pg_advisory_xact_lock(7237114)`)
      await connection.all(
        sql`CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, at BIGINT NOT NULL)`,
      )
      const done = await connection.all(
        sql`SELECT version FROM schema_version WHERE version = ${step.version}`,
      )
      if (done.length > 0) return false
      if (current > 0 && needsAll(step)) await requireAlone(connection, step, now())
      await connection.all(sql`INSERT INTO schema_version (version, at) VALUES (${step.version}, ${now()})`)
      for (const statement of statementsOf(forDialect(step.text, driver.dialect)))
        await connection.all(sql`${varying(statement)}`)
      return true
    })
    if (ran) taken.push(step.name)
  }
  return taken
}

/** Its first lines say whether a node of the version before may go on beside it. Earlier steps did not have to say. */
const needsAll = ({ text }: Step) => /^-- May a node of the version before go on beside it: no\b/m.test(text)

/** A gateway that shows itself so often is running. */
const runningMs = 15_000

async function requireAlone(connection: Sql, { name }: Step, now: number): Promise<void> {
  const nodes = await connection.all(sql`SELECT name FROM nodes WHERE seen_at > ${now - runningMs}`)
  if (nodes.length > 0)
    throw new StorageFault(
      `A gateway of an earlier version works on this database, or did a few seconds ago, and ${name} is not for it. Stop all gateways, and start again.`,
    )
}

/** Our migrations hold no semicolon but those that end a statement. */
const statementsOf = (text: string): string[] =>
  text
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map(statement => statement.trim())
    .filter(statement => statement !== '')
