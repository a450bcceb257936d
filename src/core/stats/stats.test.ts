import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sinceOf, statsOf } from './stats.ts'

const hour = 3_600_000
const day = 24 * hour

test('each period has its points, at any minute and in any zone', () => {
  for (const offset of [0, 330, 345, -570, 840, -720])
    for (let minute = 0; minute < 24 * 60; minute += 7) {
      const now = Date.UTC(2026, 10, 15) + minute * 60_000
      for (const [period, count] of [
        ['24h', 24],
        ['7d', 7],
        ['30d', 30],
      ] as const) {
        const since = sinceOf(period, now, offset * 60_000)
        const last = now - (now % hour)
        const { points, totals } = statsOf([{ hour: last, what: 'sent', n: 3 }], period, since)
        assert.equal(points.length, count)
        assert.equal(totals.sent, 3)
        assert.equal(points.at(-1)!.sent, 3, `${period} ${offset} ${minute}`)
      }
    }
})
test('a message that was answered for after all is not unknown', () => {
  const since = Date.UTC(2026, 10, 15)
  const tallies = [
    { hour: since, what: 'unknown no_answer', n: 2 },
    { hour: since + day - hour, what: 'found', n: 1 },
    { hour: since + day - hour, what: 'delivered', n: 1 },
  ]
  const { totals, deliveryRate, errors } = statsOf(tallies, '7d', since)
  assert.deepEqual([totals.unknown, totals.delivered, deliveryRate], [1, 1, 0.5])
  assert.deepEqual(
    errors.map(({ code, count }) => [code, count]),
    [['no_answer', 2]],
  )
})
