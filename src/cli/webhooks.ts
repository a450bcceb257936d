/** basestation webhooks: addresses that receive events. */

import type { Environment } from '../core/environment.ts'
import { eventTypes } from '../core/events/event.ts'
import { isoTimeOrNull, parseTime } from '../core/lib/time.ts'
import { Problem } from '../core/problem.ts'
import type { Store } from '../core/store.ts'
import type { Webhook } from '../core/webhooks/webhook.ts'
import type { WebhookAdmin, WithSecret } from '../core/webhooks/webhook-admin.ts'
import { shownAttempt, shownDelivery, shownWebhook } from '../core/wire/webhook.ts'
import { openSealer } from '../secrets/secret-key.ts'
import { adminBeside } from '../wiring/webhooks.ts'
import { type Command, type Context, type Given, required, UsageError, wholeNumber } from './command.ts'
import { table } from './output.ts'
import { environmentNamed, environmentOption, withStore } from './with-store.ts'

const typesOption = {
  type: 'string',
  value: 'a,b',
  about: 'only these types of events (default: all)',
} as const
const deviceOption = { type: 'string', value: 'ID', about: 'only what concerns this device' } as const
const someTypes = `Types: ${eventTypes.join(', ')}.`

type Admin = { admin: WebhookAdmin; store: Store; environments: readonly Environment[] }

const withAdmin = (context: Context, work: (at: Admin) => Promise<number | undefined>) =>
  withStore(context, async store => {
    const { config } = context
    const { admin, close } = adminBeside({
      config,
      sealer: await openSealer(store, config),
      store,
      now: Date.now,
    })
    try {
      return await work({ admin, store, environments: await store.environments() })
    } finally {
      close()
    }
  })

/** The webhook with this id, and where it belongs. */
async function named({ store, environments }: Admin, given: Given) {
  const id = given.words[0]!.toLowerCase()
  const webhook = (await store.allWebhooks()).find(one => one.id === id)
  const environment = environments.find(one => one.id === webhook?.environmentId)
  if (!webhook || !environment)
    throw new Problem('webhook_not_found', `There is no webhook with the id ${id}.`)
  return { webhook, environment }
}

const typesOf = (given: Given) =>
  given
    .text('types')
    ?.split(',')
    .map(type => type.trim())

const offBecause = {
  switched_off: 'off',
  gone: 'off: it answered 410',
  failing: 'off: it failed for five days',
} as const

function stateOf({ enabled, disabledReason, failingSince }: Webhook): string {
  if (!enabled) return offBecause[disabledReason ?? 'switched_off']
  return failingSince === null ? 'on' : `failing since ${isoTimeOrNull(failingSince)}`
}

const withSecret = ({ webhook, secret }: WithSecret) => ({ ...shownWebhook(webhook), secret })

const list: Command = {
  name: 'webhooks list',
  about: 'List webhooks',
  options: { environment: { ...environmentOption, about: 'only webhooks of this environment' } },
  run: context =>
    withAdmin(context, async ({ store, environments }) => {
      const wanted = environmentNamed(context.given)
      const nameOf = (id: number) => environments.find(one => one.id === id)!.name
      const found = (await store.allWebhooks()).filter(
        ({ environmentId }) => wanted === undefined || nameOf(environmentId) === wanted,
      )
      context.output.show(found.map(shownWebhook), () =>
        table(
          found.map(webhook => ({
            id: webhook.id,
            environment: nameOf(webhook.environmentId),
            url: webhook.url,
            types: webhook.types?.join(',') ?? 'all',
            state: stateOf(webhook),
          })),
          ['id', 'environment', 'state', 'url', 'types'],
          'No webhooks yet. Add one with: npx basestation webhooks add --url https://…',
        ),
      )
      return undefined
    }),
}

const add: Command = {
  name: 'webhooks add',
  about: 'Add a webhook, and show its secret once',
  options: {
    url: { type: 'string', value: 'URL', about: 'where to post: https, on the public internet' },
    types: typesOption,
    device: deviceOption,
    environment: environmentOption,
  },
  more: `${someTypes}\nA private or plain http address must be allowed by WEBHOOK_ALLOW_HOSTS, for the gateway too.`,
  run: context =>
    withAdmin(context, async ({ admin, environments }) => {
      const { given, output } = context
      const environment = environments.find(one => one.name === environmentNamed(given, 'production'))!
      const [types, deviceId] = [typesOf(given), given.text('device')]
      const added = await admin.add(environment, {
        url: required(given, 'url'),
        ...(types && { types }),
        ...(deviceId !== undefined && { deviceId }),
      })
      output.show(withSecret(added), () =>
        [
          added.secret,
          '',
          `${added.webhook.url} (${added.webhook.id}) now receives the events of ${environment.name}.`,
          'The secret above is for checking signatures. It is not shown again.',
        ].join('\n'),
      )
      return undefined
    }),
}

