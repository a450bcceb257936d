import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isoTime, parseTime } from './time.ts'

const at = Date.UTC(2026, 10, 15, 9, 30)

test('times with and without offset, seconds and fractions are read', () => {
  for (const text of [
    '2026-11-15T09:30:00Z',
    '2026-11-15T09:30Z',
    '2026-11-15T09:30:00',
    '2026-11-15T09:30:00.000Z',
    '2026-11-15T11:30:00+02:00',
    '2026-11-15T11:30:00+0200',
    '2026-11-15T11:30:00+02',
    '2026-11-15T04:30:00-05:00',
    '2026-11-15t09:30:00z',
  ])
    assert.equal(parseTime(text), at, text)
  assert.equal(parseTime('2026-11-15'), Date.UTC(2026, 10, 15))
  assert.equal(parseTime('2026-11-15T09:30:00.123456789Z'), at + 123)
})

test('a blank where an offset’s + was meant is +', () => {
  assert.equal(parseTime('2026-11-15T11:30:00 02:00'), at)
})

test('what is no time is refused', () => {
  for (const text of [
    '',
    'yesterday',
    '2026-02-30',
    '2026-13-01',
    '2026-11-15T24:00:00Z',
    '2026-11-15T09:60Z',
    '2026-11-15T09:30:00+25:00',
    '1731663000',
    '15.11.2026',
    '2026-11-15T09',
  ])
    assert.equal(parseTime(text), undefined, text)
})

test('reading what was written gives the same time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), ms =>
      assert.equal(parseTime(isoTime(ms)), ms),
    ),
  )
})
