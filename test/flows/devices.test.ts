/** Devices: which one carries a message, and what happens when it cannot. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Device } from '../../src/core/devices/device.ts'
import type { LinkKind } from '../../src/core/link.ts'
import { databases } from '../standins/databases.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'
import { phone } from '../standins/phone.ts'

/** A line that is up and down as the test says, and takes nothing: a phone that pulls and has not pulled yet. */
const lines = new Map<string, (online: boolean) => Promise<void>>()
const pulled: LinkKind = {
  kind: 'whatsapp',
  open(device, news) {
    lines.set(device.id, news.online)
    void news.online(true)
    return { close: async () => {} }
  },
}

for (const database of databases)
  describe(`devices on ${database.name}`, () => {
    let gateway: TestGateway
    let key: string
    before(async () => {
      gateway = await startGateway({ database: await database.empty() })
      key = await gateway.key('production')
    })
    after(() => gateway.stop())
    const send = (body: object = {}) =>
      gateway.ask('POST', '/api/v1/sms/send', { key, body: { to: '+15550101234', message: 'x', ...body } })
    const statusOf = async (id: string) =>
      (await gateway.ask('GET', `/api/v1/sms/status/${id}`, { key })).body.data
    const fresh = async (work: (one: Device, two: Device) => Promise<void>) => {
      const two = [
        await gateway.device('production', { name: 'One' }),
        await gateway.device('production', { name: 'Two' }),
      ] as const
      try {
        await gateway.fleet.refresh()
        await send({ device_id: two[0].id })
        await send({ device_id: two[1].id })
        await work(...two)
      } finally {
        for (const one of two) await gateway.store.retire(one)
        await gateway.fleet.refresh()
      }
    }

    /** One part a minute, and this minute's is gone: from now on the device's queue waits. */
    const useUp = async (device: Device) => {
      await gateway.store.change(device, { perMinute: 1 })
      const { body } = await send({ device_id: device.id })
      await until('the part is used up', () => phone(device.id).sent.some(({ id }) => id === body.message_id))
    }

    test('without any device a send is 503 with a hint when to come back', async () => {
      const { status, body, headers } = await send()
      assert.deepEqual([status, body.code], [503, 'no_device_available'])
      assert.ok(Number(headers.get('retry-after')) > 0)
    })

    test('a device added by another process is used at once', () =>
      fresh(async one => {
        const late = await gateway.device('production')
        const { status, body } = await send({ device_id: late.id })
        assert.deepEqual([status, body.device_id], [200, late.id])
        assert.notEqual(late.id, one.id)
        await gateway.store.retire(late)
      }))

    test('messages to one person keep to one device, those to many spread', () =>
      fresh(async () => {
        const same = new Set<string>()
        for (let n = 0; n < 6; n += 1) same.add((await send({ to: '+15550104444' })).body.device_id)
        assert.equal(same.size, 1)
        const many = new Set<string>()
        for (let n = 0; n < 10; n += 1) many.add((await send({ to: `+1555020${1000 + n}` })).body.device_id)
        assert.equal(many.size, 2)
      }))

    test('each device that cannot take it says why', () =>
      fresh(async (one, two) => {
        await gateway.store.change(one, { paused: true })
        await gateway.store.change(two, { perDay: 1 })
        await gateway.fleet.refresh()
        const { status, body } = await send({ message: 'a'.repeat(200) })
        assert.equal(status, 503)
        assert.deepEqual(
          body.errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code]).sort(),
          [
            [`/devices/${one.id}`, 'paused'],
            [`/devices/${two.id}`, 'out_of_budget'],
          ].sort(),
        )
      }))

    test('a paused device that is named keeps what it gets until it is resumed', () =>
      fresh(async one => {
        await gateway.store.change(one, { paused: true })
        await gateway.fleet.refresh()
        const { status, body } = await send({ device_id: one.id })
        assert.equal(status, 200)
        assert.equal((await statusOf(body.message_id)).status, 'queued')
        await gateway.store.change(one, { paused: false })
        await until('handed over', async () => (await statusOf(body.message_id)).status === 'sending')
      }))

    test('a draining device finishes its queue, and takes nothing new, named or not', () =>
      fresh(async (one, two) => {
        await gateway.store.change(two, { paused: true })
        await gateway.fleet.refresh()
        await useUp(one)
        const waiting = (await send()).body.message_id
        assert.equal((await statusOf(waiting)).device_id, one.id)
        await gateway.store.change(one, { draining: true })
        await gateway.store.change(two, { paused: false })
        await gateway.fleet.refresh()
        assert.equal((await send()).body.device_id, two.id)
        const named = await send({ device_id: one.id })
        assert.deepEqual([named.status, named.body.code], [503, 'device_draining'])
        await gateway.sweeper.sweep()
        assert.equal((await statusOf(waiting)).device_id, one.id, 'what waited stays')
        await gateway.store.change(one, { perMinute: null })
        await until('it was sent', () => phone(one.id).sent.some(({ id }) => id === waiting))
        await gateway.store.change(one, { draining: false })
        await gateway.fleet.refresh()
        assert.equal((await send({ device_id: one.id })).status, 200)
      }))
    test('a queued message that was not meant for one device moves on when that one is paused; a named one waits', () =>
      fresh(async (one, two) => {
        await useUp(one)
        await gateway.store.change(two, { paused: true })
        await gateway.fleet.refresh()
        const free = await send({ to: '+15550103333' })
        const named = await send({ to: '+15550103333', device_id: one.id })
        assert.deepEqual([free.body.device_id, named.body.device_id], [one.id, one.id])
        assert.equal((await statusOf(free.body.message_id)).status, 'queued', 'the minute’s part is used up')
        await gateway.store.change(two, { paused: false })
        await gateway.store.change(one, { paused: true })
        await until('moved', async () => (await statusOf(free.body.message_id)).device_id === two.id)
        await until('handed over', async () => (await statusOf(free.body.message_id)).status === 'sending')
        assert.deepEqual(
          [(await statusOf(named.body.message_id)).device_id, (await statusOf(named.body.message_id)).status],
          [one.id, 'queued'],
        )
        assert.equal(phone(one.id).sent.filter(({ id }) => id === free.body.message_id).length, 0)
      }))

    test('what waits for a removed device by name fails, the rest moves on', () =>
      fresh(async (one, two) => {
        await useUp(one)
        await gateway.store.change(two, { paused: true })
        await gateway.fleet.refresh()
        const free = await send({ to: '+15550103333' })
        const named = await send({ to: '+15550103333', device_id: one.id })
        await gateway.store.change(two, { paused: false })
        await gateway.store.retire(one)
        await until('failed', async () => (await statusOf(named.body.message_id)).status === 'failed')
        const { error } = await statusOf(named.body.message_id)
        assert.deepEqual([error.code, error.retryable], ['device_removed', true])
        await until('moved', async () => (await statusOf(free.body.message_id)).device_id === two.id)
        assert.equal((await send({ device_id: one.id })).body.code, 'invalid_device')
      }))

    test('a message with a device is never handed to a second one, even when the first is paused, removed or silent', () =>
      fresh(async (one, two) => {
        await gateway.store.change(two, { paused: true })
        await gateway.fleet.refresh()
        const { body } = await send()
        await until('handed over', () => phone(one.id).sent.some(({ id }) => id === body.message_id))
        await gateway.store.change(two, { paused: false })
        await gateway.store.retire(one)
        await until('given up', async () => (await statusOf(body.message_id)).status === 'unknown')
        await gateway.sweeper.sweep()
        assert.equal(phone(two.id).sent.filter(({ id }) => id === body.message_id).length, 0)
        const { error, device_id } = await statusOf(body.message_id)
        assert.deepEqual([error.code, error.retryable, device_id], ['no_answer', false, one.id])
      }))

    test('a line that was certainly down gives the message back, and it goes out once', () =>
      fresh(async one => {
        phone(one.id).mode = 'line down'
        const { body } = await send({ device_id: one.id })
        await until('tried', async () =>
          (await gateway.store.events(0, 100_000)).some(({ data }) => data.reason === 'link_down'),
        )
        phone(one.id).mode = 'take'
        await until('sent', () => phone(one.id).sent.some(({ id }) => id === body.message_id))
        assert.equal(phone(one.id).sent.filter(({ id }) => id === body.message_id).length, 1)
      }))

    test('when it is uncertain whether a message left, it is not sent again', () =>
      fresh(async one => {
        phone(one.id).mode = 'uncertain'
        const { body } = await send({ device_id: one.id })
        await until('on the air', () => phone(one.id).sent.some(({ id }) => id === body.message_id))
        phone(one.id).mode = 'take'
        await send({ device_id: one.id })
        await until('the next one passed', () => phone(one.id).sent.length >= 3)
        assert.equal(phone(one.id).sent.filter(({ id }) => id === body.message_id).length, 1)
        assert.equal((await statusOf(body.message_id)).status, 'sending')
        await phone(one.id).report({ id: body.message_id }, 'delivered')
        assert.equal((await statusOf(body.message_id)).status, 'delivered')
      }))

    test('a line that stays down is tried about once a second, however much comes to wait, and costs no budget', () =>
      fresh(async one => {
        await gateway.store.change(one, { perDay: 50 })
        phone(one.id).mode = 'line down'
        await gateway.fleet.refresh()
        const before = (await gateway.store.events(0, 100_000)).length
        for (let n = 0; n < 30; n += 1) await send({ device_id: one.id })
        await until('tried', async () =>
          (await gateway.store.events(before, 100_000)).some(({ data }) => data.reason === 'link_down'),
        )
        const tries = (await gateway.store.events(before, 100_000)).filter(
          ({ type }) => type === 'message.sending',
        )
        assert.ok(tries.length <= 90, `${tries.length} hand-overs`)
        phone(one.id).mode = 'take'
        await until('all went out', () => phone(one.id).sent.length >= 31)
        const pace = (await gateway.store.loads()).find(({ deviceId }) => deviceId === one.id)!.pace
        assert.equal(pace.dayParts, 30)
      }))

    test('a message longer than the day’s budget goes alone and does not hold up the rest for ever; the rest moves', () =>
      fresh(async (one, two) => {
        await gateway.store.change(one, { perDay: 2 })
        await gateway.fleet.refresh()
        const long = await send({ device_id: one.id, message: 'a'.repeat(400) })
        await until('the long one went', () =>
          phone(one.id).sent.some(({ id }) => id === long.body.message_id),
        )
        const named = await send({ device_id: one.id })
        const free = await send({ to: '+15550103333' })
        assert.equal(free.body.device_id, two.id)
        assert.equal((await statusOf(named.body.message_id)).status, 'queued')
      }))

    test('a text that fits no reachable device is 400 even if one of them is paused', () =>
      fresh(async one => {
        await gateway.store.change(one, { paused: true })
        await gateway.fleet.refresh()
        const { status, body } = await send({ message: 'a'.repeat(2_000) })
        assert.deepEqual([status, body.code], [400, 'message_too_long'])
      }))

    test('late and repeated receipts change nothing', () =>
      fresh(async one => {
        const { body } = await send({ device_id: one.id })
        await until('handed over', () => phone(one.id).sent.some(({ id }) => id === body.message_id))
        for (const outcome of ['delivered', 'sent', 'delivered', 'failed', 'sent'] as const)
          await phone(one.id).report({ id: body.message_id }, outcome)
        assert.equal((await statusOf(body.message_id)).status, 'delivered')
      }))

    test('past its validity a waiting message is expired and a silent one unknown', () =>
      fresh(async (one, two) => {
        const taken = await send({ device_id: two.id, ttl: 60 })
        await until('handed over', () => phone(two.id).sent.some(({ id }) => id === taken.body.message_id))
        await gateway.store.change(one, { paused: true })
        const waiting = await send({ device_id: one.id, ttl: 60 })
        gateway.clock.real = false
        gateway.clock.now = Date.now() + 60_001
        try {
          await gateway.sweeper.sweep()
        } finally {
          gateway.clock.real = true
        }
        const [expired, unknown] = [
          await statusOf(waiting.body.message_id),
          await statusOf(taken.body.message_id),
        ]
        assert.deepEqual([expired.status, expired.error.code], ['expired', 'expired'])
        assert.deepEqual([unknown.status, unknown.error.code], ['unknown', 'no_answer'])
      }))
  })

