import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Cache } from './cache.ts'

test('it remembers for its time, and no more than so many', () => {
  let now = 0
  const cache = new Cache(1_000, 2, () => now)
  cache.set('a', 1)
  now = 500
  cache.set('b', 2)
  assert.deepEqual([cache.get('a'), cache.get('b')], [1, 2])
  now = 1_000
  assert.deepEqual([cache.get('a'), cache.get('b')], [undefined, 2])
  cache.set('b', 3)
  cache.set('c', 4)
  cache.set('d', 5)
  assert.deepEqual([cache.get('b'), cache.get('c'), cache.get('d')], [undefined, 4, 5])
  cache.del('c')
  assert.equal(cache.get('c'), undefined)
  cache.flushAll()
  assert.equal(cache.get('d'), undefined)
})
