import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  afterHanding,
  dayPartsLeft,
  expectedWait,
  freshPace,
  mayHand,
  nextChance,
  type Pace,
} from './pace.ts'

const start = Date.UTC(2026, 10, 15, 12)

test('no 60 seconds ever see more parts than the limit, unless one message alone is longer', () => {
  const steps = fc.array(
    fc.record({ wait: fc.integer({ min: 0, max: 40_000 }), parts: fc.integer({ min: 1, max: 4 }) }),
    {
      minLength: 1,
      maxLength: 60,
    },
  )
  fc.assert(
    fc.property(steps, fc.integer({ min: 4, max: 12 }), (list, perMinute) => {
      const limits = { perMinute, perDay: null }
      let pace: Pace = freshPace
      let now = start
      const handed: { at: number; parts: number }[] = []
      for (const { wait, parts } of list) {
        now += wait
        if (!mayHand(limits, pace, parts, now)) continue
        pace = afterHanding(pace, parts, now)
        handed.push({ at: now, parts })
      }
      for (const { at } of handed) {
        const within = handed.filter(other => other.at > at - 60_000 && other.at <= at)
        assert.ok(within.reduce((sum, { parts }) => sum + parts, 0) <= perMinute)
      }
    }),
  )
})

test('what does not fit now fits at the next chance, step by step', () => {
  const limits = { perMinute: 5, perDay: null }
  let pace = freshPace
  for (let n = 0; n < 5; n += 1) pace = afterHanding(pace, 1, start + n * 1_000)
  const later = start + 4_500
  assert.equal(mayHand(limits, pace, 1, later), false)
  const chance = nextChance(limits, pace, 1, later)
  assert.ok(chance > later && chance <= start + 62_000)
  assert.equal(mayHand(limits, pace, 1, chance), true)
})

test('a message longer than a minute’s limit goes alone', () => {
  const limits = { perMinute: 3, perDay: null }
  assert.equal(mayHand(limits, freshPace, 10, start), true)
  assert.equal(mayHand(limits, afterHanding(freshPace, 1, start), 10, start), false)
})

test('the day’s budget is a hard limit and starts again at midnight UTC', () => {
  const limits = { perMinute: null, perDay: 10 }
  const pace = afterHanding(freshPace, 8, start)
  assert.equal(dayPartsLeft(limits, pace, start), 2)
  assert.equal(mayHand(limits, pace, 3, start), false)
  const midnight = nextChance(limits, pace, 3, start)
  assert.equal(midnight, Date.UTC(2026, 10, 16))
  assert.equal(mayHand(limits, pace, 3, midnight), true)
})

test('the wait grows with what waits, and is nothing while there is room', () => {
  const limits = { perMinute: 20, perDay: null }
  assert.equal(expectedWait(limits, freshPace, 10, 1, start), 0)
  assert.ok(expectedWait(limits, freshPace, 100, 1, start) > expectedWait(limits, freshPace, 40, 1, start))
})