describe('presence', () => {
  test('an offline device that is named is 503 device_offline, and its queue moves on', async () => {
    const gateway = await startGateway({ kinds: [pulled], offlineGraceMs: 1_500 })
    try {
      const key = await gateway.key('production')
      const one = await gateway.device('production', { kind: 'whatsapp' })
      const two = await gateway.device('production', { kind: 'whatsapp' })
      const send = (body: object) =>
        gateway.ask('POST', '/api/v1/sms/send', { key, body: { to: '+15550101234', message: 'x', ...body } })
      assert.equal((await send({ device_id: one.id })).status, 200)
      const free = await send({})
      assert.equal(free.body.device_id, one.id, 'they know each other')
      await lines.get(one.id)!(false)
      await gateway.fleet.refresh()
      const refused = await send({ device_id: one.id })
      assert.deepEqual(
        [refused.status, refused.body.code, refused.headers.get('retry-after')],
        [503, 'device_offline', '30'],
      )
      const deviceNow = async () =>
        (await gateway.ask('GET', `/api/v1/sms/status/${free.body.message_id}`, { key })).body.data.device_id
      await gateway.sweeper.sweep()
      assert.equal(await deviceNow(), one.id, 'a reconnect is not an outage')
      await until('moved', async () => (await deviceNow()) === two.id)
      await lines.get(one.id)!(true)
      await gateway.fleet.refresh()
      assert.equal((await send({ device_id: one.id })).status, 200)
      const types = (await gateway.store.events(0, 100)).map(({ type }) => type)
      assert.ok(types.includes('device.offline') && types.includes('device.online'))
    } finally {
      await gateway.stop()
    }
  })

  test('a full queue is said, not suffered', async () => {
    const gateway = await startGateway({ kinds: [pulled], settings: { QUEUE_LIMIT: '5' } })
    try {
      const key = await gateway.key('production')
      await gateway.device('production', { kind: 'whatsapp' })
      const bulk = (count: number) =>
        gateway.ask('POST', '/api/v1/sms/bulk', {
          key,
          body: { recipients: Array.from({ length: count }, (_, n) => `+1555030${1000 + n}`), message: 'x' },
        })
      assert.equal((await bulk(4)).status, 200)
      const full = await bulk(2)
      assert.deepEqual(
        [full.status, full.body.code, full.headers.get('retry-after')],
        [503, 'queue_full', '60'],
      )
      assert.equal((await bulk(1)).status, 200)
    } finally {
      await gateway.stop()
    }
  })

  test('the numbering plans are asked only where the environment wants it', async () => {
    const gateway = await startGateway()
    try {
      await gateway.device('staging')
      const key = await gateway.key('staging', { scopes: ['messages:send', 'settings:manage'] })
      const ask = (method: string, path: string, body?: unknown) =>
        gateway.ask(method, `/staging/api/v1${path}`, { key, body })
      const unassigned = { to: '+10000000000', message: 'x' }
      assert.equal((await ask('POST', '/sms/send', unassigned)).status, 200)
      assert.equal((await ask('PATCH', '/settings', { number_check: 'plan' })).body.data.number_check, 'plan')
      assert.equal((await ask('POST', '/sms/send', unassigned)).body.code, 'invalid_recipient')
      assert.equal((await ask('POST', '/sms/send', { to: '+4930123456', message: 'x' })).status, 200)
      assert.equal((await ask('PATCH', '/settings', { number_check: 'maybe' })).status, 400)
      assert.equal((await ask('GET', '/settings')).body.data.number_check, 'plan')
    } finally {
      await gateway.stop()
    }
  })

  test('a message without a ttl waits as long as the environment says', async () => {
    const gateway = await startGateway()
    try {
      await gateway.device('staging')
      const key = await gateway.key('staging', {
        scopes: ['settings:manage', 'messages:send', 'messages:read'],
      })
      const ask = (method: string, path: string, body?: unknown) =>
        gateway.ask(method, `/staging/api/v1${path}`, { key, body })
      const validityOf = async (extra: object = {}) => {
        const sent = await ask('POST', '/sms/send', { to: '+15550101234', message: 'x', ...extra })
        const { data } = (await ask('GET', `/messages/${sent.body.message_id}`)).body
        return Math.round((Date.parse(data.expires_at) - Date.parse(data.created_at)) / 1_000)
      }
      assert.equal(await validityOf(), 86_400)
      assert.equal((await ask('PATCH', '/settings', { default_ttl: 7_200 })).body.data.default_ttl, 7_200)
      assert.equal(await validityOf(), 7_200)
      assert.equal(await validityOf({ ttl: 90 }), 90)
      for (const wrong of [59, 604_801, 'x', 1.5])
        assert.equal((await ask('PATCH', '/settings', { default_ttl: wrong })).status, 400)
      assert.equal((await ask('PATCH', '/settings', { default_ttl: null })).body.data.default_ttl, 86_400)
    } finally {
      await gateway.stop()
    }
  })
})
