/** basestation simulate: pretend phones that speak the app's protocol, for load and for demos. */

import type { Basestation } from '../../sdk/src/index.ts'
import { hashSecret, hintOf, newSecret } from '../core/key.ts'
import { Crowd, type Tally } from '../simulator/crowd.ts'
import { calm, usual } from '../simulator/trouble.ts'
import { type Command, type Context, exitCodes, type Given, UsageError } from './command.ts'
import { counted } from './output.ts'
import { clientOf, clientOptions } from './with-client.ts'
import { environmentId, withStore } from './with-store.ts'

const atOnce = 25
const lineMs = 1_000

export const simulate: Command = {
  name: 'simulate',
  about: 'Run pretend phones against a gateway’s staging environment',
  options: {
    phones: { type: 'string', value: 'N', about: 'how many (default: 10)' },
    seconds: { type: 'string', value: 'N', about: 'stop after so long (default: with Ctrl-C)' },
    calm: { type: 'boolean', about: 'no delays, losses, repeated or overtaken reports' },
    ...clientOptions,
  },
  more: [
    'The phones speak the SMSGate app’s protocol over HTTP. Recipients choose their fate as with simulated phones.',
    'Without a key the gateway on this machine is used, and a key is made in its database for as long as this runs.',
    'A key of another gateway must be a staging key with the scopes devices:read and devices:manage; each phone costs',
    'it a request at the beginning and one at the end.',
  ].join('\n'),
  async run(context) {
    const { given } = context
    const count = numberOf(given, 'phones', 10, 10_000)
    const seconds = given.text('seconds') === undefined ? Infinity : numberOf(given, 'seconds', 1, 86_400)
    return await withClient(context, client => runCrowd(context, client, count, seconds))
  },
}

async function runCrowd(
  { given, output }: Context,
  client: Basestation,
  count: number,
  seconds: number,
): Promise<number> {
  const crowd = new Crowd({ trouble: given.flag('calm') ? calm : usual })
  const devices: string[] = []
  const ended = endOf(seconds)
  output.say(`Adding ${counted(count, 'phone')} to ${client.base} …`)
  const show = liveLine(line => output.live(line.tally, () => line.text), crowd.tally, count)
  try {
    await inSteps(count, async index => {
      if (ended.now) return
      const name = `App phone ${index + 1}`
      const { data } = await client.addDevice({ kind: 'android', name, per_minute: null })
      devices.push(data.id)
      const { url, token } = data.enrolment!
      await Promise.race([crowd.join({ url, enrolmentToken: token, name }), ended.promise])
    })
    output.say('They are on. Send to them through the staging API; stop with Ctrl-C.')
    await ended.promise
  } finally {
    show.stop()
    crowd.stop()
    output.say(`\nRemoving ${counted(devices.length, 'phone')} …`)
    await inSteps(devices.length, async index => {
      await client.removeDevice(devices[index]!)
    })
  }
  output.say(lineOf(crowd.tally, count))
  return crowd.tally.twice === 0 ? exitCodes.ok : exitCodes.failed
}

/** With the given key, or with one of its own on the gateway of this machine. */
async function withClient(context: Context, work: (client: Basestation) => Promise<number>): Promise<number> {
  const { given, config } = context
  const key = given.text('key') ?? config.BASESTATION_KEY
  if (key !== undefined) {
    if (!key.startsWith('bs_test_'))
      throw new UsageError('pretend phones exist only in staging: use a staging key')
    // Adding many phones may meet the key's rate limit: then it waits.
    return await work(clientOf(context, { retries: 100, longestWait: 120 }))
  }
  if (given.text('url') !== undefined) throw new UsageError('--url needs a key: --key, or BASESTATION_KEY')
  return await withStore(context, async store => {
    const secret = newSecret('staging')
    const { id } = await store.addKey(
      {
        environmentId: await environmentId(store, 'staging'),
        name: 'basestation simulate',
        scopes: ['devices:read', 'devices:manage'],
        rateLimit: 1_000_000,
        allowedIps: [],
        expiresAt: Date.now() + 86_400_000,
        createdBy: 'basestation simulate',
      },
      hashSecret(secret),
      hintOf(secret),
    )
    try {
      return await work(clientOf(context, { key: secret }))
    } finally {
      await store.revokeKey(id)
    }
  })
}

async function inSteps(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const worker = async () => {
    while (next < count) {
      next += 1
      await work(next - 1)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, count) }, worker))
}

function endOf(seconds: number) {
  const end = { now: false, promise: Promise.resolve() }
  end.promise = new Promise<void>(resolve => {
    const stop = () => {
      end.now = true
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(stop, Math.min(seconds * 1_000, 2 ** 31 - 1))
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  })
  return end
}

/** One line that is written over and over on a terminal, and a line a second anywhere else. */
function liveLine(
  step: (line: { tally: Tally & { per_second: number }; text: string }) => void,
  tally: Tally,
  count: number,
): { stop: () => void } {
  let before = 0
  const timer = setInterval(() => {
    const rate = tally.onAir - before
    before = tally.onAir
    step({ tally: { ...tally, per_second: rate }, text: `${lineOf(tally, count)} · ${rate} a second` })
  }, lineMs)
  return { stop: () => clearInterval(timer) }
}

const lineOf = (tally: Tally, count: number): string =>
  [
    `${tally.online} of ${counted(count, 'phone')} online`,
    `${tally.taken} taken`,
    `${tally.sent} sent`,
    `${tally.delivered} delivered`,
    `${tally.failed} failed`,
    `${tally.received} received`,
    `${tally.lost} tried again`,
    ...(tally.twice > 0 ? [`${tally.twice} SENT TWICE`] : []),
  ].join(' · ')

function numberOf(given: Given, name: string, otherwise: number, most: number): number {
  const text = given.text(name)
  if (text === undefined) return otherwise
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < 1 || value > most)
    throw new UsageError(`--${name} must be a number from 1 to ${most}`)
  return value
}
