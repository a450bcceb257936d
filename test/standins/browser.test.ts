/** What becomes of the dashboard's tests where there is no browser. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { scratch } from './databases.ts'

const file = join(import.meta.dirname, '../flows/dashboard-setup.test.ts')

/** A machine on which nothing is found. */
function withoutBrowser(more: Record<string, string>) {
  const empty = scratch()
  return spawnSync(process.execPath, ['--test', file], {
    encoding: 'utf8',
    env: { PATH: empty, HOME: empty, PLAYWRIGHT_BROWSERS_PATH: empty, ...more },
  })
}

test('without a browser the dashboard’s tests are skipped, and say so loudly', () => {
  const { status, stdout, stderr } = withoutBrowser({})
  assert.equal(status, 0, stdout)
  assert.match(stdout + stderr, /SKIPPED: there is no browser/)
})
test('in CI that is a failure', () => {
  const { status, stdout } = withoutBrowser({ CI: 'true' })
  assert.equal(status, 1)
  assert.match(stdout, /SKIPPED: there is no browser/)
})
