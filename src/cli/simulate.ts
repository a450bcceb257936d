/** basestation simulate: simulated phones that speak the app's protocol, for load and for demos. */

import type { Basestation } from '../../sdk/src/index.ts'
import { hashSecret, hintOf, newSecret } from '../core/access/key.ts'
import { inParallel } from '../core/lib/in-parallel.ts'
import { Crowd, type Tally } from '../simulator/crowd.ts'
import { calm, usual } from '../simulator/trouble.ts'
import { type Command, type Context, exitCodes, type Given, UsageError } from './command.ts'
import { counted, type Output } from './output.ts'
import { onStop } from './signals.ts'
import { clientOf, clientOptions, Unreachable } from './with-client.ts'
import { environmentId, withStore } from './with-store.ts'

const atOnce = 25
const lineMs = 1_000

export const simulate: Command = {
  name: 'simulate',
  about: 'Run simulated phones against a gateway’s staging environment',
  options: {
    phones: { type: 'string', value: 'N', about: 'how many (default: 10)' },
    seconds: { type: 'string', value: 'N', about: 'stop after so long (default: with Ctrl-C)' },
    calm: { type: 'boolean', about: 'no delays, losses, repeated or overtaken reports' },
    ...clientOptions,
  },
  more: [
    'The phones speak the SMSGate app’s protocol over HTTP. The last four digits of the recipient choose the outcome, as with simulated phones.',
    'Without a key the gateway on this machine is used, and a key is made in its database for as long as this runs.',
    'A key of another gateway must be a staging key with the scopes devices:read and devices:manage; each phone costs',
    'it a request at the beginning and one at the end.',
  ].join('\n'),
  async run(context) {
    const { given } = context
    const count = numberOf(given, 'phones', 10, 10_000)
    const seconds = given.text('seconds') === undefined ? Infinity : numberOf(given, 'seconds', 1, 86_400)
    return await withGround(context, ground => runCrowd(context, ground, count, seconds))
  },
}

/** A gateway to run phones against, and how to take one away that it will not take away itself. */
type Ground = { client: Basestation; remove?: (deviceId: string) => Promise<unknown> }

async function runCrowd(
  { given, output }: Context,
  { client, remove }: Ground,
  count: number,
  seconds: number,
): Promise<number> {
  const crowd = new Crowd({ trouble: given.flag('calm') ? calm : usual })
  const devices: string[] = []
  const ended = endOf(seconds)
  output.say(`Adding ${counted(count, 'phone')} to ${client.base} …`)
  const show = liveLine(output, crowd.tally, count)
  try {
    await inParallel(count, atOnce, async index => {
      if (ended.now) return
      const name = `App phone ${index + 1}`
      const { data } = await client.addDevice({ kind: 'android', name, per_minute: null })
      devices.push(data.id)
      const { url, token } = data.enrolment!
      await Promise.race([crowd.join({ url, enrolmentToken: token, name }), ended.promise])
    })
    const end = seconds === Infinity ? 'stop with Ctrl-C' : `this ends after ${counted(seconds, 'second')}`
    if (!ended.now) output.say(`They are on. Send to them through the staging API; ${end}.`)
    await ended.promise
  } finally {
    show.stop()
    crowd.stop()
    await removeAll(output, devices, id => client.removeDevice(id), remove)
  }
  output.step(wire(crowd.tally), () => statesOf(crowd.tally))
  return crowd.tally.twice === 0 ? exitCodes.ok : exitCodes.failed
}

/** Over the API; where the gateway is gone, in the database; and if both fail, it throws. */
async function removeAll(
  output: Output,
  devices: readonly string[],
  byGateway: (id: string) => Promise<unknown>,
  byHand: Ground['remove'],
): Promise<void> {
  if (devices.length === 0) return
  output.say(`Removing ${counted(devices.length, 'phone')} …`)
  const left: string[] = []
  await inParallel(devices.length, atOnce, async index => {
    const id = devices[index]!
    await byGateway(id)
      .catch(error => (byHand ? byHand(id) : Promise.reject(error)))
      .catch(() => left.push(id))
  })
  if (left.length > 0)
    throw new Unreachable(
      `The gateway is gone, and these phones are still there. Remove them later:\n${left
        .map(id => `  npx basestation devices remove ${id}`)
        .join('\n')}`,
    )
}

/** With the given key, or with one of its own on the gateway of this machine. */
async function withGround(context: Context, work: (ground: Ground) => Promise<number>): Promise<number> {
  const { given, config } = context
  const key = given.text('key') ?? config.BASESTATION_KEY
  if (key !== undefined) {
    if (!key.startsWith('bs_test_'))
      throw new UsageError('simulated phones exist only in staging: use a staging key')
    // Adding many phones may meet the key's rate limit: then it waits.
    return await work({ client: clientOf(context, { retries: 100, longestWait: 120 }) })
  }
  if (given.text('url') !== undefined) throw new UsageError('--url needs a key: --key, or BASESTATION_KEY')
  return await withStore(context, async store => {
    const secret = newSecret('staging')
    const key = await store.addKey(
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
      const client = clientOf(context, { key: secret })
      return await work({ client, remove: id => store.retire({ id, environmentId: key.environmentId }) })
    } finally {
      await store.revokeKey(key)
    }
  })
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
    onStop(stop)
  })
  return end
}

/** One line that is written over and over on a terminal, and a line a second anywhere else. */
function liveLine(output: Output, tally: Tally, count: number): { stop: () => void } {
  let before = 0
  const timer = setInterval(() => {
    const rate = tally.onAir - before
    before = tally.onAir
    const words = `${tally.online} of ${counted(count, 'phone')} online · ${rate} a second · ${statesOf(tally)}`
    output.live({ ...wire(tally), per_second: rate }, () => words)
  }, lineMs)
  return {
    stop: () => {
      clearInterval(timer)
      output.endLive()
    },
  }
}

const wire = ({ onAir, triedAgain, ...rest }: Tally) => ({
  ...rest,
  on_air: onAir,
  calls_tried_again: triedAgain,
})

const statesOf = (tally: Tally): string =>
  [
    `${tally.taken} taken`,
    `${tally.sent} sent`,
    `${tally.delivered} delivered`,
    `${tally.failed} failed`,
    ...(tally.canceled > 0 ? [`${tally.canceled} canceled`] : []),
    `${tally.received} received`,
    `${counted(tally.triedAgain, 'call')} tried again`,
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
