/** When a phone is told to ask, turn by turn of a clock that stands still in between. */

import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, mock, test } from 'node:test'
import { Contact } from './contact.ts'
import type { Stream } from './stream.ts'

describe('when a phone is told to ask', () => {
  let events: number[]
  let contact: Contact
  const start = 1_000_000_000_000

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'], now: start })
    events = []
    contact = new Contact('d', Date.now)
    const stream = { push: () => events.push(Date.now() - start), end: () => {}, tokenHash: 't' }
    contact.add(stream as object as Stream)
  })

  afterEach(() => mock.timers.reset())

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

  test('what was not acknowledged is asked for again, ever more seldom, until it is', () => {
    const asked = () => events.map(ms => ms / 1_000)
    for (let second = 0; second < 200; second += 1) {
      contact.remind()
      mock.timers.tick(1_000)
    }
    assert.deepEqual(asked(), [0, 15, 45, 105])
    contact.atEase()
    contact.remind()
    assert.deepEqual(asked(), [0, 15, 45, 105, 200])
  })

  test('a phone is asked to cancel each message, again after a while, and no more once it has answered', () => {
    contact.askToCancel(['a', 'b'])
    contact.askToCancel(['a', 'b'])
    assert.equal(events.length, 2)
    mock.timers.tick(5_000)
    contact.askToCancel(['b'])
    assert.equal(events.length, 3)
    contact.askToCancel(['a'])
    assert.equal(events.length, 4, 'asked again later, it is a new question')
  })

  test('without a stream nobody is told', () => {
    const other = new Contact('e', Date.now)
    other.nudge()
    assert.equal(other.isDeaf(), false)
  })

  test('a stream that is cut is gone at once, even if the other side never says that it ended', () => {
    assert.equal(contact.isOnline(), true)
    contact.cut()
    assert.equal(contact.hasStream, false)
    mock.timers.tick(90_000)
    assert.equal(contact.isOnline(), false)
  })

  test('however many streams a phone opens, only so many are kept', () => {
    for (let n = 0; n < 100; n += 1)
      contact.add({ push: () => events.push(n), end: () => {}, tokenHash: 't' } as object as Stream)
    contact.push('MessageEnqueued')
    assert.equal(events.length, 16)
    assert.equal(events.at(-1), 99)
  })
})
