/** The journal over HTTP: page by page and as it is written, the same rows under the same ids. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/key.ts'
import { databases } from '../standins/databases.ts'
import { type TestGateway, until } from '../standins/gateway.ts'
import { listen } from '../standins/listener.ts'
import { startStaging } from '../standins/staging.ts'

const base = '/staging/api/v1'

for (const { name, empty } of databases)
  describe(`events on ${name}`, () => {
    let gateway: TestGateway
    let key: string
    let deviceId: string
    before(async () => {
      ;({ gateway, key, deviceId } = await startStaging({ database: await empty() }))
    })
    after(() => gateway.stop())
    const send = async (to = '+15550101234') => {
      const { body } = await gateway.ask('POST', `${base}/sms/send`, { key, body: { to, message: 'hello' } })
      return body.message_id as string
    }
    const page = (query = '') => gateway.ask('GET', `${base}/events${query}`, { key })
    const everything = async (query = '') => {
      const found = []
      let after = ''
      for (;;) {
        const { status, body } = await page(`?limit=3${query}${after}`)
        assert.equal(status, 200, JSON.stringify(body))
        found.push(...body.data)
        if (!body.has_more) return found
        after = `&after=${body.next_cursor}`
      }
    }
    const stream = (from?: string, query = '') =>
      listen(`${gateway.url}${base}/events/stream${query}`, key, from)

    test('each event carries id, type, time, the sequence of its message, and the message as it was then', async () => {
      const id = await send()
      await until('it is delivered', async () => (await gateway.store.message(2, id))?.status === 'delivered')
      const mine = (await everything()).filter(({ data }) => data.message_id === id)
      assert.deepEqual(
        mine.map(({ type, sequence }) => [type, sequence]),
        [
          ['message.queued', 1],
          ['message.sending', 2],
          ['message.sent', 3],
          ['message.delivered', 4],
        ],
      )
      assert.deepEqual(
        mine.map(({ data }) => [
          data.status,
          data.attempts,
          data.sent_at !== null,
          data.delivered_at !== null,
        ]),
        [
          ['queued', 0, false, false],
          ['sending', 1, false, false],
          ['sent', 1, true, false],
          ['delivered', 1, true, true],
        ],
      )
      for (const { id: eventId, data } of mine) {
        assert.match(eventId, /^evt_\d+$/)
        assert.equal(data.message, 'hello')
      }
    })
    test('received messages and devices are told in full', async () => {
      await send('+15550100005')
      await until('the answer came', async () => (await everything('&types=message.received')).length === 1)
      const [received] = await everything('&types=message.received')
      assert.equal(received.data.message, 'PONG')
      assert.equal(received.sequence, null)
      const [online] = await everything(`&types=device.online&device_id=${deviceId}`)
      assert.equal(online.data.id, deviceId)
      assert.equal(online.data.status, 'online')
    })
    test('an event about a device says the same whenever it is told', async () => {
      const about = `&types=device.online&device_id=${deviceId}`
      const before = await everything(about)
      await gateway.store.change(
        { environmentId: 2, id: deviceId },
        { name: 'Renamed', perDay: 5, paused: true },
      )
      await gateway.fleet.refresh()
      assert.deepEqual(await everything(about), before)
      const [changed] = await everything(`&types=device.changed&device_id=${deviceId}`)
      assert.equal(changed.data.name, 'Renamed')
      await gateway.store.change({ environmentId: 2, id: deviceId }, { perDay: null, paused: false })
      await gateway.fleet.refresh()
    })
    test('the stream tells the same events under the same ids, from where one left off', async () => {
      const all = await everything()
      const half = all[Math.floor(all.length / 2)]!
      const listener = stream(half.id)
      const rest = all.slice(all.indexOf(half) + 1)
      await until('it has caught up', () => listener.events.length >= rest.length)
      const id = await send()
      await until('it hears the new ones', () =>
        listener.events.some(({ type, data }) => type === 'message.delivered' && data.message_id === id),
      )
      listener.stop()
      const now = await everything()
      const heard = listener.events.map(event => event.id)
      assert.deepEqual(
        heard,
        now
          .slice(now.findIndex(one => one.id === half.id) + 1)
          .map(one => one.id)
          .slice(0, heard.length),
      )
      assert.deepEqual(listener.events.slice(0, rest.length), rest)
    })
    test('without a place it begins now, and filters by type and device', async () => {
      const delivered = stream(undefined, '?types=message.delivered')
      const none = stream(undefined, `?device_id=00000000-0000-4000-8000-000000000000`)
      await until('both are open', () => delivered.opened && none.opened)
      const id = await send()
      await until('it hears', () => delivered.events.length === 1)
      assert.equal(delivered.events[0]!.data.message_id, id)
      assert.deepEqual(none.events, [])
      delivered.stop()
      none.stop()
    })
    test('whoever has heard of nothing yet comes back to where it was', async () => {
      const quiet = stream(undefined, '?types=message.failed')
      await until('it is open', () => quiet.opened)
      await until('it knows its place', () => quiet.last !== undefined)
      quiet.stop()
      const { body } = await gateway.ask('POST', `${base}/sms/send`, {
        key,
        body: { to: '+15550100001', message: 'x' },
      })
      await until(
        'it failed',
        async () => (await gateway.store.message(2, body.message_id))?.status === 'failed',
      )
      const again = stream(quiet.last, '?types=message.failed')
      await until('it hears what came between', () => again.events.length === 1)
      assert.equal(again.events[0]!.data.message_id, body.message_id)
      again.stop()
    })
    test('another environment hears nothing of it', async () => {
      const other = await gateway.key('production', { scopes })
      const { body } = await gateway.ask('GET', '/api/v1/events', { key: other })
      assert.deepEqual(body.data, [])
    })
    test('a place or type that cannot be is refused; the scope is needed', async () => {
      for (const query of [
        '?after=x',
        '?after=evt_x',
        '?types=message.lost',
        '?limit=0',
        '?device_id=x',
        '?what=1',
      ])
        assert.equal((await page(query)).status, 400, query)
      const { status } = await gateway.ask('GET', `${base}/events/stream`, {
        key,
        headers: { 'last-event-id': 'x' },
      })
      assert.equal(status, 400)
      const narrow = await gateway.key('staging')
      assert.equal(
        (await gateway.ask('GET', `${base}/events`, { key: narrow })).body.code,
        'insufficient_scope',
      )
    })
    test('the stream of a key that is revoked ends', async () => {
      const secret = await gateway.key('staging', { scopes, name: 'short-lived' })
      const listener = listen(`${gateway.url}${base}/events/stream`, secret)
      await until('it is open', () => listener.opened)
      const known = (await gateway.store.allKeys()).find(one => one.name === 'short-lived')!
      await gateway.store.revokeKey(known)
      await until('it ends', () => listener.closed)
    })
  })
