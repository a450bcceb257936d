/** Beside what a user would pick instead, in one run: medians of interleaved rounds, as ratios. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Generator, type Measured } from './generator.ts'
import { Kannel } from './kannel.ts'
import { median, Server, text } from './process.ts'
import { perSecond, report } from './report.ts'

const rounds = 5
const connections = 64

/** What was measured of one shot. */
type Figures = { rate: number; cores: number; p50: number; p99: number }

export async function peers(folder: string): Promise<void> {
  const generator = Generator.compile(folder)
  if (!generator || !Kannel.isThere()) {
    const missing = generator ? 'Kannel (apt-get install kannel)' : 'a C compiler'
    console.log(`\n${'!'.repeat(80)}\nSKIPPED: the comparison needs ${missing}.\n${'!'.repeat(80)}\n`)
    return
  }
  const kannel = await Kannel.start(join(folder, 'kannel'), generator)
  const durable = await Server.start('durable', `sqlite:${join(folder, 'peers.db')}`)
  const phones = await Server.start('phones', `sqlite:${join(folder, 'peers-phones.db')}`)
  const ofKannel = { port: kannel.port, connections }
  const ours = { port: durable.port, connections }
  const single = durable.request('POST', '/sms/send', { to: '+1555########7', message: text })
  const bulk = durable.request('POST', '/sms/bulk', {
    recipients: Array.from({ length: 100 }, () => '+1555########7'),
    message: text,
  })
  const { message_id: id } = await durable.client().send({ to: '+15550000007', message: text })
  const status = durable.request('GET', `/sms/status/${id}`)
  const received = durable.request('GET', '/messages/received')
  const toPhones = (requests: number) =>
    generator.run({
      port: phones.port,
      connections,
      requests,
      request: phones.request('POST', '/sms/send', { to: '+1555########7', message: text }),
    })
  const shoot = (pids: readonly number[], shot: Parameters<Generator['run']>[0]) =>
    watched(pids, shot.requests, () => generator.run(shot))
  const measures: Record<string, () => Promise<Figures>> = {
    kannel: () => shoot(kannel.pids, { ...ofKannel, requests: 20_000, request: kannel.request(1, text) }),
    durable: () => shoot(durable.pids, { ...ours, requests: 20_000, request: single }),
    kannelBulk: () =>
      shoot(kannel.pids, { ...ofKannel, connections: 16, requests: 200, request: kannel.request(100, text) }),
    bulk: () => shoot(durable.pids, { ...ours, connections: 16, requests: 600, request: bulk }),
    kannelSteady: () =>
      shoot(kannel.pids, { ...ofKannel, requests: 9_000, rate: 3_000, request: kannel.request(1, text) }),
    steady: () => shoot(durable.pids, { ...ours, requests: 9_000, rate: 3_000, request: single }),
    status: () => shoot(durable.pids, { ...ours, requests: 20_000, request: status }),
    received: () => shoot(durable.pids, { ...ours, requests: 20_000, request: received }),
    endToEnd: async () => ({ rate: await phones.endToEnd(20_000, toPhones), cores: 0, p50: 0, p99: 0 }),
  }
  try {
    show(await inTurn(measures))
  } finally {
    await Promise.all([durable.stop(), phones.stop(), kannel.stop()])
  }
}

function show(found: Record<string, Figures>): void {
  const of = (name: string) => found[name]!
  const compare = (what: string, one: Figures, other: Figures, target: number, factor = 1) =>
    report(what, (one.rate * factor) / (other.rate * factor), target, words(one, other, factor))
  compare('durable sends ÷ Kannel, which never syncs', of('durable'), of('kannel'), 1.5)
  report(
    'the same for each core used',
    perCore(of('durable')) / perCore(of('kannel')),
    2,
    `${of('durable').cores.toFixed(2)} and ${of('kannel').cores.toFixed(2)} cores`,
  )
  compare('bulk recipients ÷ Kannel', of('bulk'), of('kannelBulk'), 8, 100)
  compare('end to end with two receipts ÷ Kannel accepting', of('endToEnd'), of('kannel'), 0.9)
  report(
    'p99 at 3,000 sends a second ÷ Kannel’s',
    of('steady').p99 / of('kannelSteady').p99,
    2,
    `${latency(of('steady'))} ÷ ${latency(of('kannelSteady'))}`,
    true,
  )
  compare('GET status ÷ sends', of('status'), of('durable'), 1.2)
  compare('GET received ÷ sends', of('received'), of('durable'), 1.2)
}

const perCore = ({ rate, cores }: Figures) => rate / cores
const latency = ({ p50, p99 }: Figures) => `${p50.toFixed(2)}/${p99.toFixed(2)} ms`
const words = (one: Figures, other: Figures, factor: number) =>
  `${perSecond(one.rate * factor)} ÷ ${perSecond(other.rate * factor)}`

/** Each once to warm up, then round by round, every other one backwards. */
async function inTurn(measures: Record<string, () => Promise<Figures>>): Promise<Record<string, Figures>> {
  const names = Object.keys(measures)
  const all: Record<string, Figures[]> = Object.fromEntries(names.map(name => [name, []]))
  for (let round = 0; round <= rounds; round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figures = await measures[name]!()
      if (round > 0) all[name]!.push(figures)
    }
  const middle = (list: Figures[], part: keyof Figures) => median(list.map(one => one[part]))
  return Object.fromEntries(
    names.map(name => {
      const list = all[name]!
      const [rate, cores] = [middle(list, 'rate'), middle(list, 'cores')]
      return [name, { rate, cores, p50: middle(list, 'p50'), p99: middle(list, 'p99') }]
    }),
  )
}

async function watched(
  pids: readonly number[],
  requests: number,
  measure: () => Promise<Measured>,
): Promise<Figures> {
  const before = secondsOf(pids)
  const { seconds, p50, p99 } = await measure()
  return { rate: requests / seconds, cores: (secondsOf(pids) - before) / seconds, p50, p99 }
}

/** Processor time, of all their threads: the kernel counts in hundredths of a second. */
function secondsOf(pids: readonly number[]): number {
  const ticks = pids.map(pid => {
    const [, rest = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    const fields = rest.split(' ').map(Number)
    return fields[11]! + fields[12]!
  })
  return ticks.reduce((sum, one) => sum + one, 0) / 100
}
