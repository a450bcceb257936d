/** npm run torture [-- name …]: the suites in their long form, one after the other. Takes hours, and ends by itself. */

import { spawnSync } from 'node:child_process'
import { startPostgres } from './standins/postgres.ts'

type Round = { what: string; files: readonly string[]; settings: Record<string, string> }

/** Printed, so that a run can be repeated. */
const seed = process.env.SEED ?? String(Date.now() % 1_000_000)

const rounds: readonly Round[] = [
  { what: 'who may use what', files: ['test/hostile/matrix.test.ts'], settings: {} },
  {
    what: 'addresses that lead inside',
    files: ['test/hostile/ssrf.test.ts', 'test/outbound/blocked.test.ts'],
    settings: {},
  },
  {
    what: 'bombs',
    files: ['test/hostile/bombs.test.ts', 'test/hostile/media.test.ts'],
    settings: { BOMBS: '10' },
  },
  {
    what: 'a million odd requests',
    files: ['test/hostile/fuzz.test.ts'],
    settings: { FUZZ_CASES: '1000000' },
  },
  {
    what: 'a thousand power losses',
    files: ['test/flows/power-loss.test.ts'],
    settings: { POWER_LOSSES: '1000', SEED: seed },
  },
  {
    what: 'a hundred kills',
    files: ['kill', 'phones-kill', 'whatsapp-kill', 'webhooks-kill', 'stream-restarts'].map(
      name => `test/flows/${name}.test.ts`,
    ),
    settings: { KILLS: '100' },
  },
  {
    what: 'cluster',
    files: ['cluster-faults', 'whatsapp-cluster', 'rolling-restart', 'cluster-exact', 'postgres-trouble'].map(
      name => `test/flows/${name}.test.ts`,
    ),
    settings: { FAULTS: '300', SEED: seed },
  },
]

const postgres = await startPostgres()
const failed: string[] = []
const asked = process.argv.slice(2)
const wanted = rounds.filter(({ what }) => asked.length === 0 || asked.some(word => what.includes(word)))
if (wanted.length === 0) throw new Error(`there are ${rounds.map(({ what }) => what).join(', ')}`)
console.log(`SEED=${seed}`)
for (const { what, files, settings } of wanted) {
  console.log(`\n=== ${what}`)
  const { status } = spawnSync(
    process.execPath,
    ['--test', '--test-reporter=spec', '--test-force-exit', '--test-timeout=10800000', ...files],
    { stdio: 'inherit', env: { TEST_POSTGRES_URL: postgres.url, ...settings, ...process.env } },
  )
  if (status !== 0) failed.push(what)
}
await postgres.stop()
console.log(failed.length === 0 ? '\nAll of it held.' : `\nFailed: ${failed.join(', ')}`)
process.exit(failed.length === 0 ? 0 : 1)
