/** The power may fail at any moment: what was accepted is there afterwards, and the file is whole. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { scratch } from '../standins/databases.ts'
import { compileRecorder, RecordedDisk } from '../standins/disk/recorded-disk.ts'
import { seeded } from '../standins/random.ts'

/** `npm run torture` has more of them. */
const losses = Number(process.env.POWER_LOSSES ?? 12)
/** Enough for the log to begin again at its start. */
const messages = 8_000
const writer = join(import.meta.dirname, '../standins/disk/writer.ts')

describe('power losses on SQLite', () => {
  const folder = scratch()
  const recorder = compileRecorder(folder)
  for (const disk of ['quick', 'slow'])
    test(`nothing that was accepted is lost on a ${disk} disk`, {
      skip: !recorder && 'no C compiler',
    }, () => {
      const seed = Number(process.env.SEED ?? 42)
      const random = seeded(seed)
      const home = join(folder, disk)
      mkdirSync(home)
      const record = join(folder, `${disk}.record`)
      const run = spawnSync(
        process.execPath,
        [writer, join(home, 'live.db'), join(home, 'ledger'), String(messages), disk],
        {
          env: { ...process.env, LD_PRELOAD: recorder, DISK_FILES: `${home}/`, DISK_RECORD: record },
          encoding: 'utf8',
        },
      )
      assert.equal(run.status, 0, run.stderr)
      const recorded = new RecordedDisk(record)
      let seen = 0
      for (let n = 1; n <= losses; n += 1) {
        const moment = n === losses ? recorded.length : Math.floor(random() * recorded.length)
        const accepted = recorded.contentsAt(moment, 'ledger').split('\n').slice(0, -1)
        const left = join(home, 'left')
        mkdirSync(left)
        recorded.leave(left, moment, random)
        const what = `seed ${seed}, loss ${n}, at ${moment} of ${recorded.length}`
        seen += check(join(left, 'live.db'), accepted, what)
        rmSync(left, { recursive: true })
      }
      assert.ok(seen > messages, `only ${seen} accepted messages were looked for`)
    })
})

/** Returns how many were looked for. */
function check(path: string, accepted: readonly string[], what: string): number {
  const database = new DatabaseSync(path)
  try {
    const { integrity_check: verdict } = database.prepare('PRAGMA integrity_check').get() as {
      integrity_check: string
    }
    assert.equal(verdict, 'ok', what)
    // Before the tables were made, nothing can have been accepted.
    if (accepted.length === 0) return 0
    const kept = new Set(
      database
        .prepare('SELECT id FROM messages')
        .all()
        .map(({ id }) => id),
    )
    const lost = accepted.filter(id => !kept.has(id))
    assert.deepEqual(lost, [], what)
    return accepted.length
  } finally {
    database.close()
  }
}
