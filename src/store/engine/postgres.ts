/** The PostgreSQL driver: one writer connection for this process and a pool of readers. */

import type { Socket } from 'node:net'
import pg from 'pg'
import { Problem } from '../../core/problem.ts'
import { type Driver, StorageFault } from './driver.ts'
import { PostgresServers } from './postgres-servers.ts'
import { Ear, Silence, unlessSilent } from './silence.ts'
import { forPostgres, type Query, type Sql } from './sql.ts'

/** A request that cannot be served is refused within five seconds: it may wait for a read, and then for a write. */
const connectMs = 2_000
const silenceMs = 2_300
/** A statement that takes so long is a mistake, and must not keep the others waiting. */
const statementMs = 4_000
/** For the counter's row: whoever holds it is quick, or gone. */
const lockMs = 2_000
/** A node that stops in the middle of a transaction holds nothing for longer: the server ends it. */
const idleMs = 1_500
const transactionMs = 30_000
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
  readonly #settings: pg.ClientConfig
  readonly #servers: PostgresServers
  readonly #isPatient: boolean
  #readers: { url: string; pool: pg.Pool } | undefined
  #writer: pg.Client | undefined
  readonly #readersEar = new Ear()
  #isClosed = false
  #tail: Promise<unknown> = Promise.resolve()

  /** `isPatient`: statements may take as long as they like, such as those that change a large table. */
  constructor(url: string, isPatient = false) {
    this.#isPatient = isPatient
    this.#settings = {
      types,
      connectionTimeoutMillis: connectMs,
      ...(!isPatient && {
        statement_timeout: statementMs,
        // A server that says nothing is noticed earlier; this frees the connection.
        query_timeout: statementMs + 2_000,
        lock_timeout: lockMs,
        idle_in_transaction_session_timeout: idleMs,
      }),
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      application_name: 'basestation',
    }
    this.#servers = new PostgresServers(url, this.#settings)
    this.reader = { all: query => this.#again(() => this.#read(query)) }
    this.unsyncedReader = this.reader
  }

  transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const turn = this.#tail.then(() => this.#again(() => this.#transact(work)))
    this.#tail = turn.catch(() => {})
    return turn
  }

  async close(): Promise<void> {
    await this.#tail
    this.#isClosed = true
    await Promise.all([this.#writer?.end(), this.#readers?.pool.end()])
  }

  /** A connection that broke before anything was committed costs nobody a request: it is tried once more, over another. */
  async #again<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ConnectionLost)) throw error
      this.#servers.forget()
      return await work()
    }
  }

  async #read<Row>(query: Query): Promise<Row[]> {
    const answer = ask<Row>(await this.#pool(), query)
    // A question may wait for its turn: only when none of them is answered does the server not answer.
    return this.#isPatient ? await answer : await unlessSilent(silenceMs, answer, silent, this.#readersEar)
  }

  async #transact<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const writer = await this.#connected()
    let over = false
    const ear = new Ear()
    /** Statements travel together: those behind one that fails fail as well, and only the first says why. */
    let cause: unknown
    const handle: Sql = {
      all: query => {
        // Whatever is left of a failed transaction must not go on outside of it.
        if (over) throw new Error('this transaction is over')
        const asked = ask<never>(writer, query)
        asked.then(
          () => ear.heard(),
          error => {
            cause ??= error
          },
        )
        return asked
      },
    }
    const giveUp = () => {
      cause ??= silent()
      cut(writer)
    }
    const silence = this.#isPatient ? undefined : new Silence(silenceMs, giveUp, ear)
    let isCommitting = false
    try {
      // Not awaited: it travels with the first statement.
      const begun = writer.query('BEGIN')
      begun.catch(() => {})
      const result = await work(handle)
      over = true
      isCommitting = true
      // It travels with the last writes, whose answers nobody waits for: if one of them failed, this rolls back.
      const { command } = await writer.query('COMMIT')
      if (command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back.')
      return result
    } catch (error) {
      over = true
      await writer.query('ROLLBACK').catch(() => this.#drop(writer))
      const fault = asFault(cause ?? error)
      // Also one that only takes no writes any more.
      if (fault instanceof ConnectionLost) this.#drop(writer)
      // Whether a commit under way was kept is not known.
      throw isCommitting && fault instanceof ConnectionLost ? fault.inDoubt() : fault
    } finally {
      silence?.end()
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#isClosed) throw new StorageFault('the database was closed')
    if (this.#writer) return this.#writer
    const connectionString = await this.#servers.primary()
    // Statements that do not wait for each other's answers travel together.
    const settings = { ...this.#settings, connectionString, pipeline: true }
    const client = new pg.Client(settings)
    client.on('error', () => this.#drop(client))
    client.on('end', () => this.#drop(client))
    try {
      await client.connect()
      // Each commit waits for the disk, whatever the server's default is.
      await client.query("SET synchronous_commit = 'on'")
      if (!this.#isPatient) await limitTransactions(client)
    } catch (error) {
      client.end().catch(() => {})
      this.#servers.forget()
      throw asFault(error)
    }
    this.#writer = client
    return client
  }

  async #pool(): Promise<pg.Pool> {
    if (this.#isClosed) throw new StorageFault('the database was closed')
    const url = await this.#servers.primary()
    if (this.#readers?.url === url) return this.#readers.pool
    this.#readers?.pool.end().catch(() => {})
    const settings = {
      ...this.#settings,
      // Also while all connections are busy.
      connectionTimeoutMillis: statementMs,
      connectionString: url,
      max: readers,
    }
    const pool = new pg.Pool(settings)
    // An idle connection that breaks is replaced at the next use; without a listener it would end the process.
    pool.on('error', () => {})
    this.#readers = { url, pool }
    return pool
  }

  #drop(client: pg.Client): void {
    if (this.#writer !== client) return
    this.#writer = undefined
    this.#servers.forget()
    client.end().catch(() => {})
  }
}

const silent = () => new StorageFault('the database does not answer in time')

/** At once: what waits for it fails. */
function cut(client: pg.Client): void {
  const { connection } = client as object as { connection: { stream: Socket } }
  connection.stream.destroy()
}

/** The last net: whatever a transaction waits for. Servers before version 17 do not know it. */
async function limitTransactions(client: pg.Client): Promise<void> {
  await client.query(
    `SELECT set_config(name, '${transactionMs}', false) FROM pg_settings WHERE name = 'transaction_timeout'`,
  )
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

/** The connection broke, and with it what was not committed. */
class ConnectionLost extends StorageFault {
  /** The same, when a commit was under way. */
  inDoubt(): StorageFault {
    return new StorageFault(this.message, { cause: this.cause })
  }
}

/**
 * Everything but a mistake of ours is a fault of storage: class 08, 25, 40, 53, 55, 57 and 58, and a lost connection. Only
 * 25P02 is none: it says that a statement before this one failed, and that one knows why.
 */
function asFault(error: unknown): unknown {
  const ours = error instanceof pg.DatabaseError && !/^(08|25(?!P02)|40|53|55|57|58)/.test(error.code ?? '')
  const meant = ours || error instanceof Problem || !isOfConnection(error)
  if (meant) return error
  const { message } = error as Error
  return isLost(error)
    ? new ConnectionLost(message, { cause: error })
    : new StorageFault(message, { cause: error })
}

/** Errors of sockets have a code; pg's own say that the connection ended or that it took too long. */
const isOfConnection = (error: unknown) =>
  error instanceof pg.DatabaseError ||
  (error as { code?: string }).code !== undefined ||
  /connection|timeout|terminat|pool/i.test((error as Error).message)

/** It was there and is not any more; the server may be back, or another may have taken its place. */
const isLost = (error: unknown) =>
  /^(08|57P0[12]|25P03|25P04|25006|ECONNRESET|EPIPE)/.test((error as { code?: string }).code ?? '') ||
  /^Connection (terminated|ended)|client has encountered a connection error|was closed/i.test(
    (error as Error).message,
  )
