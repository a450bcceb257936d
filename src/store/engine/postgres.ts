/** The PostgreSQL driver: one writer connection for this process and a pool of readers. */

import pg from 'pg'
import { type Driver, StorageFault } from './driver.ts'
import { forPostgres, type Query, type Sql } from './sql.ts'

const connectMs = 5_000
const statementMs = 30_000
const readers = 8

/** bigint as a number: ours are times and counts, far below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

/** Statements are prepared once for each connection, under a short name for each text. */
const names = new Map<string, string>()
function nameOf(text: string): string {
  let name = names.get(text)
  if (name === undefined) {
    name = `s${names.size}`
    names.set(text, name)
  }
  return name
}

export class PostgresDriver implements Driver {
  readonly dialect = 'postgres'
  readonly reader: Sql
  readonly unsyncedReader: Sql
  readonly #pool: pg.Pool
  readonly #settings: pg.ClientConfig
  #writer: pg.Client | undefined
  #isClosed = false
  #tail: Promise<unknown> = Promise.resolve()

  /** `isPatient`: statements may take as long as they like, such as those that change a large table. */
  constructor(url: string, isPatient = false) {
    this.#settings = {
      connectionString: url,
      types,
      connectionTimeoutMillis: connectMs,
      ...(!isPatient && {
        statement_timeout: statementMs,
        // Longer than the server's own limit: only for a server that no longer answers at all.
        query_timeout: statementMs + 5_000,
      }),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      application_name: 'basestation',
    }
    this.#pool = new pg.Pool({ ...this.#settings, max: readers })
    // An idle connection that breaks is replaced at the next use; without a listener it would end the process.
    this.#pool.on('error', () => {})
    this.reader = { all: query => ask(this.#pool, query) }
    this.unsyncedReader = this.reader
  }

  transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const turn = this.#tail.then(() => this.#transact(work))
    this.#tail = turn.catch(() => {})
    return turn
  }

  async close(): Promise<void> {
    await this.#tail
    this.#isClosed = true
    await Promise.all([this.#writer?.end(), this.#pool.end()])
  }

  async #transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const writer = await this.#connected()
    let over = false
    /** Statements travel together: those behind one that fails fail as well, and only the first says why. */
    let cause: unknown
    const handle: Sql = {
      all: query => {
        // Whatever is left of a failed transaction must not go on outside of it.
        if (over) throw new Error('this transaction is over')
        const asked = ask<never>(writer, query)
        asked.catch(error => {
          cause ??= error
        })
        return asked
      },
    }
    try {
      // Not awaited: it travels with the first statement.
      const begun = writer.query('BEGIN')
      begun.catch(() => {})
      const result = await work(handle)
      await begun
      over = true
      const { command } = await writer.query('COMMIT')
      if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back.')
      return result
    } catch (error) {
      over = true
      await writer.query('ROLLBACK').catch(() => this.#drop(writer))
      throw asFault(cause ?? error)
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#isClosed) throw new StorageFault('the database was closed')
    if (this.#writer) return this.#writer
    // Statements that do not wait for each other's answers travel together.
    const client = new pg.Client({ ...this.#settings, pipeline: true } as pg.ClientConfig)
    client.on('error', () => this.#drop(client))
    client.on('end', () => this.#drop(client))
    try {
      await client.connect()
      // Each commit waits for the disk, whatever the server's default is.
      await client.query("SET synchronous_commit = 'on'")
    } catch (error) {
      throw asFault(error)
    }
    this.#writer = client
    return client
  }

  #drop(client: pg.Client): void {
    if (this.#writer !== client) return
    this.#writer = undefined
    client.end().catch(() => {})
  }
}

async function ask<Row>(target: pg.Client | pg.Pool, query: Query): Promise<Row[]> {
  const runs = Array.from(forPostgres(query), ({ text, parameters }) =>
    target.query({ name: nameOf(text), text, values: parameters }),
  )
  try {
    const [first, ...more] = await Promise.all(runs)
    return more.reduce((rows, answer) => rows.concat(answer.rows), first!.rows) as Row[]
  } catch (error) {
    throw asFault(error)
  }
}

/**
 * Everything but a mistake of ours is a fault of storage: class 08, 25, 40, 53, 57 and 58, and a lost connection. Only
 * 25P02 is none: it says that a statement before this one failed, and that one knows why.
 */
function asFault(error: unknown): unknown {
  const ours = error instanceof pg.DatabaseError && !/^(08|25(?!P02)|40|53|57|58)/.test(error.code ?? '')
  const meant = ours || error instanceof StorageFault || !isOfConnection(error)
  return meant ? error : new StorageFault((error as Error).message, { cause: error })
}

/** Errors of sockets have a code; pg's own say that the connection ended or that it took too long. */
const isOfConnection = (error: unknown) =>
  error instanceof pg.DatabaseError ||
  (error as { code?: string }).code !== undefined ||
  /connection|timeout|terminat|pool/i.test((error as Error).message)
