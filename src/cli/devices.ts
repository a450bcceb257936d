/** basestation devices: list, add, set, pause, resume, remove. */

import { type AttentionCode, attentionFor } from '../core/devices/attention.ts'
import { askedKind } from '../core/devices/device-rules.ts'
import { addDevice, type Enrolment, inviteAndExplain } from '../core/devices/enrolment.ts'
import { findKind, kindNames, kindOf } from '../core/devices/kinds/kinds.ts'
import { nameOf } from '../core/lib/name.ts'
import type { Candidate } from '../core/messages/choose.ts'
import type { Store } from '../core/store.ts'
import { shownEnrolment } from '../core/wire/device.ts'
import { openSealer } from '../secrets/secret-key.ts'
import { addCloud, checkCredentials, cloudOptions } from './cloud.ts'
import { type Command, type Context, required, ruled, UsageError } from './command.ts'
import { fleetOf, missing, phoneOf, settingCommands, shown } from './device-settings.ts'
import { linkInTerminal } from './link.ts'
import { printable, table } from './output.ts'
import { deviceNamed, environmentId, environmentNamed, environmentOption, withStore } from './with-store.ts'

const list: Command = {
  name: 'devices list',
  about: 'List devices',
  options: { environment: { ...environmentOption, about: 'only devices of this environment' } },
  run: context =>
    withStore(context, async store => {
      const environment = environmentNamed(context.given)
      const members = [...(await fleetOf(store)).members()].filter(
        ({ device }) =>
          device.removedAt === null && (environment === undefined || device.environment === environment),
      )
      context.output.show(members.map(shown), () =>
        [
          table(
            members.map(({ device, online, load }) => ({
              id: device.id,
              environment: device.environment,
              kind: device.kind,
              name: device.name,
              phone: device.phone,
              status: `${online ? 'online' : 'offline'}${device.paused ? ', paused' : ''}${device.draining ? ', draining' : ''}`,
              waiting: load.waiting,
              'per minute': device.perMinute ?? '–',
              'per day': device.perDay ?? '–',
              attention: device.attention.join(', '),
            })),
            [
              'id',
              'environment',
              'kind',
              'name',
              'phone',
              'status',
              'waiting',
              'per minute',
              'per day',
              'attention',
            ],
            'No devices yet. Add one with: npx basestation devices add --kind android --name NAME (or --kind simulated)',
          ),
          ...hints(members),
        ].join('\n'),
      )
      return undefined
    }),
}

/** What to do about whatever needs attention, each thing once. */
function hints(members: readonly Candidate[]): string[] {
  const codes = new Set(members.flatMap(({ device }) => device.attention))
  return codes.size === 0 ? [] : ['', ...[...codes].map(code => `${code}: ${remedy(code, 'ID')}`)]
}

function remedy(code: AttentionCode, deviceId: string): string {
  const { detail, command } = attentionFor(code, deviceId)
  return command === undefined ? detail : `${detail} Run: ${command}`
}

const add: Command = {
  name: 'devices add',
  about: 'Add a device',
  options: {
    kind: { type: 'string', value: kindNames().join('|'), about: 'what it is' },
    name: { type: 'string', value: 'N', about: 'what to call it' },
    phone: { type: 'string', value: '+…', about: 'its phone number' },
    'no-code': { type: 'boolean', about: 'android: make no one-time code' },
    ...cloudOptions,
    environment: { ...environmentOption, about: 'the environment (default: production; simulated: staging)' },
  },
  more: 'For an Android phone this prints what to type into the SMSGate app, with the address in PUBLIC_URL. For a WhatsApp number it draws the code to scan; with --phone also a code to type. With --driver cloud the number is reached over WhatsApp’s official API.',
  run: context =>
    withStore(context, async store => {
      const { config, given, output } = context
      const name = required(given, 'kind')
      const environment = environmentNamed(given, findKind(name)?.environments[0] ?? 'production')
      const kind = ruled(() => askedKind(name, given.text('driver'), environment))
      checkCredentials(given, kind)
      const draft = {
        environmentId: await environmentId(store, environment),
        kind: kind.name,
        name: ruled(() => nameOf(required(given, 'name'))),
        phone: phoneOf(given) ?? '',
      }
      if (kind.addedBy === 'credentials') {
        return await addCloud(
          context,
          { ...(await partsOf(store, context)), store, config, sealer: await openSealer(store, config) },
          draft,
        )
      }
      if (kind.addedBy === 'linking') {
        const phone = draft.phone === '' ? {} : { phone: draft.phone }
        return await linkInTerminal(context, store, { ...draft, ...phone })
      }
      const { device, enrolment } = await addDevice(
        await partsOf(store, context),
        draft,
        !given.flag('no-code'),
      )
      const member = (await fleetOf(store)).member(device.id)!
      output.show({ ...shown(member), ...(enrolment && { enrolment: shownEnrolment(enrolment) }) }, () =>
        [
          `Added ${device.name} (${device.id}) to ${environment}. A running gateway sees it within a second.`,
          ...(enrolment ? explained(enrolment) : []),
        ].join('\n'),
      )
      return undefined
    }),
}

