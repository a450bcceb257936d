import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Problem } from '../src/core/problem.ts'
import { LogSync } from '../src/store/engine/log-sync.ts'
import { sql } from '../src/store/engine/sql.ts'
import { SqliteDriver } from '../src/store/engine/sqlite.ts'
import { openStore } from '../src/store/open.ts'
import { emptySqlite, scratch } from './standins/databases.ts'
import { until } from './standins/gateway.ts'
import { storeContract } from './store.contract.ts'

storeContract('SQLite', emptySqlite)

test('what may still be lost is not shown: on a slow disk, reading waits for the sync under way', async () => {
  const url = await emptySqlite()
  const driver = new SqliteDriver(url.slice('sqlite:'.length), true)
  await driver.transact(async tx => void (await tx.all(sql`CREATE TABLE notes (text TEXT)`)))
  const all = sql`SELECT text FROM notes`
  const written = driver.transact(async tx => void (await tx.all(sql`INSERT INTO notes VALUES ('new')`)))
  // Its commit needs no turn of the event loop; its sync does.
  for (let n = 0; n < 20; n += 1) await null
  assert.deepEqual(driver.unsyncedReader.all(all), [{ text: 'new' }])
  const read = driver.reader.all(all)
  assert.ok(read instanceof Promise)
  const order: string[] = []
  await Promise.all([written.then(() => order.push('written')), read.then(() => order.push('read'))])
  assert.deepEqual(await read, [{ text: 'new' }])
  assert.deepEqual(driver.reader.all(all), [{ text: 'new' }], 'once it is on disk nothing is waited for')
  await driver.close()
})

for (const disk of ['quick', 'slow'])
  test(`after a failed sync of a ${disk} disk nothing is written or read any more`, async () => {
    const log = new LogSync(join(scratch(), 'nowhere', 'x.db'), disk === 'slow')
    await assert.rejects(async () => await log.committed(), { code: 'storage_unavailable', fatal: true })
    assert.throws(() => log.check(), { fatal: true })
    await log.close()
  })

test('the log is copied back while writers go on, and begins again at its start', async () => {
  const path = (await emptySqlite()).slice('sqlite:'.length)
  const driver = new SqliteDriver(path)
  await driver.transact(async tx => void (await tx.all(sql`CREATE TABLE notes (text TEXT)`)))
  const text = 'x'.repeat(100_000)
  // 75 MB: three times what the log may hold.
  for (let n = 0; n < 750; n += 1) {
    await driver.transact(async tx => void (await tx.all(sql`INSERT INTO notes VALUES (${text})`)))
    await setImmediate()
  }
  const [log, copied] = [statSync(`${path}-wal`).size, statSync(path).size]
  assert.ok(log < 70_000_000 && copied > 20_000_000, `${log} bytes in the log, ${copied} copied`)
  await driver.close()
})

test('SQLite runs in WAL mode, or not at all', async () => {
  const url = await emptySqlite()
  const store = await openStore(url, { now: Date.now })
  await store.close()
  const file = new DatabaseSync(url.slice('sqlite:'.length))
  assert.equal((file.prepare('PRAGMA journal_mode').get() as { journal_mode: string }).journal_mode, 'wal')
  file.close()
  // A database in memory cannot be in WAL mode: it is refused rather than trusted.
  await assert.rejects(openStore('sqlite:/dev/null', { now: Date.now }))
})

test('another process that is writing is waited for, and the event loop goes on meanwhile', async () => {
  const url = await emptySqlite()
  const store = await openStore(url, { now: Date.now })
  const other = new DatabaseSync(url.slice('sqlite:'.length))
  other.exec('BEGIN IMMEDIATE')
  let turns = 0
  const beat = setInterval(() => {
    turns += 1
    if (turns === 20) other.exec('COMMIT')
  }, 5)
  await store.beat({ node: 'node' })
  clearInterval(beat)
  assert.ok(turns >= 20)
  other.close()
  await store.close()
})

test('a log that grew while somebody read for long is cut when it begins anew', async () => {
  const url = await emptySqlite()
  const path = url.slice('sqlite:'.length)
  const store = await openStore(url, { now: Date.now })
  const phone = { kind: 'simulated', name: 'P', phone: '', perMinute: null, perDay: null } as const
  const { id: device } = await store.enrol({ environmentId: 2, ...phone })
  const write = async (count: number) => {
    for (let n = 0; n < count; n += 1)
      await store.vaultWrite(
        device,
        Array.from({ length: 40 }, (_, id) => ({
          type: 't',
          id: String(id),
          value: randomBytes(25_000).toString('hex'),
        })),
      )
  }
  await write(5)
  const reader = new DatabaseSync(path, { readOnly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT COUNT(*) FROM vault').get()
  await write(60)
  const most = statSync(`${path}-wal`).size
  assert.ok(most > 100_000_000, `${most} bytes: nothing grew`)
  reader.exec('COMMIT')
  reader.close()
  await until('it is cut', async () => {
    await write(1)
    return statSync(`${path}-wal`).size < 80_000_000
  })
  await store.close()
})

test('a database of a newer program is not touched', async () => {
  const url = await emptySqlite()
  await (await openStore(url, { now: Date.now })).close()
  const file = new DatabaseSync(url.slice('sqlite:'.length))
  file.exec('INSERT INTO schema_version (version, at) VALUES (9999, 0)')
  file.close()
  await assert.rejects(openStore(url, { now: Date.now }), /needs a newer Basestation/)
})

test('a file that cannot be opened is a storage problem, said in words', async () => {
  const folder = join(scratch(), 'folder.db')
  mkdirSync(folder)
  await assert.rejects(
    openStore(`sqlite:${folder}`, { now: Date.now }),
    error => (error as Problem).code === 'storage_unavailable',
  )
})
