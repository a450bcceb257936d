/**
 * The time by which everything is decided. On PostgreSQL it is the database's own, so that nodes whose clocks differ agree;
 * between two looks at it, this process's monotonic clock goes on from the last.
 */

import type { Driver } from './driver.ts'
import { raw, type Sql, sql } from './sql.ts'

export interface Clock {
  now(): number
  /** A test turns it as it likes. */
  readonly isGiven: boolean
  /** A look at the database's clock: what it said, and between which moments of `performance.now()`. */
  observe(databaseMs: number, askedAt: number, answeredAt: number): void
}

/** A look is worth less the older it is: clocks drift. */
const freshMs = 10_000

export class DatabaseClock implements Clock {
  readonly isGiven = false
  /** What to add to `performance.now()`. */
  #offset = Date.now() - performance.now()
  /** By how much that may be wrong. */
  #doubtMs = Infinity
  #observedAt = 0

  now(): number {
    return Math.round(performance.now() + this.#offset)
  }

  observe(databaseMs: number, askedAt: number, answeredAt: number): void {
    const doubtMs = (answeredAt - askedAt) / 2
    const isNewer = answeredAt - this.#observedAt > freshMs
    // An estimate that cannot be true any more: somebody has set a clock, or this machine was asleep.
    const isWrong = Math.abs(databaseMs - (askedAt + doubtMs) - this.#offset) > doubtMs + this.#doubtMs
    if (doubtMs > this.#doubtMs && !isNewer && !isWrong) return
    this.#offset = databaseMs - (askedAt + doubtMs)
    this.#doubtMs = doubtMs
    this.#observedAt = answeredAt
  }
}

/** Milliseconds since 1970, as a whole number. */
export const databaseNow = raw('(EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint')

export async function clockOf(driver: Driver, given: (() => number) | undefined): Promise<Clock> {
  if (given) return { now: given, isGiven: true, observe: () => {} }
  if (driver.dialect === 'sqlite') return { now: Date.now, isGiven: false, observe: () => {} }
  const clock = new DatabaseClock()
  // The first look also connects, and takes too long to say much.
  for (let look = 0; look < 3; look += 1) await observe(clock, driver.reader)
  return clock
}

async function observe(clock: Clock, connection: Sql): Promise<void> {
  const askedAt = performance.now()
  const [row] = await connection.all<{ now: number }>(sql`SELECT ${databaseNow} AS now`)
  clock.observe(row!.now, askedAt, performance.now())
}
