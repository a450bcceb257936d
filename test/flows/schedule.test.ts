/** Messages for another time: `send_at`, `ttl`, and taking them back. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { databases } from '../standins/databases.ts'
import { type TestGateway, until } from '../standins/gateway.ts'
import { startStaging } from '../standins/staging.ts'

const hour = 3_600_000
const iso = (at: number) => new Date(at).toISOString()

for (const { name, empty } of databases)
  describe(`schedule on ${name}`, () => {
    let gateway: TestGateway
    let key: string
    before(async () => {
      ;({ gateway, key } = await startStaging({ database: await empty() }))
    })
    after(() => gateway.stop())
    const send = (body: object) =>
      gateway.ask('POST', '/staging/api/v1/sms/send', {
        key,
        body: { to: '+15550101234', message: 'x', ...body },
      })
    const status = async (id: string) =>
      (await gateway.ask('GET', `/staging/api/v1/sms/status/${id}`, { key })).body.data.status
    const cancel = (id: string) => gateway.ask('POST', `/staging/api/v1/messages/${id}/cancel`, { key })

    test('a scheduled message goes out when its time has come, and not before', async () => {
      const at = Date.now() + 1_500
      const { body } = await send({ send_at: iso(at) })
      assert.equal(body.status, 'scheduled')
      assert.equal(await status(body.message_id), 'scheduled')
      assert.equal(gateway.onAir.length, 0)
      await until('it goes out', () => gateway.onAir.length === 1)
      const events = (await gateway.store.events(0, 1_000)).filter(one => one.messageSeq !== null)
      assert.deepEqual(
        events.slice(0, 2).map(({ type, n }) => [type, n]),
        [
          ['message.scheduled', 1],
          ['message.queued', 2],
        ],
      )
      assert.ok(events[1]!.at >= at, 'it was queued too early')
    })
    test('its validity begins at its time', async () => {
      const at = Date.now() + hour
      const { body } = await send({ send_at: iso(at), ttl: 60 })
      const message = (await gateway.store.message(2, body.message_id))!
      assert.equal(message.expiresAt, Date.parse(iso(at)) + 60_000)
    })
    test('a scheduled message can be taken back, and never goes out', async () => {
      const was = gateway.onAir.length
      const { body } = await send({ send_at: iso(Date.now() + 700) })
      assert.equal((await cancel(body.message_id)).body.data.status, 'canceled')
      await new Promise(resolve => setTimeout(resolve, 1_200))
      assert.equal(await status(body.message_id), 'canceled')
      assert.equal(gateway.onAir.length, was)
    })
    test('times that cannot be are refused', async () => {
      for (const send_at of ['tomorrow', '', iso(Date.now() - 2 * hour), iso(Date.now() + 36 * 24 * hour)]) {
        const { status, body } = await send({ send_at })
        assert.equal(status, 400, send_at)
        assert.equal(body.errors[0].pointer, '/send_at')
      }
      // A moment ago is now.
      assert.equal((await send({ send_at: iso(Date.now() - 1_000) })).body.status, 'queued')
    })
    test('a bulk request is scheduled as a whole', async () => {
      const { body } = await gateway.ask('POST', '/staging/api/v1/sms/bulk', {
        key,
        body: { recipients: ['+15550101111', '+15550102222'], message: 'x', send_at: iso(Date.now() + hour) },
      })
      assert.equal(body.stats.queued, 2)
      for (const id of body.message_ids) assert.equal(await status(id), 'scheduled')
    })
    test('for another time the device need not be there now, and it is not counted as waiting', async () => {
      const android = await gateway.device('staging', { kind: 'android', name: 'Away' })
      const { status: code, body } = await send({ device_id: android.id, send_at: iso(Date.now() + hour) })
      assert.equal(code, 200)
      assert.equal(body.device_id, android.id)
      await gateway.fleet.refresh()
      assert.equal(gateway.fleet.member(android.id)!.load.waiting, 0)
      // Removed meanwhile: what was meant for it by name ends.
      await gateway.store.retire(android)
      await gateway.fleet.refresh()
      await until('it ended', async () => (await status(body.message_id)) === 'failed')
    })
  })
