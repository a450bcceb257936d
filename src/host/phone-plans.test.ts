import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complete } from './phone-plans.ts'

test('a number as it is dialled at home is completed with the country of the device', () => {
  assert.equal(complete('0171 2345678', '+491701234567'), '+491712345678')
  assert.equal(complete('(415) 555-2671', '+14155550123'), '+14155552671')
  assert.equal(complete('07911 123456', '+447911654321'), '+447911123456')
})
test('short codes, names and nonsense stay as they are', () => {
  for (const sender of ['72404', 'ACME', '', '1', 'STOP 0171 2345678', '0'.repeat(300)])
    assert.equal(complete(sender, '+491701234567'), undefined, sender)
  assert.equal(complete('0171 2345678', 'not a number'), undefined)
})

test('a number that has its calling code does not get it a second time', () => {
  assert.equal(complete('4915112345678', '+491701234567'), '+4915112345678')
  assert.equal(complete('14155552671', '+14155550123'), '+14155552671')
  // In Denmark a number at home may begin with the digits of the calling code.
  assert.equal(complete('45123456', '+4532123456'), '+4545123456')
})
