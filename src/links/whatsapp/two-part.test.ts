import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Scratch } from './linked/session.ts'
import { TwoPart } from './two-part.ts'

test('the lesser counts, also when each half is noted at another node', async () => {
  const shared = Object.assign(new Scratch(), { list: async () => new Map(), forget: async () => {} })
  const [here, there] = [new TwoPart(shared), new TwoPart(shared)]
  const answers = await Promise.all([here.note('m', 0, 'sent'), there.note('m', 1, 'sent')])
  assert.ok(answers.includes('sent'))
  assert.equal(await here.note('m', 0, 'read'), 'sent')
  assert.equal(await there.note('m', 1, 'delivered'), 'delivered')
  // Late news takes nothing back.
  assert.equal(await there.note('m', 0, 'delivered'), 'delivered')
  assert.equal(await there.note('m', 1, 'read'), 'read')
  assert.equal(await here.hasLeft('n', 0), false)
})
