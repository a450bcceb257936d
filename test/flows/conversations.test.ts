/** Conversations: who wrote, what was said, and what nobody has seen yet. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Basestation } from '../../sdk/src/index.ts'
import { scopes } from '../../src/core/access/key.ts'
import { databases } from '../standins/databases.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'

for (const { name, empty } of databases)
  describe(`conversations on ${name}`, () => {
    let gateway: TestGateway
    let client: Basestation
    let deviceId: string
    let count = 0
    before(async () => {
      gateway = await startGateway({ database: await empty() })
      deviceId = (await gateway.device('staging')).id
      client = new Basestation({ url: gateway.url, key: await gateway.key('staging', { scopes }) })
      await gateway.fleet.refresh()
    })
    after(() => gateway.stop())
    const write = async (sender: string, text: string) => {
      count += 1
      await gateway.reception.receive({
        deviceId,
        sender,
        text,
        type: 'sms',
        metadata: {},
        externalId: `t-${count}`,
      })
    }
    const people = async (query = {}) => (await client.conversations(query)).data.map(({ person }) => person)

    test('people who wrote, the latest first, with what nobody has seen', async () => {
      await write('+15550101001', 'first')
      await write('ACME', 'Your code is 1')
      await write('+15550101001', 'second')
      const { data, unread } = await client.conversations()
      assert.deepEqual(
        data.map(({ person, unread, last }) => [person, unread, last.message]),
        [
          ['+15550101001', 2, 'second'],
          ['ACME', 1, 'Your code is 1'],
        ],
      )
      assert.equal(unread, 2)
      await client.readConversation('+15550101001')
      assert.equal((await client.conversations()).unread, 1)
      assert.deepEqual(await people({ unread: 'true' }), ['ACME'])
      await write('+15550101001', 'third')
      assert.equal((await client.conversations()).data[0]!.unread, 1)
    })
    test('what was sent and received is one conversation, in order, page by page', async () => {
      const person = '+15550102002'
      const said: string[] = []
      for (let n = 0; n < 9; n += 1) {
        const text = `turn ${n}`
        if (n % 3 === 0) await write(person, text)
        else await client.send({ to: person, message: text })
        said.unshift(text)
      }
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const page = await client.thread(person, { limit: 2, ...(cursor && { cursor }) })
        seen.push(...page.data.map(({ sent, received }) => sent?.message ?? received!.message))
        cursor = page.next_cursor ?? undefined
      } while (cursor)
      assert.deepEqual(seen, said)
    })
    test('a key that may not look messages up sees only what came in', async () => {
      const key = await gateway.key('staging', { scopes: ['inbox:read'] })
      const { data } = await new Basestation({ url: gateway.url, key }).thread('+15550102002')
      assert.equal(data.length, 3)
      assert.ok(data.every(({ sent }) => sent === undefined))
    })
    test('numbers are found however they are written, and words of the newest text', async () => {
      assert.deepEqual(await people({ contains: '555 010-2002' }), ['+15550102002'])
      assert.deepEqual(await people({ contains: 'acme' }), ['ACME'])
      assert.deepEqual(await people({ contains: 'THIRD' }), ['+15550101001'])
      assert.deepEqual(await people({ contains: 'nothing like it' }), [])
      await write('SHOP', 'Total 12.50')
      assert.deepEqual(await people({ contains: '12.50' }), ['SHOP'])
      assert.deepEqual(await people({ contains: '--' }), [])
    })
    test('who wrote STOP is shown as such; who is forgotten is gone', async () => {
      await write('+15550103003', 'STOP')
      assert.equal((await client.thread('+15550103003')).opted_out, true)
      await client.erase('+15550103003')
      assert.ok(!(await people()).includes('+15550103003'))
      assert.deepEqual((await client.thread('+15550103003')).data, [])
    })
    test('what is removed with age leaves the list too', async () => {
      const { id } = await gateway.environment('staging')
      await until('all old ones are removed', async () => {
        const left = await gateway.store.removeOld({
          environmentId: id,
          before: Date.now() + 1_000,
          limit: 100,
        })
        return left < 100
      })
      assert.deepEqual(await people(), [])
      await write('+15550105005', 'old')
      const middle = Date.now() + 5
      await new Promise(resolve => setTimeout(resolve, 20))
      await write('+15550105005', 'new')
      await gateway.store.removeOld({ environmentId: id, before: middle, limit: 100 })
      assert.equal((await client.conversations()).data[0]!.unread, 1, 'what is gone is not unread')
      await client.erase('+15550105005')
      await write('+15550104004', 'new')
      assert.deepEqual(await people(), ['+15550104004'])
    })
    test('the other environment sees none of it', async () => {
      const other = new Basestation({ url: gateway.url, key: await gateway.key('production', { scopes }) })
      assert.deepEqual((await other.conversations()).data, [])
      assert.deepEqual((await other.thread('+15550104004')).data, [])
      await other.readConversation('+15550104004')
      assert.equal((await client.conversations()).data[0]!.unread, 1)
    })
    test('a cursor that is none is refused', async () => {
      await assert.rejects(client.thread('+15550104004', { cursor: 'x' }), { code: 'invalid_request' })
      await assert.rejects(client.conversations({ cursor: 'eyJ9' }), { code: 'invalid_request' })
    })
  })
