/** What happened in an environment over time, from counts per hour. */

import { meaningOf } from '../messages/message.ts'

export const hourMs = 3_600_000

/** How many times something happened in an hour. `what` is one of the words below, or one with a reason behind it. */
export type Tally = { hour: number; what: string; n: number }

export const counted = [
  'accepted',
  'sent',
  'delivered',
  'failed',
  'expired',
  'unknown',
  'canceled',
  'received',
] as const
export type Counted = (typeof counted)[number]

/** From acceptance to delivery, in steps: which one a message fell into is counted as `within <ms>`. */
export const deliverySteps = [
  1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 1_800_000, 7_200_000, 86_400_000,
]

export const periods = { '24h': 24, '7d': 7 * 24, '30d': 30 * 24 } as const
export type Period = keyof typeof periods

type Counts = Record<Counted, number>
export type Point = Counts & { at: number }

export type Stats = {
  since: number
  points: Point[]
  totals: Counts
  /** Of those that ended, how many arrived; null: none ended. */
  deliveryRate: number | null
  /** Half, and 19 of 20, were delivered within so many seconds; null: none was. */
  medianSeconds: number | null
  slowSeconds: number | null
  errors: { code: string; detail: string; count: number }[]
}

const none = (): Counts => Object.fromEntries(counted.map(word => [word, 0])) as Counts

/** The first hour of a period that ends now. */
export function sinceOf(period: Period, now: number, offsetMs: number): number {
  if (period === '24h') return now - (now % hourMs) - 23 * hourMs
  const day = 24 * hourMs
  const today = Math.floor((now + offsetMs) / day) * day - offsetMs
  // Hours are counted whole; a zone that is half an hour off begins its days half an hour early.
  return Math.floor((today - (periods[period] / 24 - 1) * day) / hourMs) * hourMs
}

export function statsOf(tallies: readonly Tally[], period: Period, since: number): Stats {
  const step = period === '24h' ? hourMs : 24 * hourMs
  const points: Point[] = []
  const count = period === '24h' ? 24 : periods[period] / 24
  for (let n = 0; n < count; n += 1) points.push({ at: since + n * step, ...none() })
  const totals = none()
  const reasons = new Map<string, number>()
  const within = new Map<number, number>()
  let found = 0
  for (const { hour, what, n } of tallies) {
    const [word = '', reason] = what.split(' ', 2)
    if (word === 'found') found += n
    if (word === 'within') within.set(Number(reason), (within.get(Number(reason)) ?? 0) + n)
    if (!counted.includes(word as Counted)) continue
    totals[word as Counted] += n
    const point = points[Math.min(count - 1, Math.floor((hour - since) / step))]
    if (point) point[word as Counted] += n
    if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + n)
  }
  // What was delivered had been sent; earlier versions did not count it where nobody had said so.
  totals.sent = Math.max(totals.sent, totals.delivered)
  // Those that a device answered for after all.
  totals.unknown = Math.max(0, totals.unknown - found)
  const { delivered, failed, expired, unknown } = totals
  const ended = delivered + failed + expired + unknown
  return {
    since,
    points,
    totals,
    deliveryRate: ended === 0 ? null : delivered / ended,
    medianSeconds: secondsFor(within, 0.5),
    slowSeconds: secondsFor(within, 0.95),
    errors: [...reasons]
      .sort((a, b) => b[1] - a[1])
      .slice(0, mostErrors)
      .map(([code, count]) => ({ code, detail: meaningOf(code).detail, count })),
  }
}

const mostErrors = 10

function secondsFor(within: ReadonlyMap<number, number>, share: number): number | null {
  const all = [...within.values()].reduce((sum, n) => sum + n, 0)
  let sum = 0
  for (const [ms, n] of [...within].sort((a, b) => a[0] - b[0])) {
    sum += n
    if (sum >= all * share) return ms / 1_000
  }
  return null
}
