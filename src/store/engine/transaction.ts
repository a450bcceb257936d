/** One transaction: numbers what happens, collects the journal and the changes of load, and writes both at the end. */

import type { EventType } from '../../core/events/event.ts'
import { type Clock, databaseNow } from './clock.ts'
import type { Dialect, Query, Sql } from './sql.ts'
import { from, sql, values } from './sql.ts'

export type NewEvent = {
  environmentId: number
  type: EventType
  /** `self`: the event's own number becomes the number of what it is about. */
  messageSeq?: number | 'self'
  receivedSeq?: number | 'self'
  deviceId?: string
  n?: number
  data?: Record<string, unknown>
}

/** The number of the newest event, and when it was written. */
type Counter = { value: number; at: number }

type LoadChange = { device_id: string; waiting: number; parts: number; movable: number }

export class Transaction implements Sql {
  /** By which everything is decided. */
  readonly now: number
  /** When what is written here happens: never before what was written last, even if a clock was wrong or is set back. */
  readonly at: number
  readonly #sql: Sql
  #last: number
  #devicesChanged = false
  readonly #events: (NewEvent & { seq: number })[] = []
  readonly #loads = new Map<string, LoadChange>()

  private constructor(sql: Sql, { value, at }: Counter, clock: Clock) {
    this.#sql = sql
    this.#last = value
    this.now = clock.now()
    this.at = clock.isGiven ? this.now : Math.max(at, this.now)
  }

  /**
   * The counter's row is locked until the commit, on PostgreSQL as on SQLite: writers take turns, numbers have no gaps
   * and become visible in order, so that a reader of the journal can never overtake a writer.
   */
  static async begin(connection: Sql, dialect: Dialect, clock: Clock): Promise<Transaction> {
    if (dialect === 'sqlite') {
      const [row] = await connection.all<Counter>(sql`SELECT value, at FROM counters WHERE name = 'journal'`)
      return new Transaction(connection, row!, clock)
    }
    const askedAt = performance.now()
    const [row] = await connection.all<Counter & { now: number }>(
      sql`SELECT value, at, ${databaseNow} AS now FROM counters WHERE name = 'journal' FOR UPDATE`,
    )
    clock.observe(row!.now, askedAt, performance.now())
    return new Transaction(connection, row!, clock)
  }

  /** The number of the newest event, this transaction's own included. */
  get last(): number {
    return this.#last
  }

  all<Row>(query: Query): Row[] | Promise<Row[]> {
    return this.#sql.all<Row>(query)
  }

  /**
   * Writes what nobody needs an answer to. On PostgreSQL it is on its way while the next statement is being made; if it
   * fails, so does the commit.
   */
  write(query: Query): void {
    const done = this.#sql.all(query)
    // The driver knows of it; here it must not count as a failure that nobody handles.
    if (done instanceof Promise) done.catch(() => {})
  }

  /** Writes an event and returns its number. */
  journal(event: NewEvent): number {
    this.#last += 1
    this.#events.push({ ...event, seq: this.#last })
    return this.#last
  }

  /** Notes messages that came to, or left, a device's queue. */
  queued(deviceId: string, count: 1 | -1, parts: number, pinned: boolean): void {
    let change = this.#loads.get(deviceId)
    if (!change) {
      change = { device_id: deviceId, waiting: 0, parts: 0, movable: 0 }
      this.#loads.set(deviceId, change)
    }
    change.waiting += count
    change.parts += count * parts
    if (!pinned) change.movable += count
  }

  devicesChanged(): void {
    this.#devicesChanged = true
  }

  /** The last writes. Nobody waits for their answers: the commit does. */
  finish(): void {
    this.#writeLoads()
    this.#writeJournal()
    if (this.#devicesChanged) this.write(sql`UPDATE counters SET value = value + 1 WHERE name = 'devices'`)
  }

  #writeLoads(): void {
    const changes = [...this.#loads.values()].filter(
      change => change.waiting !== 0 || change.parts !== 0 || change.movable !== 0,
    )
    if (changes.length === 0) return
    const columns = { device_id: 'text', waiting: 'bigint', parts: 'bigint', movable: 'bigint' } as const
    this.write(sql`
      UPDATE loads SET waiting = loads.waiting + r.waiting, waiting_parts = waiting_parts + r.parts,
        movable = loads.movable + r.movable
      ${from(columns, changes)} WHERE loads.device_id = r.device_id`)
  }

  #writeJournal(): void {
    if (this.#events.length === 0) return
    const columns = {
      seq: 'bigint',
      environment_id: 'bigint',
      type: 'text',
      message_seq: 'bigint',
      received_seq: 'bigint',
      device_id: 'text',
      n: 'bigint',
      data: 'text',
    } as const
    const items = this.#events.map(event => ({
      seq: event.seq,
      environment_id: event.environmentId,
      type: event.type,
      message_seq: subject(event.messageSeq, event.seq),
      received_seq: subject(event.receivedSeq, event.seq),
      device_id: event.deviceId ?? null,
      n: event.n ?? null,
      data: event.data ? JSON.stringify(event.data) : '{}',
    }))
    this.write(sql`INSERT INTO events ${values(columns, items, { at: this.at })}`)
    this.write(sql`UPDATE counters SET value = ${this.#last}, at = ${this.at} WHERE name = 'journal'`)
  }
}

const subject = (of: number | 'self' | undefined, seq: number) => (of === 'self' ? seq : (of ?? null))