const enrol: Command = {
  name: 'devices enrol',
  about: 'Create a new token to connect an Android phone',
  words: ['ID'],
  options: { 'no-code': { type: 'boolean', about: 'make no one-time code' } },
  more: 'The token shown before ends. A phone that is connected stays connected, until it is replaced.',
  run: context =>
    withStore(context, async store => {
      const { given, output } = context
      const [id = ''] = given.words
      const member = (await fleetOf(store)).member(id.toLowerCase())
      if (!member || member.device.removedAt !== null) throw missing(id)
      if (kindOf(member.device).addedBy !== 'enrolment')
        throw new UsageError('only Android phones are connected this way')
      const enrolment = await inviteAndExplain(
        await partsOf(store, context),
        member.device,
        !given.flag('no-code'),
      )
      output.show({ ...shown(member), enrolment: shownEnrolment(enrolment) }, () =>
        [
          `A fresh token for ${member.device.name}. The one before has ended; a phone that is connected stays connected.`,
          ...explained(enrolment),
        ].join('\n'),
      )
      return undefined
    }),
}

/** The PUBLIC_URL of this shell, or the address that the gateway was started with. */
const partsOf = async (store: Store, { config, environment }: Context) => ({
  store,
  publicUrl: environment.PUBLIC_URL ? config.PUBLIC_URL : ((await store.announced()) ?? config.PUBLIC_URL),
  now: Date.now(),
})

function explained({ url, token, code, steps, warning }: Enrolment): string[] {
  return [
    '',
    `  API URL        ${url}`,
    `  Private Token  ${token}`,
    ...(code === null ? [] : [`  Code           ${code}   (10 minutes, once)`]),
    '',
    'On the phone (docs/phones.md says more):',
    '',
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    '',
    'The token is shown only this once. npx basestation devices list shows when the phone is online.',
    ...(warning === null ? [] : ['', `Warning: ${warning}`]),
  ]
}

const show: Command = {
  name: 'devices show',
  about: 'Show everything about a device',
  words: ['ID'],
  run: context =>
    withStore(context, async store => {
      const [id = ''] = context.given.words
      const member = (await fleetOf(store)).member(id.toLowerCase())
      if (!member || member.device.removedAt !== null) throw missing(id)
      const { about, abilities: _, attention, connection, safety = {}, ...rest } = shown(member)
      const { sims = [], ...facts } = about
      const rows = {
        ...rest,
        ...facts,
        ...(connection && {
          registered_at: connection.registered_at,
          seen_of_it: connection.signs.join(', ').replaceAll('_', ' ') || null,
        }),
        ...safety,
        ...Object.fromEntries(
          sims.map(sim => [`sim ${sim.slot}`, [sim.number, sim.carrier].filter(Boolean).join(', ')]),
        ),
        ...Object.fromEntries(attention.map(({ code }) => [code, remedy(code, member.device.id)])),
      }
      context.output.show(shown(member), () =>
        Object.entries(rows)
          .map(([name, value]) => `${name.replaceAll('_', ' ').padEnd(24)}${printable(value ?? '–')}`)
          .join('\n'),
      )
      return undefined
    }),
}

const remove: Command = {
  name: 'devices remove',
  about: 'Remove a device for good',
  words: ['ID'],
  more: 'Queued messages that name it fail; other queued messages move to other devices; messages it already has become unknown.',
  run: context =>
    withStore(context, async store => {
      const [id = ''] = context.given.words
      const device = await store.retire(await deviceNamed(store, id))
      if (!device) throw missing(id)
      context.output.show({ id: device.id, name: device.name, removed: true }, () =>
        kindOf(device).addedBy === 'linking'
          ? `Removed ${device.name}. On the phone, remove the link too: WhatsApp → Linked devices.`
          : `Removed ${device.name}.`,
      )
      return undefined
    }),
}

export const deviceCommands: readonly Command[] = [list, show, add, enrol, ...settingCommands, remove]
