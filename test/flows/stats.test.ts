/** Statistics: each thing that happened counts once, in its hour. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Basestation } from '../../sdk/src/index.ts'
import { scopes } from '../../src/core/key.ts'
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
      assert.deepEqual(data.queue, { waiting: 0, oldest_at: null })
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
    test('the other environment sees none of it', async () => {
      const other = new Basestation({ url: gateway.url, key: await gateway.key('production', { scopes }) })
      assert.equal((await other.stats()).data.totals.accepted, 0)
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
