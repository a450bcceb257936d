/** API keys over the API. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Basestation } from '../../sdk/src/index.ts'
import { scopes } from '../../src/core/access/key.ts'
import { databases } from '../standins/databases.ts'
import { startGateway, type TestGateway } from '../standins/gateway.ts'

for (const { name, empty } of databases)
  describe(`keys over the API on ${name}`, () => {
    let gateway: TestGateway
    let client: Basestation
    before(async () => {
      gateway = await startGateway({ database: await empty() })
      client = new Basestation({ url: gateway.url, key: await gateway.key('production', { scopes }) })
    })
    after(() => gateway.stop())
    const works = async (key: string) =>
      (await gateway.ask('GET', '/api/v1/messages', { key })).status === 200

    test('a key is made, shown once, and does what it may', async () => {
      const { data } = await client.addKey({ name: ' Shop ', scopes: ['messages:read'], rate_limit: 7 })
      assert.match(data.key, /^bs_live_/)
      assert.deepEqual([data.name, data.rate_limit, data.created_by], ['Shop', 7, 'test'])
      assert.ok(await works(data.key))
      const refused = await gateway.ask('GET', '/api/v1/devices', { key: data.key })
      assert.equal(refused.body.code, 'insufficient_scope')
      assert.equal(refused.headers.get('x-ratelimit-limit'), '7')
      const list = await gateway.ask('GET', '/api/v1/keys', {
        key: await gateway.key('production', { scopes }),
      })
      assert.ok(!list.text.includes(data.key))
    })
    test('nobody gives more than they have', async () => {
      const some = await gateway.key('production', { scopes: ['keys:manage', 'messages:read'] })
      const ask = (path: string, body: object) => gateway.ask('POST', `/api/v1${path}`, { key: some, body })
      const more = await ask('/keys', { name: 'More', scopes: ['messages:send'] })
      assert.deepEqual([more.status, more.body.code], [403, 'insufficient_scope'])
      assert.equal((await ask('/keys', { name: 'Less', scopes: ['messages:read'] })).status, 201)
      // Nor by a way around: a new secret for a stronger key.
      const { data } = await client.addKey({ name: 'Strong', scopes: ['messages:send'] })
      assert.equal((await ask(`/keys/${data.id}/rotate`, {})).status, 403)
    })
    test('rotated, both keys work for the overlap, then the new one alone', async () => {
      gateway.clock.now = Date.now()
      gateway.clock.real = false
      const { data: old } = await client.addKey({
        name: 'Shop',
        scopes: ['messages:read'],
        allowed_ips: ['127.0.0.1'],
      })
      const { data: fresh } = await client.rotateKey(old.id, { overlap_hours: 2 })
      assert.deepEqual([fresh.name, fresh.scopes, fresh.allowed_ips], [old.name, old.scopes, old.allowed_ips])
      assert.ok((await works(old.key)) && (await works(fresh.key)))
      gateway.clock.now += 2 * 3_600_000 + 1_000
      assert.ok(!(await works(old.key)) && (await works(fresh.key)))
      gateway.clock.real = true
    })
    test('a key that has expired is not rotated', async () => {
      gateway.clock.now = Date.now()
      gateway.clock.real = false
      const soon = new Date(gateway.clock.now + 60_000).toISOString()
      const { data } = await client.addKey({ name: 'Short', expires_at: soon })
      gateway.clock.now += 61_000
      await assert.rejects(client.rotateKey(data.id), { code: 'key_not_found' })
      gateway.clock.real = true
    })
    test('an overlap never lengthens the life of a key', async () => {
      const soon = new Date(Date.now() + 60_000).toISOString()
      const { data } = await client.addKey({ name: 'Short', expires_at: soon })
      await client.rotateKey(data.id, { overlap_hours: 24 })
      const { data: all } = await client.keys()
      assert.equal(all.find(({ id }) => id === data.id)!.expires_at, soon)
    })
    test('revoked, it is refused, and neither rotated nor revoked again; nor is another environment’s', async () => {
      const { data } = await client.addKey({ name: 'Old' })
      assert.ok((await client.revokeKey(data.id)).data.revoked_at)
      await new Promise(resolve => setTimeout(resolve, 600))
      assert.equal((await gateway.ask('GET', '/api/v1/messages', { key: data.key })).body.code, 'revoked_key')
      await assert.rejects(client.rotateKey(data.id), { code: 'key_not_found' })
      const staging = new Basestation({ url: gateway.url, key: await gateway.key('staging', { scopes }) })
      const { data: theirs } = await staging.addKey({ name: 'Theirs' })
      await assert.rejects(client.revokeKey(theirs.id), { code: 'key_not_found' })
    })
    test('bad names, addresses and times are refused, and nothing is made', async () => {
      const was = (await client.keys()).data.length
      const bad = [
        { name: ' ' },
        { name: 'x', scopes: ['everything'] },
        { name: 'x', scopes: [] },
        { name: 'x', allowed_ips: ['10.0.0.0/99'] },
        { name: 'x', expires_at: '2020-01-01T00:00:00Z' },
        { name: 'x', expires_at: 'soon' },
        { name: 'x', rate_limit: 0 },
      ]
      for (const request of bad)
        await assert.rejects(
          client.addKey(request as never),
          { code: 'invalid_request' },
          JSON.stringify(request),
        )
      assert.equal((await client.keys()).data.length, was)
    })
    test('a repeated request makes one key, and gets the same one back', async () => {
      const was = (await client.keys()).data.length
      const once = { idempotencyKey: 'key-once' }
      const [first, second] = [
        await client.addKey({ name: 'Once' }, once),
        await client.addKey({ name: 'Once' }, once),
      ]
      assert.equal(first.data.key, second.data.key)
      assert.equal((await client.keys()).data.length, was + 1)
    })
  })
