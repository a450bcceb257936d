import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseMs, verdictOf } from './reconnect.ts'

test('a session is forgotten only when WhatsApp ended it; what is not known passes', () => {
  assert.deepEqual(verdictOf(401), { again: 'never', attention: 'logged_out', forget: true })
  for (const code of [403, 406, 411])
    assert.deepEqual(verdictOf(code).again === 'never' && 'forget' in verdictOf(code), true)
  for (const code of [402, 403, 406, 411, 440, 405, 429, 500, 503, 428, 408, undefined])
    assert.notEqual((verdictOf(code) as { forget?: boolean }).forget, true, String(code))
  for (const code of [500, 503, 428, 408, 999, undefined]) assert.equal(verdictOf(code).again, 'soon')
  assert.equal(verdictOf(515).again, 'now')
})
test('pauses grow, end at a minute, and are never alike; a conflict is not fought over', () => {
  const pauses = Array.from({ length: 40 }, (_, attempt) => pauseMs({ again: 'soon' }, attempt))
  assert.ok(pauses[0]! < 1_300 && pauses[5]! > 40_000)
  assert.ok(Math.max(...pauses) <= 72_000)
  assert.ok(new Set(pauses).size > 30)
  assert.equal(pauseMs({ again: 'now' }, 9), 0)
  assert.ok(pauseMs(verdictOf(440), 0) > 60_000)
})
