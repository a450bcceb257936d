/** One transaction: numbers what happens, collects the journal and the changes of load, and writes both at the end. */

import type { EventType } from '../../core/events/event.ts'
import type { Dialect, Query, Sql } from './sql.ts'
import { from, sql, values, varying } from './sql.ts'

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

type LoadChange = { device_id: string; waiting: number; parts: number; movable: number }

export class Transaction implements Sql {
  readonly now: number
  readonly #sql: Sql
  #last: number
  #devicesChanged = false
  readonly #events: (NewEvent & { seq: number })[] = []
  readonly #loads = new Map<string, LoadChange>()
  readonly #written: Promise<unknown>[] = []

  private constructor(sql: Sql, last: number, now: number) {
    this.#sql = sql
    this.#last = last
    this.now = now
  }

  /**
   * The counter's row is locked until the commit, on PostgreSQL as on SQLite: writers take turns, numbers have no gaps
   * and become visible in order, so that a reader of the journal can never overtake a writer.
   */
  static async begin(connection: Sql, dialect: Dialect, now: number): Promise<Transaction> {
    const lock = varying(dialect === 'postgres' ? 'FOR UPDATE' : '')
    const [row] = await connection.all<{ value: number }>(
      sql`SELECT value FROM counters WHERE name = 'journal' ${lock}`,
    )
    return new Transaction(connection, row!.value, now)
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
   * fails, so does the transaction.
   */
  write(query: Query): void {
    const done = this.#sql.all(query)
    if (!(done instanceof Promise)) return
    // Looked at in finish(); until then a failure must not count as one that nobody handles.
    done.catch(() => {})
    this.#written.push(done)
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

  async finish(): Promise<void> {
    this.#writeLoads()
    this.#writeJournal()
    if (this.#devicesChanged) this.write(sql`UPDATE counters SET value = value + 1 WHERE name = 'devices'`)
    await Promise.all(this.#written)
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
    this.write(sql`INSERT INTO events ${values(columns, items, { at: this.now })}`)
    this.write(sql`UPDATE counters SET value = ${this.#last} WHERE name = 'journal'`)
  }
}

const subject = (of: number | 'self' | undefined, seq: number) => (of === 'self' ? seq : (of ?? null))
