import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Problem } from '../src/core/problem.ts'
import { openStore } from '../src/store/open.ts'
import { emptySqlite, scratch } from './standins/databases.ts'
import { storeContract } from './store.contract.ts'

storeContract('SQLite', emptySqlite)

test('a commit on SQLite waits for the disk: WAL with synchronous=FULL, asserted', async () => {
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
  await store.beat('node')
  clearInterval(beat)
  assert.ok(turns >= 20)
  other.close()
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
