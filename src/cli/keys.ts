/** basestation keys: create, list, revoke. */

import {
  hashSecret,
  hintOf,
  type Key,
  newSecret,
  type Scope,
  scopes,
  sendAndRead,
} from '../core/access/key.ts'
import { checkKey } from '../core/access/key-rules.ts'
import { nameOf } from '../core/lib/name.ts'
import { isoTimeOrNull } from '../core/lib/time.ts'
import { Problem } from '../core/problem.ts'
import { shownKey } from '../core/wire/key.ts'
import { type Command, duration, type Given, required, ruled, UsageError, wholeNumber } from './command.ts'
import { table } from './output.ts'
import { environmentId, environmentNamed, environmentOption, withStore } from './with-store.ts'

const create: Command = {
  name: 'keys create',
  about: 'Create an API key, and show it once',
  options: {
    name: { type: 'string', value: 'N', about: 'what the key is for' },
    scopes: { type: 'string', value: 'a,b', about: `what it may do (default: ${sendAndRead.join(',')})` },
    environment: environmentOption,
    'rate-limit': {
      type: 'string',
      value: 'N',
      about: 'requests a minute (default: the RATE_LIMIT setting)',
    },
    expires: {
      type: 'string',
      value: '90d',
      about: 'when it stops working: 30m, 12h, 90d, 4w (default: never)',
    },
    'allow-ips': {
      type: 'string',
      value: 'a,b',
      about: 'addresses and networks it may be used from (default: any)',
    },
  },
  more: `Scopes: ${scopes.join(', ')}; “all” for every one of them.`,
  run: context =>
    withStore(context, async store => {
      const { given, output } = context
      const environment = environmentNamed(given, 'production')
      const lifetime = duration(given, 'expires')
      const secret = newSecret(environment)
      const draft = {
        environmentId: await environmentId(store, environment),
        name: ruled(() => nameOf(required(given, 'name'))),
        scopes: scopesOf(given),
        rateLimit: wholeNumber(given, 'rate-limit', 1) ?? null,
        allowedIps: listed(given.text('allow-ips') ?? ''),
        expiresAt: lifetime === undefined ? null : Date.now() + lifetime,
        createdBy: 'command line',
      }
      ruled(() => checkKey(draft, Date.now()))
      const key = await store.addKey(draft, hashSecret(secret), hintOf(secret))
      output.show({ ...shownKey(key), key: secret }, () =>
        [
          secret,
          '',
          `Key “${key.name}” for ${key.environment}: ${key.scopes.join(', ')}. Its id, for revoking it: ${key.id}`,
          'It is not shown again; only a hash of it is kept.',
        ].join('\n'),
      )
      return undefined
    }),
}

const list: Command = {
  name: 'keys list',
  about: 'List API keys',
  options: { environment: { ...environmentOption, about: 'only keys of this environment' } },
  run: context =>
    withStore(context, async store => {
      const environment = environmentNamed(context.given)
      const keys = (await store.allKeys()).filter(
        key => environment === undefined || key.environment === environment,
      )
      context.output.show(keys.map(shownKey), () =>
        table(
          keys.map(key => ({
            id: key.id,
            environment: key.environment,
            name: key.name,
            key: key.hint,
            scopes: key.scopes.join(','),
            state: stateOf(key),
            'last used': isoTimeOrNull(key.lastUsedAt) ?? 'never',
          })),
          ['id', 'environment', 'name', 'key', 'state', 'last used', 'scopes'],
          'No keys yet. Create one with: npx basestation keys create --name NAME',
        ),
      )
      return undefined
    }),
}

const revoke: Command = {
  name: 'keys revoke',
  about: 'Revoke an API key; it stops working within a second',
  words: ['ID'],
  run: context =>
    withStore(context, async store => {
      const [id = ''] = context.given.words
      const found = (await store.allKeys()).find(one => one.id === id.toLowerCase())
      const key = found && (await store.revokeKey(found))
      if (!key) throw new Problem('key_not_found', `There is no key with the id ${id}.`)
      context.output.show(shownKey(key), () => `Revoked “${key.name}” (${key.hint}).`)
      return undefined
    }),
}

function scopesOf(given: Given): readonly Scope[] {
  const text = given.text('scopes')
  if (text === undefined) return sendAndRead
  if (text === 'all') return scopes
  const list = text.split(',').map(word => word.trim())
  const unknown = list.find(word => !scopes.includes(word as Scope))
  if (unknown !== undefined)
    throw new UsageError(`“${unknown}” is not a scope; there are ${scopes.join(', ')}`)
  return list as Scope[]
}

const listed = (text: string) =>
  text
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '')

function stateOf(key: Key): string {
  if (key.revokedAt !== null) return 'revoked'
  return key.expiresAt !== null && key.expiresAt <= Date.now() ? 'expired' : 'active'
}

export const keyCommands: readonly Command[] = [create, list, revoke]
