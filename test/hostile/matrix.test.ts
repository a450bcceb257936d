/** Every route and every kind of caller: who is let in, who is not, and that a refusal changes nothing. */

import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newSecret, type Scope, scopes } from '../../src/core/access/key.ts'
import type { Driver } from '../../src/store/engine/driver.ts'
import { sql, varying } from '../../src/store/engine/sql.ts'
import { openDriver } from '../../src/store/open.ts'
import { App } from '../standins/app.ts'
import { databases, scratch } from '../standins/databases.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'
import { teamOf } from '../standins/team.ts'
import { access, asksPassword, roleScopes, type Who } from './access.ts'

type Environment = 'production' | 'staging'
type Identity = {
  name: string
  headers: Record<string, string>
  /** What it may do as a key, and where. */
  key?: { scopes: readonly string[]; environment: Environment }
  role?: string
  /** The password was given long ago. */
  isUnconfirmed?: true
  isPhone?: true
  /** The codes that it is refused with wherever it is refused. */
  refusals: readonly string[]
}

const environmentOf = (path: string): Environment =>
  path.startsWith('/staging/api/v1') ? 'staging' : 'production'
const isApi = (path: string) => /^\/(staging\/)?api\/v1\//.test(path)

/** Whether this caller is let in: by the table. */
function isAllowed(who: Who, route: string, { key, role, isUnconfirmed, isPhone }: Identity): boolean {
  const [, path = ''] = route.split(' ')
  if (isUnconfirmed && asksPassword.has(route)) return false
  if (who === 'anyone') return true
  if (who === 'secret') return false
  if (who === 'phone') return isPhone === true
  if (who === 'signed in') return role !== undefined
  if (who === 'team') return role === 'owner' || role === 'admin'
  if (role !== undefined) return roleScopes[role]?.includes(who.scope) ?? true
  if (who.isForOperators && environmentOf(path) === 'staging') return false
  return key !== undefined && key.environment === environmentOf(path) && key.scopes.includes(who.scope)
}

/** A refusal for who somebody is, rather than for what they asked. */
const refusing = new Set([401, 403])

