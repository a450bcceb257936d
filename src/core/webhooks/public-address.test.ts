/** What is not surely public is not public. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPublicAddress } from './public-address.ts'

test('translated, mapped and missing addresses are not public', () => {
  for (const address of [
    '',
    'x',
    '::ffff:0:7f00:1',
    '::ffff:0:127.0.0.1',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '127.1',
  ])
    assert.equal(isPublicAddress(address), false, address)
  for (const address of ['1.1.1.1', '2606:4700::1111']) assert.equal(isPublicAddress(address), true, address)
})
