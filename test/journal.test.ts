/** The journal as others are told of it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Journal } from '../src/core/events/journal.ts'
import { sql } from '../src/store/engine/sql.ts'
import { openDriver, openStore } from '../src/store/open.ts'
import { emptySqlite } from './standins/databases.ts'
import { until } from './standins/gateway.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

const draft = {
  environmentId: 1,
  kind: 'android',
  name: 'x',
  phone: '',
  perMinute: null,
  perDay: null,
} as const

/** A journal with so many events, read by nobody so far. */
async function written(count: number, database?: string) {
  const store = await openStore(database ?? (await emptySqlite()), { now: Date.now })
  await Promise.all(Array.from({ length: count }, () => store.enrol(draft)))
  const shows: number[] = []
  const show = ({ seq }: { seq: number }) => {
    shows.push(seq)
    return { seq }
  }
  const journal = new Journal({ store, show, log })
  await journal.start()
  const shown = (seq: number) => shows.filter(one => one === seq).length
  return { store, journal, shown }
}

test('any event is found, however far back it lies and whoever has read', async () => {
  const { store, journal } = await written(700)
  for (const seq of [650, 1, 350, 700]) assert.equal((await journal.event(seq))?.seq, seq)
  assert.equal(await journal.event(701), undefined)
  await journal.stop()
  await store.close()
})

test('numbers without events at the end do not keep anybody: they are passed over', async () => {
  const database = await emptySqlite()
  const { store, journal } = await written(5, database)
  const driver = await openDriver(database)
  await driver.transact(async connection => {
    await connection.all(sql`UPDATE counters SET value = value + 1000 WHERE name = 'journal'`)
  })
  await driver.close()
  await until('it is seen', () => journal.head === 1_005)
  assert.deepEqual(await journal.read(5, 1, {}), { tellings: [], last: 1_005 })
  assert.equal((await journal.read(2, 1, {})).last, 5)
  await journal.stop()
  await store.close()
})

test('what was made before somebody was forgotten is made again', async () => {
  const { store, journal, shown } = await written(3)
  await store.enrol(draft)
  await until('it is seen', () => journal.head === 4)
  await journal.read(3, 1, {})
  await journal.read(3, 1, {})
  assert.equal(shown(4), 1, 'it is kept at hand')
  await store.noteErased(1, { messages: 1, received: 0, files: 0 })
  await until('it is seen', () => journal.head === 5)
  await journal.read(4, 1, {})
  await journal.read(3, 1, {})
  assert.equal(shown(4), 2)
  await journal.stop()
  await store.close()
})

test('readers at different places each get everything after theirs, once and in order', async () => {
  const { store, journal } = await written(900)
  const walk = async (from: number, limit: number) => {
    const heard: number[] = []
    let place = from
    while (place < journal.head) {
      const { tellings, last } = await journal.read(place, 1, {}, limit)
      heard.push(...tellings.map(({ seq }) => seq))
      assert.ok(last > place, 'it does not get on')
      place = last
    }
    return heard
  }
  const places = [0, 899, 450, 450, 10, 700]
  const heard = await Promise.all(places.map((from, index) => walk(from, 50 + index * 60)))
  for (const [index, from] of places.entries())
    assert.deepEqual(
      heard[index],
      Array.from({ length: 900 - from }, (_, n) => from + n + 1),
    )
  // A place that never was is like the end.
  assert.deepEqual(await journal.read(10_000, 1, {}), { tellings: [], last: 10_000 })
  await journal.stop()
  await store.close()
})
