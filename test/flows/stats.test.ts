/** Statistics: each thing that happened counts once, in its hour. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Basestation } from '../../sdk/src/index.ts'
import { scopes } from '../../src/core/access/key.ts'
import { databases } from '../standins/databases.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'

for (const { name, empty } of databases)
  describe(`statistics on ${name}`, () => {
    let gateway: TestGateway
    let client: Basestation
    before(async () => {
      gateway = await startGateway({ database: await empty() })
      await gateway.device('staging')
      client = new Basestation({ url: gateway.url, key: await gateway.key('staging', { scopes }) })
      await gateway.fleet.refresh()
    })
    after(() => gateway.stop())

    test('what was sent, delivered, failed and received is counted, with reasons and times', async () => {
      await client.sendBulk({
        recipients: Array.from({ length: 20 }, (_, n) => `+155501012${10 + n}`),
        message: 'x',
      })
      await client.send({ to: '+15550100001', message: 'fails' })
      await client.send({ to: '+15550100005', message: 'answers' })
      await until('all is counted', async () => {
        const { totals } = (await client.stats()).data
        return totals.delivered === 21 && totals.failed === 1 && totals.received === 1
      })
      const { data } = await client.stats()
      assert.deepEqual(data.totals, {
        accepted: 22,
        sent: 21,
        delivered: 21,
        failed: 1,
        expired: 0,
        unknown: 0,
        canceled: 0,
        received: 1,
      })
      assert.equal(data.delivery_rate, 21 / 22)
      assert.equal(data.delivered_within.half, 1)
      assert.deepEqual(
        data.errors.map(({ code, count }) => [code, count]),
        [['network_rejected', 1]],
      )
      assert.equal(data.points.length, 24)
      assert.equal(data.points.at(-1)!.delivered + data.points.at(-2)!.delivered, 21)
      assert.deepEqual(data.queue, { waiting: 0, sending: 0, scheduled: 0, oldest_at: null })
    })
    test('two who count at once count nothing twice', async () => {
      const was = (await client.stats()).data.totals.accepted
      await client.sendBulk({
        recipients: Array.from({ length: 50 }, (_, n) => `+155501013${10 + n}`),
        message: 'x',
      })
      await Promise.all(Array.from({ length: 10 }, () => gateway.store.tally(20)))
      await until('all is counted', async () => (await client.stats()).data.totals.delivered >= 71)
      assert.equal((await client.stats()).data.totals.accepted, was + 50)
    })
    test('days begin where the reader lives', async () => {
      for (const [period, days] of [
        ['7d', 7],
        ['30d', 30],
      ] as const) {
        const { data } = await client.stats({ period, utc_offset: '330' })
        assert.equal(data.points.length, days)
        const total = data.points.reduce((sum, { accepted }) => sum + accepted, 0)
        assert.equal(total, data.totals.accepted)
      }
      for (const wrong of ['841', '-900', 'x', '1.5'])
        await assert.rejects(client.stats({ utc_offset: wrong }), { code: 'invalid_request' })
      await assert.rejects(client.stats({ period: '90d' as never }), { code: 'invalid_request' })
    })
    test('what was read without a word of its delivery was delivered; what was found is not unknown', async () => {
      const other = new Basestation({ url: gateway.url, key: await gateway.key('production', { scopes }) })
      const device = await gateway.device('production')
      await gateway.fleet.refresh()
      const ids = await Promise.all(
        ['+15550101501', '+15550101502', '+15550101503'].map(
          async to => (await other.send({ to, message: 'x', ttl: 60 })).message_id,
        ),
      )
      await until(
        'they were handed over',
        async () => (await other.messages({ status: 'sending' })).data.length === 3,
      )
      const tell = (messageId: string, outcome: 'read' | 'sent' | 'delivered') =>
        gateway.store.record({ messageId, deviceId: device.id, outcome, at: Date.now() })
      await tell(ids[0]!, 'sent')
      await tell(ids[0]!, 'read')
      // The other two are not answered for in time; one of them is later.
      gateway.clock.now = Date.now() + 61_000
      gateway.clock.real = false
      await gateway.store.expire(10)
      await tell(ids[1]!, 'delivered')
      await until('all is counted', async () => (await other.stats()).data.totals.delivered === 2)
      const { totals, delivery_rate: rate } = (await other.stats()).data
      gateway.clock.real = true
      assert.deepEqual([totals.accepted, totals.delivered, totals.unknown, rate], [3, 2, 1, 2 / 3])
      await gateway.store.retire(device)
    })
    test('the other environment sees none of it', async () => {
      const other = new Basestation({ url: gateway.url, key: await gateway.key('production', { scopes }) })
      assert.equal((await other.stats()).data.totals.accepted, 3)
    })
    test('what waits is told, and since when', async () => {
      const device = await gateway.device('staging', { perMinute: 1, name: 'Slow' })
      await gateway.fleet.refresh()
      const sends = ['+15550101401', '+15550101402', '+15550101403'].map(to =>
        client.send({ to, message: 'x', device_id: device.id }),
      )
      await Promise.all(sends)
      await until('some wait', async () => (await client.stats()).data.queue.waiting === 2)
      assert.ok((await client.stats()).data.queue.oldest_at)
    })
  })