const set: Command = {
  name: 'webhooks set',
  about: 'Change, enable or disable a webhook',
  words: ['ID'],
  options: {
    url: { type: 'string', value: 'URL', about: 'where to post' },
    types: { ...typesOption, about: 'only these types of events; “all” for all of them' },
    device: { ...deviceOption, about: 'only what concerns this device; “any” for all of them' },
    on: { type: 'boolean', about: 'tell it what happens from now on' },
    off: { type: 'boolean', about: 'tell it nothing more' },
  },
  more: someTypes,
  run: context =>
    withAdmin(context, async at => {
      const { given, output } = context
      const { webhook, environment } = await named(at, given)
      const [url, types, device] = [given.text('url'), typesOf(given), given.text('device')]
      if (given.flag('on') && given.flag('off')) throw new UsageError('--on and --off contradict each other')
      const changed = await at.admin.change(environment, webhook.id, {
        ...(url !== undefined && { url }),
        ...(types && { types: types.join() === 'all' ? null : types }),
        ...(device !== undefined && { deviceId: device === 'any' ? null : device }),
        ...(given.flag('on') && { enabled: true }),
        ...(given.flag('off') && { enabled: false }),
      })
      output.show(shownWebhook(changed), () => `${changed.url} is ${stateOf(changed)}.`)
      return undefined
    }),
}

const remove: Command = {
  name: 'webhooks remove',
  about: 'Remove a webhook and its delivery log',
  words: ['ID'],
  run: context =>
    withAdmin(context, async at => {
      const { webhook, environment } = await named(at, context.given)
      await at.admin.remove(environment, webhook.id)
      context.output.show({ id: webhook.id }, () => `Removed ${webhook.url}.`)
      return undefined
    }),
}

const rotate: Command = {
  name: 'webhooks rotate',
  about: 'Rotate the secret of a webhook, and show it once',
  words: ['ID'],
  options: {
    'overlap-hours': {
      type: 'string',
      value: 'N',
      about: 'for how long the old secret signs too (default: 24)',
    },
  },
  run: context =>
    withAdmin(context, async at => {
      const { webhook, environment } = await named(at, context.given)
      const hours = wholeNumber(context.given, 'overlap-hours', 0)
      const rotated = await at.admin.rotate(
        environment,
        webhook.id,
        hours === undefined ? undefined : hours * 3_600_000,
      )
      context.output.show(withSecret(rotated), () =>
        [
          rotated.secret,
          '',
          hours === 0
            ? 'The old secret no longer signs.'
            : `The old secret signs too until ${isoTimeOrNull(rotated.webhook.previousUntil)}.`,
          'It is not shown again.',
        ].join('\n'),
      )
      return undefined
    }),
}

const test: Command = {
  name: 'webhooks test',
  about: 'Post a test event, and show the response',
  words: ['ID'],
  run: context =>
    withAdmin(context, async at => {
      const { webhook, environment } = await named(at, context.given)
      const tried = await at.admin.test(environment, webhook.id)
      context.output.show(shownAttempt(tried), () =>
        tried.error === null
          ? `${tried.url} answered ${tried.status} after ${tried.ms} ms.`
          : `${tried.url}: ${tried.error}`,
      )
      return tried.error === null ? undefined : 1
    }),
}

const log: Command = {
  name: 'webhooks log',
  about: 'Show the deliveries of a webhook, newest first',
  words: ['ID'],
  options: { limit: { type: 'string', value: 'N', about: 'how many (default: 25)' } },
  run: context =>
    withAdmin(context, async at => {
      const { webhook, environment } = await named(at, context.given)
      const limit = wholeNumber(context.given, 'limit', 1) ?? 25
      const found = (await at.admin.deliveries(environment, webhook.id, { limit })).map(shownDelivery)
      context.output.show(found, () =>
        table(
          found.map(one => ({
            event: one.event_id,
            type: one.event_type ?? '',
            state: one.state,
            attempts: one.attempts,
            last: one.last_attempt_at,
            next: one.next_attempt_at ?? '',
            answer: one.log.at(-1)?.status ?? '',
            trouble: one.log.at(-1)?.error ?? '',
          })),
          ['event', 'type', 'state', 'attempts', 'last', 'next', 'answer', 'trouble'],
          'No deliveries yet.',
        ),
      )
      return undefined
    }),
}

const replay: Command = {
  name: 'webhooks replay',
  about: 'Redeliver to a webhook: one event, or everything since a time',
  words: ['ID'],
  options: {
    event: { type: 'string', value: 'evt_…', about: 'this one' },
    since: { type: 'string', value: 'TIME', about: 'everything at or after this time (ISO 8601)' },
    until: { type: 'string', value: 'TIME', about: 'up to this time (default: now)' },
  },
  run: context =>
    withAdmin(context, async at => {
      const { given, output } = context
      const { webhook, environment } = await named(at, given)
      const event = given.text('event')
      if ((event === undefined) === (given.text('since') === undefined))
        throw new UsageError('give either --event or --since')
      if (event !== undefined) await at.admin.redeliver(environment, webhook.id, event)
      else {
        const until = timeOf(given, 'until')
        await at.admin.replay(environment, webhook.id, {
          since: timeOf(given, 'since')!,
          ...(until !== undefined && { until }),
        })
      }
      output.show(
        { id: webhook.id },
        () => `Redelivery to ${webhook.url} started. See: npx basestation webhooks log ${webhook.id}`,
      )
      return undefined
    }),
}

function timeOf(given: Given, name: string): number | undefined {
  const text = given.text(name)
  const at = text === undefined ? undefined : parseTime(text)
  if (text !== undefined && at === undefined)
    throw new UsageError(`--${name} must be an ISO 8601 time such as 2026-11-15T09:30:00Z`)
  return at
}

export const webhookCommands: readonly Command[] = [list, add, set, remove, rotate, test, log, replay]
