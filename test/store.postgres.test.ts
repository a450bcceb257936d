import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import type { Problem } from '../src/core/problem.ts'
import { openStore } from '../src/store/open.ts'
import './standins/databases.ts'
import { barePostgres, emptyPostgres } from './standins/postgres.ts'
import { storeContract } from './store.contract.ts'

storeContract('PostgreSQL', emptyPostgres)

test('five processes that start at once on a bare database migrate it once', async () => {
  const url = await barePostgres()
  const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(url, { now: Date.now })))
  for (const store of stores) {
    assert.equal((await store.environments()).length, 2)
    await store.close()
  }
})

test('requests are counted over all nodes, each at its own place', async () => {
  const url = await emptyPostgres()
  const clock = { now: 1_000_000 }
  const stores = await Promise.all([1, 2, 3].map(() => openStore(url, { now: () => clock.now })))
  const windows = await Promise.all(
    stores.flatMap(store => Array.from({ length: 40 }, () => store.countRequest!('key'))),
  )
  assert.deepEqual(
    windows.map(({ count }) => count).sort((a, b) => a - b),
    Array.from({ length: 120 }, (_, index) => index + 1),
  )
  clock.now += 60_000
  assert.deepEqual(await stores[0]!.countRequest!('key'), { startedAt: clock.now, count: 1 })
  for (const store of stores) await store.close()
})

test('a connection that breaks is replaced, and what was not answered may be tried again', async () => {
  const url = await emptyPostgres()
  const store = await openStore(url, { now: Date.now })
  await store.beat({ node: 'before' })
  const killer = new pg.Client({ connectionString: url })
  await killer.connect()
  await killer.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  )
  await killer.end()
  for (let tries = 0; ; tries += 1) {
    try {
      await store.beat({ node: 'after' })
      break
    } catch (error) {
      assert.equal((error as Problem).code, 'storage_unavailable')
      assert.ok(tries < 5)
    }
  }
  assert.deepEqual((await store.nodes()).map(({ name }) => name).sort(), ['after', 'before'])
  await store.close()
})
