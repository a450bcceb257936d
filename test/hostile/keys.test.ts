/** A key is worth what it was given, and never more. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type KeyDraft, type Scope, scopes } from '../../src/core/access/key.ts'
import { Catcher } from '../standins/catcher.ts'
import { databases, scratch } from '../standins/databases.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'
import { teamOf } from '../standins/team.ts'

const base = '/staging/api/v1'

for (const { name, empty } of databases)
  describe(`keys that make keys on ${name}`, () => {
    let gateway: TestGateway
    const folder = scratch()
    before(async () => {
      gateway = await startGateway({
        database: await empty(),
        settings: { DATA_DIR: folder, RATE_LIMIT: '500', WEBHOOK_ALLOW_HOSTS: '127.0.0.1' },
      })
    })
    after(() => gateway.stop())
    const manager = (draft: Partial<KeyDraft> = {}) => gateway.key('staging', { scopes, ...draft })
    const add = (key: string, body: object, headers = {}) =>
      gateway.ask('POST', `${base}/keys`, { key, body: { name: 'child', ...body }, headers })
    const idOf = async (secret: string, key = secret) => {
      const { body } = await gateway.ask('GET', `${base}/keys`, { key })
      return body.data.find(({ hint }: { hint: string }) => hint.endsWith(secret.slice(-4))).id as string
    }

    test('the kept answer with a secret in it is for whoever asked, and for nobody else', async () => {
      const strong = await manager()
      const weak = await manager({ scopes: ['keys:manage'] })
      const headers = { 'idempotency-key': 'make-it-once' }
      const body = { scopes: ['messages:send'] satisfies Scope[] }
      const made = await add(strong, body, headers)
      assert.equal(made.status, 201)
      const again = await add(strong, body, headers)
      assert.deepEqual([again.body, again.headers.get('idempotent-replayed')], [made.body, 'true'])
      const other = await add(weak, body, headers)
      assert.deepEqual([other.status, other.body.code], [403, 'insufficient_scope'])
      assert.ok(!other.text.includes(made.body.data.key))
    })

    test('a key with limits gives keys that have them too', async () => {
      const expiresAt = Date.now() + 3_600_000
      const limited = await manager({ rateLimit: 50, allowedIps: ['127.0.0.0/8'], expiresAt })
      const { data } = (await add(limited, {})).body
      assert.deepEqual(
        [data.rate_limit, data.allowed_ips, Date.parse(data.expires_at)],
        [50, ['127.0.0.0/8'], expiresAt],
      )
      const narrower = await add(limited, {
        rate_limit: 10,
        allowed_ips: ['127.0.0.1', '127.1.0.0/16'],
        expires_at: new Date(expiresAt - 1_000).toISOString(),
      })
      assert.equal(narrower.status, 201, narrower.text)
    })
    for (const [what, body, pointer] of [
      ['more requests', { rate_limit: 51 }, '/rate_limit'],
      ['another address', { allowed_ips: ['10.0.0.1'] }, '/allowed_ips'],
      ['a wider network', { allowed_ips: ['126.0.0.0/7'] }, '/allowed_ips'],
      ['any address', { allowed_ips: [] }, '/allowed_ips'],
      ['a later end', { expires_at: '2099-01-01T00:00:00Z' }, '/expires_at'],
    ] as const)
      test(`a key with limits cannot give ${what}`, async () => {
        const limits = { rateLimit: 50, allowedIps: ['127.0.0.0/8'], expiresAt: Date.now() + 3_600_000 }
        const answer = await add(await manager(limits), body)
        assert.deepEqual([answer.status, answer.body.code], [403, 'not_allowed'], answer.text)
        assert.equal(answer.body.errors[0].pointer, pointer)
      })
    test('a key without a limit of its own cannot give more than the default', async () => {
      assert.equal((await add(await manager(), { rate_limit: 501 })).status, 403)
      assert.equal((await add(await manager(), { rate_limit: 500 })).status, 201)
    })
    test('a weaker key can neither rotate nor revoke a stronger one', async () => {
      const strong = await manager()
      const id = await idOf(strong)
      const weak = await manager({ scopes: ['keys:manage'] })
      const narrow = await manager({ allowedIps: ['127.0.0.1'] })
      for (const [key, method, path] of [
        [weak, 'DELETE', `/keys/${id}`],
        [weak, 'POST', `/keys/${id}/rotate`],
        [narrow, 'POST', `/keys/${id}/rotate`],
      ] as const)
        assert.equal((await gateway.ask(method, base + path, { key })).status, 403, `${method} ${path}`)
      assert.equal((await gateway.ask('GET', `${base}/devices`, { key: strong })).status, 200)
    })
    test('what a key made is listed under it, and ends with it', async () => {
      const parent = await manager()
      const id = await idOf(parent)
      const child = (await add(parent, { scopes })).body.data
      assert.equal(child.created_by_key, id)
      const grandchild = (await add(child.key, {})).body.data
      // Rotated in between: what the old one made belongs to the new one.
      const fresh = (await gateway.ask('POST', `${base}/keys/${id}/rotate`, { key: parent })).body.data
      const admin = await manager()
      assert.equal((await gateway.ask('DELETE', `${base}/keys/${fresh.id}`, { key: admin })).status, 200)
      for (const key of [child.key, grandchild.key])
        await until('it has ended', async () => {
          const { body } = await gateway.ask('GET', `${base}/messages`, { key })
          return body.code === 'revoked_key'
        })
      assert.equal((await gateway.ask('GET', `${base}/keys`, { key: admin })).status, 200)
    })
    test('what a key gets by rotating another ends with it; revoking an old key reaches what it made', async () => {
      const thief = await manager()
      const victim = await manager({ scopes: ['messages:read'] })
      const admin = await manager()
      const revoke = (id: string) => gateway.ask('DELETE', `${base}/keys/${id}`, { key: admin })
      const ended = (key: string) =>
        until('it has ended', async () => {
          const { body } = await gateway.ask('GET', `${base}/messages`, { key })
          return body.code === 'revoked_key'
        })
      const rotate = async (id: string, key: string) =>
        (await gateway.ask('POST', `${base}/keys/${id}/rotate`, { key, body: { overlap_hours: 1 } })).body
          .data
      const stolen = await rotate(await idOf(victim, admin), thief)
      assert.equal(stolen.created_by_key, await idOf(thief))
      const child = (await add(thief, {})).body.data
      const thiefId = await idOf(thief)
      // Rotated by hand in between, and the leaked one revoked while it still works.
      await rotate(thiefId, admin)
      assert.equal((await revoke(thiefId)).status, 200)
      await ended(stolen.key)
      await ended(child.key)
    })
    test('people give what their role allows, and their keys outlive nobody', async () => {
      const owner = await teamOf(gateway).owner()
      const made = await owner.ask('POST', `${base}/keys`, { name: 'by hand', scopes, rate_limit: 100_000 })
      assert.equal(made.status, 201, made.text)
      assert.equal(made.body.data.created_by_key, null)
    })
    test('whoever may only read events, or only make webhooks, learns that things happened and not what was written', async () => {
      await gateway.device('staging')
      await gateway.fleet.refresh()
      const everything = await manager()
      const send = (message: string) =>
        gateway.ask('POST', `${base}/sms/send`, { key: everything, body: { to: '+15550100005', message } })
      await send('A secret')
      const received = async (key: string) =>
        (await gateway.ask('GET', `${base}/events?limit=500`, { key })).body.data as {
          type: string
          data: object
        }[]
      await until('the answer came', async () =>
        (await received(everything)).some(({ type }) => type === 'message.received'),
      )
      const all = await received(everything)
      assert.match(JSON.stringify(all), /A secret/)
      assert.match(JSON.stringify(all), /PONG/)
      const blind = await received(await gateway.key('staging', { scopes: ['events:read'] }))
      assert.equal(blind.length, all.length)
      assert.doesNotMatch(JSON.stringify(blind), /A secret|PONG|15550100005/)
      const half = await received(await gateway.key('staging', { scopes: ['events:read', 'messages:read'] }))
      assert.match(JSON.stringify(half), /A secret/)
      assert.doesNotMatch(JSON.stringify(half), /PONG/)

      const catcher = new Catcher()
      await catcher.start()
      const only = await gateway.key('staging', { scopes: ['webhooks:manage'] })
      const hook = (key: string, name: string) =>
        gateway.ask('POST', `${base}/webhooks`, { key, body: { url: `${catcher.url}/${name}` } })
      assert.equal((await hook(only, 'blind')).status, 201)
      const seeing = await hook(everything, 'seeing')
      await send('Another secret')
      const at = (name: string) => catcher.caught.filter(({ path }) => path === `/${name}`)
      await until('both are told', () => at('blind').length >= 3 && at('seeing').length >= 3)
      assert.doesNotMatch(JSON.stringify(at('blind').map(({ event }) => event)), /Another secret/)
      assert.match(JSON.stringify(at('seeing').map(({ event }) => event)), /Another secret/)
      // Nor by sending the words that others are told to an address of one's own.
      const path = `${base}/webhooks/${seeing.body.data.id}`
      await gateway.ask('PATCH', path, { key: only, body: { url: `${catcher.url}/stolen` } })
      await send('A third secret')
      await until('it is told', () => at('stolen').length >= 3)
      assert.doesNotMatch(JSON.stringify(at('stolen').map(({ event }) => event)), /A third secret/)
      catcher.stop()
    })
    test('what keys change is in the audit log, and what they send is not', async () => {
      const key = await manager({ name: 'Shop' })
      await gateway.device('staging')
      await gateway.fleet.refresh()
      await gateway.ask('POST', `${base}/opt-outs`, { key, body: { number: '+15550107777' } })
      await gateway.ask('POST', `${base}/sms/send`, { key, body: { to: '+15550101234', message: 'x' } })
      const log = await gateway.store.auditLog({ limit: 100 })
      const own = log.filter(({ email }) => email.includes('“Shop”'))
      assert.deepEqual(
        own.map(({ action, environment, fields }) => [action, environment, fields]),
        [['optOut', 'staging', ['number']]],
      )
    })
  })
