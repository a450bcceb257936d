/** Keys: who may do what, from where, how often, and for how long. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hashSecret, newSecret } from '../../src/core/access/key.ts'
import { openStore } from '../../src/store/open.ts'
import { databases } from '../standins/databases.ts'
import { soonMs, startGateway, type TestGateway, until } from '../standins/gateway.ts'

for (const database of databases)
  describe(`keys on ${database.name}`, () => {
    let gateway: TestGateway
    let url: string
    before(async () => {
      url = await database.empty()
      gateway = await startGateway({ database: url, settings: { RATE_LIMIT: '100' } })
      await gateway.device('staging')
    })
    after(() => gateway.stop())
    const look = (key?: string, path = '/staging/api/v1/messages/received', headers = {}) =>
      gateway.ask('GET', path, { key, headers })
    const codeOf = async (...args: Parameters<typeof look>) => (await look(...args)).body.code

    test('a missing, mistyped, unknown or foreign key is 401, each with its own code', async () => {
      const real = await gateway.key('staging')
      assert.equal(await codeOf(undefined), 'missing_key')
      assert.equal(await codeOf(undefined, undefined, { authorization: 'Basic abc' }), 'invalid_key')
      assert.equal(await codeOf('nonsense'), 'invalid_key')
      assert.equal(await codeOf(real.slice(0, -1)), 'invalid_key')
      assert.equal(await codeOf(newSecret('staging')), 'invalid_key')
      assert.equal(await codeOf(real, '/api/v1/messages/received'), 'wrong_environment')
      assert.equal(
        await codeOf(undefined, undefined, { authorization: `bearer  ${real}` }),
        undefined,
        'the scheme has no case',
      )
    })

    test('a stranger never learns whether a body or an address was valid', async () => {
      for (const [method, path] of [
        ['POST', '/sms/send'],
        ['GET', '/nothing/here'],
        ['DELETE', '/sms/send'],
      ] as const) {
        const { status } = await gateway.ask(method, `/staging/api/v1${path}`, {
          body: method === 'POST' ? '{broken' : undefined,
        })
        assert.equal(status, 401)
      }
    })

    test('an expired key stops working at its time', async () => {
      const key = await gateway.key('staging', { expiresAt: Date.now() + 700 })
      assert.equal((await look(key)).status, 200)
      await until('expired', async () => (await codeOf(key)) === 'expired_key', soonMs)
    })

    test('a revoked key stops working within a second, also when another process revokes it', async () => {
      const key = await gateway.key('staging')
      assert.equal((await look(key)).status, 200)
      const known = (await gateway.store.key(hashSecret(key)))!
      const other = await openStore(url, { now: Date.now })
      await other.revokeKey(known)
      await other.close()
      await until('revoked', async () => (await codeOf(key)) === 'revoked_key', soonMs)
    })

    test('each scope opens its own doors only, and the missing one is named', async () => {
      const doors = [
        ['messages:send', 'POST', '/sms/send'],
        ['messages:send', 'POST', '/message/bulk'],
        ['messages:read', 'GET', '/sms/status/x'],
        ['inbox:read', 'GET', '/messages/received'],
        ['settings:manage', 'GET', '/settings'],
      ] as const
      for (const [scope] of doors) {
        const key = await gateway.key('staging', { scopes: [scope] })
        for (const [needed, method, path] of doors) {
          const { status, body } = await gateway.ask(method, `/staging/api/v1${path}`, {
            key,
            body: method === 'POST' ? {} : undefined,
          })
          if (needed === scope) assert.ok([200, 400, 404].includes(status))
          else {
            assert.deepEqual([status, body.code], [403, 'insufficient_scope'])
            assert.ok(body.detail.includes(needed))
          }
        }
      }
    })

    test('an allow-list of addresses is kept', async () => {
      assert.equal((await look(await gateway.key('staging', { allowedIps: ['127.0.0.0/8'] }))).status, 200)
      const { status, body, headers } = await look(
        await gateway.key('staging', { allowedIps: ['203.0.113.7'] }),
      )
      assert.deepEqual([status, body.code], [403, 'ip_not_allowed'])
      assert.ok(headers.has('x-ratelimit-remaining'))
    })

    test('one count over all endpoints and paths, errors and wrong addresses too; the body is not looked at past the limit', async () => {
      const key = await gateway.key('staging', { rateLimit: 6 })
      const ask = (method: string, path: string, body?: unknown) =>
        gateway.ask(method, `/staging/api/v1${path}`, { key, body })
      const answers = [
        await ask('GET', '/messages/received'),
        await ask('GET', '/message/received'),
        await ask('POST', '/sms/send', '{broken'),
        await ask('GET', '/nothing'),
        await ask('PUT', '/sms/send', {}),
        await ask('GET', '/settings'),
        await ask('POST', '/sms/send', '{broken'),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 400, 404, 405, 403, 429],
      )
      assert.deepEqual(
        answers.map(({ headers }) => headers.get('x-ratelimit-remaining')),
        ['5', '4', '3', '2', '1', '0', '0'],
      )
      assert.ok(answers.every(({ headers }) => headers.get('x-ratelimit-limit') === '6'))
      assert.equal(new Set(answers.map(({ headers }) => headers.get('x-ratelimit-reset'))).size, 1)
    })

    test('a hundred a minute unless the key says otherwise, exactly, however many come at once', async () => {
      const key = await gateway.key('staging')
      const answers = await Promise.all(Array.from({ length: 130 }, () => look(key)))
      assert.equal(answers.filter(({ status }) => status === 200).length, 100)
      assert.equal(answers.filter(({ status }) => status === 429).length, 30)
    })

    test('the window of a key ends a minute after its first request', async () => {
      const key = await gateway.key('staging', { rateLimit: 1 })
      gateway.clock.real = false
      gateway.clock.now = Date.now()
      try {
        const first = await look(key)
        assert.equal((await look(key)).status, 429)
        gateway.clock.now += 59_999
        assert.equal((await look(key)).status, 429)
        gateway.clock.now += 1
        const fresh = await look(key)
        assert.equal(fresh.status, 200)
        assert.equal(
          Number(fresh.headers.get('x-ratelimit-reset')),
          Number(first.headers.get('x-ratelimit-reset')) + 60,
        )
      } finally {
        gateway.clock.real = true
      }
    })

    test('repeated failures are answered slower, a valid key from the same address is not', async () => {
      const key = await gateway.key('staging')
      const failures = await Promise.all(Array.from({ length: 20 }, () => look(newSecret('staging'))))
      assert.ok(failures.every(({ status }) => status === 401))
      const slow = look(newSecret('staging')).then(() => 'failure')
      const quick = look(key).then(({ status }) => status)
      assert.equal(await Promise.race([slow, quick]), 200)
      await slow
    })

    test('the last use of a key is noted', async () => {
      const key = await gateway.key('staging')
      await look(key)
      await until('noted', async () => (await gateway.store.key(hashSecret(key)))!.lastUsedAt !== null)
    })
  })
