/** Names and texts are cut between characters. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attachmentName } from '../inbox/attachment.ts'
import { cut } from './cut.ts'

test('no cut leaves half a character behind', () => {
  for (const length of [1, 2, 3, 4, 5]) assert.ok(cut('a😀😀b', length).isWellFormed(), String(length))
  assert.equal(cut('a😀b', 3), 'a😀')
  assert.equal(cut('a😀b', 2), 'a')
  assert.equal(cut('ab', 5), 'ab')
  const name = attachmentName(`${'x'.repeat(119)}😀.pdf`)!
  assert.ok(name.isWellFormed())
  assert.equal(name, 'x'.repeat(119))
})
