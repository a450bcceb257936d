/** When a phone is told to ask, turn by turn of a clock that stands still in between. */

import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { Contact } from './contact.ts'
import type { Stream } from './stream.ts'

let events: number[]
let contact: Contact
const start = 1_000_000_000_000

beforeEach(() => {
  mock.timers.reset()
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: start })
  events = []
  contact = new Contact('d', Date.now)
  const stream = { push: () => events.push(Date.now() - start), end: () => {}, tokenHash: 't' }
  contact.add(stream as object as Stream)
})

test('the first message is told at once, those behind it together, two seconds later', () => {
  for (let n = 0; n < 5; n += 1) contact.nudge()
  assert.deepEqual(events, [0])
  mock.timers.tick(1_999)
  assert.deepEqual(events, [0])
  mock.timers.tick(1)
  assert.deepEqual(events, [0, 2_000])
})

test('a phone that took everything is not told for nothing', () => {
  contact.nudge()
  contact.nudge()
  contact.satisfied()
  mock.timers.tick(10_000)
  assert.deepEqual(events, [0])
})

test('while its pace is used up it is not told; when its time has come it is, without waiting for its poll', () => {
  contact.rest(start + 60_000)
  for (let n = 0; n < 50; n += 1) {
    contact.nudge()
    mock.timers.tick(1_000)
  }
  assert.deepEqual(events, [])
  mock.timers.tick(10_000)
  assert.deepEqual(events, [60_000])
})

test('a raised pace is felt at once', () => {
  contact.rest(start + 60_000)
  contact.rest(0)
  assert.deepEqual(events, [0])
})

test('what was not acknowledged is asked for again, ever more seldom', () => {
  contact.expectAcknowledgement()
  const asked: number[] = []
  for (let second = 0; second < 200; second += 1) {
    if (contact.acknowledgementIsDue) {
      asked.push(second)
      contact.acknowledged(false)
    }
    mock.timers.tick(1_000)
  }
  assert.deepEqual(asked, [15, 45, 105])
  contact.acknowledged(true)
  mock.timers.tick(10_000_000)
  assert.equal(contact.acknowledgementIsDue, false)
})

test('without a stream nobody is told', () => {
  const other = new Contact('e', Date.now)
  other.nudge()
  assert.equal(other.isDeaf(), false)
})
