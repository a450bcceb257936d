/** basestation devices set, pause, drain, resume: what may be changed about a device. */

import type { DeviceChange } from '../core/devices/device-draft.ts'
import * as rules from '../core/devices/device-rules.ts'
import { Fleet } from '../core/devices/fleet.ts'
import type { Safety } from '../core/devices/sending-safety.ts'
import { nameOf } from '../core/lib/name.ts'
import type { Candidate } from '../core/messages/choose.ts'
import { Problem } from '../core/problem.ts'
import type { Store } from '../core/store.ts'
import { shownDevice } from '../core/wire/device.ts'
import { openSealer } from '../secrets/secret-key.ts'
import { type Command, type Context, type Given, ruled, UsageError } from './command.ts'
import { secretFrom } from './secret-file.ts'
import { deviceNamed, withStore } from './with-store.ts'

export const shown = (member: Candidate) => ({
  ...shownDevice(member, Date.now()),
  environment: member.device.environment,
})

export async function fleetOf(store: Store): Promise<Fleet> {
  const fleet = new Fleet(store, Date.now)
  await fleet.refresh()
  return fleet
}

const set: Command = {
  name: 'devices set',
  about: 'Change a device',
  words: ['ID'],
  options: {
    name: { type: 'string', value: 'N', about: 'what to call it' },
    phone: { type: 'string', value: '+…', about: 'its phone number' },
    'per-minute': { type: 'string', value: 'N|none', about: 'SMS parts it may send in any 60 seconds' },
    'per-day': { type: 'string', value: 'N|none', about: 'SMS parts it may send on one day (UTC)' },
    'token-file': { type: 'string', value: 'F', about: 'WhatsApp’s official API: file with a new token' },
    'app-secret-file': {
      type: 'string',
      value: 'F',
      about: 'WhatsApp’s official API: file with a new secret',
    },
    gap: { type: 'string', value: 'S-S', about: 'WhatsApp: seconds between two messages, such as 3-8' },
    'new-chats-per-day': {
      type: 'string',
      value: 'N|none',
      about: 'WhatsApp: people it may write to for the first time on one day (UTC)',
    },
    'warm-up-days': {
      type: 'string',
      value: 'N',
      about: 'WhatsApp: for so many days after it was added it sends less',
    },
  },
  run: context => {
    const { given } = context
    const perMinute = limitOf(given, 'per-minute')
    const perDay = limitOf(given, 'per-day')
    const phone = phoneOf(given)
    const safety = safetyOf(given)
    const name = given.text('name')
    return changeDevice(context, 'Changed', renewalOf(given), {
      ...(name !== undefined && { name: ruled(() => nameOf(name)) }),
      ...(phone !== undefined && { phone }),
      ...(perMinute !== undefined && { perMinute }),
      ...(perDay !== undefined && { perDay }),
      ...(safety && { safety }),
    })
  },
}

const pause: Command = {
  name: 'devices pause',
  about: 'Pause a device: it gets no messages until it is resumed',
  words: ['ID'],
  run: context => changeDevice(context, 'Paused', undefined, { paused: true }),
}

const drain: Command = {
  name: 'devices drain',
  about: 'Drain a device: it finishes its queue and rejects new messages',
  words: ['ID'],
  run: context => changeDevice(context, 'Draining', undefined, { draining: true }),
}

const resume: Command = {
  name: 'devices resume',
  about: 'Resume a paused or draining device',
  words: ['ID'],
  run: context => changeDevice(context, 'Resumed', undefined, { paused: false, draining: false }),
}

type Renewal = { accessToken?: string; appSecret?: string }

/** New secrets of a number of the official API. */
function renewalOf(given: Given): Renewal | undefined {
  const accessToken = secretFrom(given, 'token-file')
  const appSecret = secretFrom(given, 'app-secret-file')
  if (accessToken === undefined && appSecret === undefined) return undefined
  return { ...(accessToken !== undefined && { accessToken }), ...(appSecret !== undefined && { appSecret }) }
}

function changeDevice(
  context: Context,
  done: string,
  renewal: Renewal | undefined,
  change: DeviceChange,
): Promise<undefined> {
  return withStore(context, async store => {
    const [id = ''] = context.given.words
    if (Object.keys(change).length === 0 && !renewal) throw new UsageError('nothing to change')
    const before = await deviceNamed(store, id)
    ruled(() => rules.checkChange(before, change))
    if (renewal) {
      const { renewCloudNumber } = await import('../wiring/add-cloud-number.ts')
      const { config } = context
      const sealer = await openSealer(store, config)
      const parts = { store, config, sealer, publicUrl: config.PUBLIC_URL }
      await renewCloudNumber(parts, before, renewal)
    }
    const device = await store.change(before, change)
    if (!device) throw missing(id)
    const member = (await fleetOf(store)).member(device.id)!
    context.output.show(shown(member), () => `${done} ${device.name}.`)
    return undefined
  })
}

export const missing = (id: string) =>
  new Problem('device_not_found', `There is no device with the id ${id}.`)

export function phoneOf(given: Given): string | undefined {
  const text = given.text('phone')
  return text === undefined ? undefined : ruled(() => rules.phoneOf(text))
}

function limitOf(given: Given, name: string): number | null | undefined {
  const text = given.text(name)
  if (text === undefined) return undefined
  if (text === 'none') return null
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`--${name} must be a number from 1, or none`)
  return Number(text)
}

function safetyOf(given: Given): Partial<Safety> | undefined {
  const gap = given.text('gap')
  const [, least, most = least] = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(gap ?? '') ?? []
  if (gap !== undefined && (least === undefined || Number(most) < Number(least) || Number(most) > 3_600))
    throw new UsageError('--gap must be seconds up to 3600, the smaller first, such as 3-8, or one number')
  const newChatsPerDay = limitOf(given, 'new-chats-per-day')
  const days = given.text('warm-up-days')
  if (days !== undefined && !(/^\d{1,3}$/.test(days) && Number(days) <= 365))
    throw new UsageError('--warm-up-days must be a number up to 365')
  const chosen = {
    ...(gap !== undefined && { gapLeast: Number(least), gapMost: Number(most) }),
    ...(newChatsPerDay !== undefined && { newChatsPerDay }),
    ...(days !== undefined && { warmUpDays: Number(days) }),
  }
  return Object.keys(chosen).length === 0 ? undefined : chosen
}

export const settingCommands: readonly Command[] = [set, pause, drain, resume]