for (const { name, empty } of databases)
  describe(`who may use what on ${name}`, () => {
    let gateway: TestGateway
    let identities: Identity[]
    let driver: Driver
    before(async () => {
      const database = await empty()
      driver = await openDriver(database)
      gateway = await startGateway({
        database,
        // Each request seems to come from elsewhere: otherwise failures would be answered slower and slower.
        settings: { DATA_DIR: scratch(), TRUST_PROXY: '127.0.0.1' },
        appPhones: true,
      })
      identities = await allIdentities(gateway, driver)
      // The phones were heard of a moment ago, and are taken for gone in another.
      await until('all is quiet', async () => {
        const was = await state()
        await sleep(1_500)
        return (await state()) === was
      })
    })
    after(async () => {
      await driver.close()
      await gateway.stop()
    })

    let count = 0
    const ask = async (method: string, path: string, headers: Record<string, string>) => {
      count += 1
      const stop = new AbortController()
      const response = await fetch(gateway.url + path, {
        method,
        signal: stop.signal,
        redirect: 'manual',
        headers: {
          'x-forwarded-for': `2001:db8:${(count >> 16).toString(16)}:${(count & 0xffff).toString(16)}::1`,
          ...(method !== 'GET' && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(method !== 'GET' && { body: '{}' }),
      })
      const isStream = /event-stream|ndjson/.test(response.headers.get('content-type') ?? '')
      const text = isStream ? '' : await response.text()
      if (isStream) stop.abort()
      const isProblem = response.headers.get('content-type')?.includes('problem+json')
      return { status: response.status, code: isProblem ? (JSON.parse(text).code as string) : '' }
    }

    /** Everything in the database that a refusal must not change. */
    const state = async (): Promise<string> => {
      const rows = []
      for (const table of watched) rows.push(await driver.reader.all(sql`SELECT * FROM ${varying(table)}`))
      return hash('sha256', JSON.stringify(rows))
    }

    const refusedAt = async (route: string, who: Who): Promise<string[]> => {
      const [method = '', path = ''] = route.split(' ')
      const refused = identities.filter(one => !isAllowed(who, route, one))
      const found = await Promise.all(
        refused.map(async ({ name, headers, refusals }) => {
          const { status, code } = await ask(method, path.replaceAll(/:\w+/g, 'x'), headers)
          const isRefused = refusing.has(status) || (who === 'secret' && [400, 404, 410].includes(status))
          if (!isRefused) return [`${route}: ${name} gets ${status} ${code}`]
          return isApi(path) && !refusals.includes(code) ? [`${route}: ${name} is refused with ${code}`] : []
        }),
      )
      return found.flat()
    }
    const allowedAt = async (route: string, who: Who): Promise<string[]> => {
      const [method = '', path = ''] = route.split(' ')
      const allowed = identities.filter(one => isAllowed(who, route, one))
      const found = await Promise.all(
        allowed.map(async ({ name, headers }) => {
          const { status, code } = await ask(method, path.replaceAll(/:\w+/g, 'x'), headers)
          const isGood = !refusing.has(status) && status < 500
          return isGood ? [] : [`${route}: ${name} gets ${status} ${code}`]
        }),
      )
      return found.flat()
    }
    /** First those who are refused, everywhere: all of them together must not have changed anything. */
    const surprises = async (table: ReadonlyMap<string, Who>) => {
      const found: string[] = []
      let before = await state()
      for (const [route, who] of table) {
        found.push(...(await refusedAt(route, who)))
        const now = await state()
        if (now !== before) found.push(`${route}: a refusal changed something`)
        before = now
      }
      for (const [route, who] of table) found.push(...(await allowedAt(route, who)))
      return found
    }

    test('every route that the server has is in the table, and no other', () => {
      const known = new Set(
        gateway.routes.filter(({ method }) => method !== 'HEAD').map(one => `${one.method} ${one.url}`),
      )
      assert.deepEqual([...known].filter(route => !access.has(route)).sort(), [], 'routes without an entry')
      assert.deepEqual(
        [...access.keys()].filter(route => !known.has(route)).sort(),
        [],
        'entries without a route',
      )
    })
    test('each caller gets in exactly where the table says, and a refusal changes nothing', async () => {
      assert.deepEqual(await surprises(access), [])
    })
    test('a wrong scope, planted in the table, is found', async () => {
      const found = await refusedAt('GET /api/v1/devices', { scope: 'messages:send' })
      assert.ok(
        found.some(line => line.includes('devices:read')),
        found.join('\n'),
      )
    })
    test('with another site’s page, or none of ours, a cookie opens nothing that changes something', async () => {
      const owner = identities.find(({ role }) => role === 'owner')!
      const found: string[] = []
      for (const [route, who] of access) {
        const [method = '', path = ''] = route.split(' ')
        if (method === 'GET' || who === 'phone' || who === 'secret' || who === 'anyone') continue
        const before = await state()
        for (const site of sites) {
          const { 'sec-fetch-site': _, ...cookie } = owner.headers
          const { status, code } = await ask(method, path.replaceAll(/:\w+/g, 'x'), { ...cookie, ...site })
          if (status !== 403 || code !== 'cross_site')
            found.push(`${route} ${JSON.stringify(site)}: ${status} ${code}`)
        }
        if ((await state()) !== before) found.push(`${route}: changed something`)
      }
      assert.deepEqual(found, [])
    })
  })

/** What pages of other sites, or programs without a page, send along. */
const sites: readonly Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  {},
]

/** What only counts and remembers uses is left out. */
const watched = [
  'environments',
  'devices',
  'messages',
  'received',
  'media',
  'webhooks',
  'replays',
  'opt_outs',
  'users',
  'tickets',
  'answers',
  'vault',
  'secrets',
  'events',
]

async function allIdentities(gateway: TestGateway, driver: Driver): Promise<Identity[]> {
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
  const identities: Identity[] = [
    { name: 'nobody', headers: {}, refusals: ['missing_key'] },
    { name: 'a malformed key', headers: bearer('bs_live_x'), refusals: ['invalid_key'] },
    { name: 'basic credentials', headers: { authorization: 'Basic YTpi' }, refusals: ['invalid_key'] },
  ]
  for (const environment of ['production', 'staging'] as const) {
    const elsewhere = ['wrong_environment']
    const add = (name: string, secret: string, code: string, key?: Identity['key']) =>
      identities.push({
        name: `${name} of ${environment}`,
        headers: bearer(secret),
        refusals: [code, ...elsewhere],
        ...(key && { key }),
      })
    add('a key that nobody has', newSecret(environment), 'invalid_key')
    const revoked = await gateway.key(environment, { name: 'revoked', scopes })
    const known = (await gateway.store.allKeys()).find(
      one => one.name === 'revoked' && one.environment === environment,
    )!
    await gateway.store.revokeKey(known)
    add('a revoked key', revoked, 'revoked_key')
    add(
      'an expired key',
      await gateway.key(environment, { scopes, expiresAt: Date.now() - 1 }),
      'expired_key',
    )
    add(
      'a key for other addresses',
      await gateway.key(environment, { scopes, allowedIps: ['10.9.9.9'] }),
      'ip_not_allowed',
    )
    for (const scope of scopes)
      add(`a key with ${scope}`, await gateway.key(environment, { scopes: [scope] }), 'insufficient_scope', {
        scopes: [scope],
        environment,
      })
    add(
      'a key without scopes',
      await gateway.key(environment, { scopes: [] as Scope[] }),
      'insufficient_scope',
    )
    const most = scopes.filter(scope => scope !== 'keys:manage')
    add('a key with all but one', await gateway.key(environment, { scopes: most }), 'insufficient_scope', {
      scopes: most,
      environment,
    })
  }
  const people = teamOf(gateway)
  const owner = await people.owner()
  const visitors = {
    owner,
    admin: await people.colleague('admin'),
    operator: await people.colleague('operator'),
    viewer: await people.colleague('viewer'),
  }
  for (const [role, visitor] of Object.entries(visitors))
    identities.push({
      name: `somebody who is ${role}`,
      headers: { cookie: visitor.cookie, 'sec-fetch-site': 'same-origin' },
      role,
      refusals: ['not_allowed'],
    })
  const late = await people.colleague('owner', 'late@example.org')
  const [session] = await driver.reader.all<{ id: string }>(sql`
    SELECT s.id AS id FROM sessions s JOIN users u ON u.id = s.user_id WHERE u.email = 'late@example.org'`)
  await driver.transact(async tx =>
    tx.all(sql`UPDATE sessions SET confirmed_at = 0 WHERE id = ${session!.id}`),
  )
  identities.push({
    name: 'an owner who gave the password long ago',
    headers: { cookie: late.cookie, 'sec-fetch-site': 'same-origin' },
    role: 'owner',
    isUnconfirmed: true,
    refusals: ['password_needed'],
  })
  identities.push({
    name: 'a session that was ended',
    headers: { cookie: 'basestation=nothing', 'sec-fetch-site': 'same-origin' },
    refusals: ['not_signed_in'],
  })
  const phone = await App.enrol(gateway)
  identities.push({ name: 'a phone', headers: bearer(phone.token), isPhone: true, refusals: ['invalid_key'] })
  const gone = await App.enrol(gateway)
  await gateway.store.retire(gone.device)
  identities.push({
    name: 'a phone that was removed',
    headers: bearer(gone.token),
    refusals: ['invalid_key'],
  })
  return identities
}
