import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allowsAddress, environmentOf, hashSecret, newSecret } from './key.ts'

test('a key names its environment and has 32 random characters and a checksum of 6', () => {
  assert.match(newSecret('production'), /^bs_live_[0-9A-Za-z]{38}$/)
  assert.match(newSecret('staging'), /^bs_test_[0-9A-Za-z]{38}$/)
  assert.equal(environmentOf(newSecret('production')), 'production')
  assert.equal(environmentOf(newSecret('staging')), 'staging')
  assert.notEqual(newSecret('staging'), newSecret('staging'))
})

test('a single wrong character is caught without a look-up', () => {
  const secret = newSecret('staging')
  fc.assert(
    fc.property(
      fc.integer({ min: 8, max: secret.length - 1 }),
      fc.constantFrom(...'09AZaz_'),
      (at, letter) => {
        fc.pre(secret[at] !== letter)
        assert.equal(environmentOf(secret.slice(0, at) + letter + secret.slice(at + 1)), undefined)
      },
    ),
  )
})

test('what is not a key is not one', () => {
  for (const text of [
    '',
    'bs_test_',
    'bs_live_short',
    newSecret('staging').slice(0, -1),
    `${newSecret('staging')}0`,
  ])
    assert.equal(environmentOf(text), undefined)
})

test('only a SHA-256 is kept', () => {
  assert.match(hashSecret(newSecret('staging')), /^[0-9a-f]{64}$/)
})

test('an allow-list takes addresses and networks of both families', () => {
  assert.equal(allowsAddress([], '203.0.113.5'), true)
  assert.equal(allowsAddress(['203.0.113.0/24'], '203.0.113.5'), true)
  assert.equal(allowsAddress(['203.0.113.0/24'], '203.0.114.5'), false)
  assert.equal(allowsAddress(['127.0.0.1'], '::ffff:127.0.0.1'), true)
  assert.equal(allowsAddress(['2001:db8::/32', '10.0.0.1'], '2001:db8::1'), true)
  assert.equal(allowsAddress(['10.0.0.1'], '10.0.0.2'), false)
  for (const broken of ['10.0.0.0/', '10.0.0.0/0x8', '10.0.0.0/8/9', '10.0.0.0/ 8'])
    assert.throws(() => allowsAddress([broken], '200.1.1.1'), broken)
})
