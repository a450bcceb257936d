/** Which version of WhatsApp Web is told to the server. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readVersion, type WebVersion, WebVersions } from './web-version.ts'

test('the newest is looked up first, once for many numbers, and again when it is refused', async () => {
  let looks = 0
  let newest: WebVersion | undefined = [2, 3000, 1]
  let now = 0
  const versions = new WebVersions({
    lookUp: async () => {
      looks += 1
      return newest
    },
    now: () => now,
  })
  assert.deepEqual(await Promise.all([versions.get(), versions.get(), versions.get()]), Array(3).fill(newest))
  assert.equal(looks, 1)
  newest = [2, 3000, 2]
  versions.refused()
  assert.deepEqual(await versions.get(), newest)
  now += 13 * 3_600_000
  await versions.get()
  assert.equal(looks, 3)
})
test('without an answer it is the library’s own, and nobody waits for each look-up in vain', async () => {
  let looks = 0
  const versions = new WebVersions({
    lookUp: async () => {
      looks += 1
      throw new Error('no network')
    },
    now: () => 0,
  })
  assert.deepEqual([await versions.get(), await versions.get()], [undefined, undefined])
  assert.equal(looks, 1)
})
test('what the operator set is used, and nothing is looked up', async () => {
  const chosen = readVersion('2.3000.1043857760')
  const versions = new WebVersions({ chosen, lookUp: () => assert.fail('asked'), now: () => 0 })
  assert.deepEqual(await versions.get(), [2, 3000, 1043857760])
  for (const odd of ['2.3000', 'x', '2.3000.1.2', '2.3000.-1']) assert.equal(readVersion(odd), undefined, odd)
})
