/** What WhatsApp forbids is not tried. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Restrictions } from './restrictions.ts'

function watched() {
  const told: [string, number | null][] = []
  const restrictions = new Restrictions({
    restricted: until => told.push(['new chats', until]),
    rests: until => told.push(['everything', until]),
    now: () => 0,
  })
  return { restrictions, told }
}
const hour = 3_600_000

test('a lock on new chats stops strangers only; one on linked devices stops everything; lifted, both end', () => {
  const { restrictions, told } = watched()
  const timeEnforcementEnds = new Date(hour)
  restrictions.changed({ isActive: true, timeEnforcementEnds, enforcementType: 'DEFAULT' })
  assert.deepEqual(told.splice(0), [['new chats', hour]])
  for (const enforcementType of ['WEB_COMPANION_ONLY', 'BIZ_QUALITY']) {
    restrictions.changed({ isActive: true, timeEnforcementEnds, enforcementType })
    assert.deepEqual(told.splice(0), [
      ['new chats', hour],
      ['everything', hour],
    ])
  }
  restrictions.changed({ isActive: false, enforcementType: 'DEFAULT' })
  assert.deepEqual(told.splice(0), [
    ['new chats', null],
    ['everything', null],
  ])
})
test('three refusals in a row make the number rest; one that was taken between them does not', () => {
  const { restrictions, told } = watched()
  const rests = () => told.splice(0).some(([what]) => what === 'everything')
  restrictions.refused()
  restrictions.refused()
  restrictions.taken()
  restrictions.refused()
  restrictions.refused()
  assert.equal(rests(), false)
  restrictions.refused()
  assert.equal(rests(), true)
})
