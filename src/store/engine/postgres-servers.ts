/**
 * Which PostgreSQL server takes writes. With several in the address (`postgres://a,b/name`), the one that is not a standby;
 * after a failover that is another.
 */

import pg from 'pg'
import { StorageFault } from './driver.ts'

export class PostgresServers {
  readonly #urls: readonly string[]
  readonly #settings: pg.ClientConfig
  #current: string | undefined
  #looking: Promise<string> | undefined

  constructor(url: string, settings: pg.ClientConfig) {
    this.#urls = urlsOf(url)
    this.#settings = settings
    if (this.#urls.length === 1) this.#current = this.#urls[0]
  }

  /** The address of the one that takes writes. */
  async primary(): Promise<string> {
    if (this.#current !== undefined) return this.#current
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    this.#current = await this.#looking
    return this.#current
  }

  /** It is gone, or takes no writes any more: the next time all are asked. */
  forget(): void {
    if (this.#urls.length > 1) this.#current = undefined
  }

  /** All at once: one that does not answer must not keep the others waiting. */
  async #look(): Promise<string> {
    try {
      return await Promise.any(this.#urls.map(url => this.#requireWritable(url)))
    } catch (error) {
      const [first] = (error as AggregateError).errors as Error[]
      throw new StorageFault(`none of ${this.#urls.length} servers takes writes: ${first?.message}`, {
        cause: first,
      })
    }
  }

  async #requireWritable(url: string): Promise<string> {
    const client = new pg.Client({ ...this.#settings, connectionString: url })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows } = await client.query('SHOW transaction_read_only')
      if (rows[0].transaction_read_only !== 'off') throw new Error('it is a standby')
      return url
    } finally {
      client.end().catch(() => {})
    }
  }
}

/** One address for each host: `postgres://user:password@a:5432,b:5433/name?…`. */
export function urlsOf(url: string): string[] {
  const [, before = '', hosts = '', behind = ''] = /^(\w+:\/\/(?:[^@/]*@)?)([^/?]*)(.*)$/.exec(url) ?? []
  const rest = behind.replace(/([?&])target_session_attrs=[^&]*&?/, '$1').replace(/[?&]$/, '')
  return hosts.split(',').map(host => before + host + rest)
}
