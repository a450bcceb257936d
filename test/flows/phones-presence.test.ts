/** When a phone counts as online, and what people are told about it. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { App, slot } from '../standins/app.ts'
import { emptySqlite } from '../standins/databases.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'

describe('presence', () => {
  let gateway: TestGateway
  let key: string
  before(async () => {
    gateway = await startGateway({ appPhones: true })
    key = await gateway.key('production', { scopes: ['devices:read', 'devices:manage', 'messages:send'] })
  })
  after(() => gateway.stop())

  const device = async (id: string) => (await gateway.ask('GET', `/api/v1/devices/${id}`, { key })).body.data
  const codes = async (app: { device: { id: string } }) =>
    (await device(app.device.id)).attention.map(({ code }: { code: string }) => code)
  const isOnline = async (app: App) => (await device(app.device.id)).status === 'online'
  /** Turns the clock and gives the gateway time to look at it. */
  const later = async (ms: number, work: () => Promise<void>) => {
    gateway.clock.now = Date.now() + ms
    gateway.clock.real = false
    try {
      await work()
    } finally {
      gateway.clock.real = true
    }
  }

  test('a slot without a phone is offline and says so', async () => {
    const waiting = await slot(gateway)
    await until('attention', async () => (await codes(waiting)).includes('not_connected'))
    assert.equal((await device(waiting.device.id)).status, 'offline')
  })
  test('a live event stream is online; one lost less than 90 s ago still is; then it is offline', async () => {
    const app = await App.enrol(gateway)
    const stream = await app.stream()
    await app.online()
    assert.deepEqual(await codes(app), [])
    stream.close()
    await later(80_000, async () => {
      await new Promise(resolve => setTimeout(resolve, 2_500))
      assert.equal(await isOnline(app), true)
    })
    await later(95_000, () => until('offline', async () => !(await isOnline(app))))
  })
  test('a phone that comes back in time was never offline', async () => {
    const app = await App.enrol(gateway)
    const stream = await app.stream()
    await app.online()
    stream.close()
    await app.stream()
    const events = await gateway.store.events(0, 10_000)
    const states = events.filter(({ deviceId, type }) => deviceId === app.device.id && /line$/.test(type))
    assert.deepEqual(
      states.map(({ type }) => type),
      ['device.online'],
    )
    app.hangUp()
  })
  test('a phone that never opens a stream is online for 20 minutes after each call, and people are told what to set', async () => {
    const app = await App.enrol(gateway)
    await app.list()
    await app.online()
    await later(19 * 60_000, async () => {
      await until('told', async () => (await codes(app)).includes('no_event_stream'))
      // A node that has not shown itself since the clock jumped counts as dead for a moment.
      await until('online', () => isOnline(app))
    })
    await later(21 * 60_000, () => until('offline', async () => !(await isOnline(app))))
  })
  test('an old version is taken, with a word to people', async () => {
    const app = await App.enrol(gateway, {}, '1.52.9')
    assert.equal((await app.call('GET', '/message')).status, 200)
    await until('told', async () => (await codes(app)).includes('app_outdated'))
    app.version = '1.53.1'
    await app.call('GET', '/message')
    await until('all is well', async () => !(await codes(app)).includes('app_outdated'))
    assert.equal((await device(app.device.id)).about.app_version, '1.53.1')
  })
  test('a phone that does not react to its stream is hung up, so that its queue can move on', async () => {
    const app = await App.enrol(gateway, { perMinute: null })
    const stream = await app.stream()
    await app.online()
    await gateway.ask('POST', '/api/v1/sms/send', {
      key,
      body: { to: '+14155550123', message: 'x', device_id: app.device.id },
    })
    await until('told', () => stream.events.includes('MessageEnqueued'))
    await later(91_000, () => until('hung up', () => stream.ended()))
  })
  test('a changed pace is told to the phone at once', async () => {
    const app = await App.enrol(gateway, { perMinute: 20 })
    const stream = await app.stream()
    await app.online()
    await until('first', () => stream.events.includes('SettingsUpdated'))
    await gateway.ask('PATCH', `/api/v1/devices/${app.device.id}`, { key, body: { per_minute: 5 } })
    await until('told', () => stream.events.filter(event => event === 'SettingsUpdated').length === 2)
    assert.equal((await app.call('GET', '/settings')).body.messages.limit_value, 5)
    app.hangUp()
  })
  test('a raised budget is felt at once', async () => {
    const app = await App.enrol(gateway, { perMinute: null, perDay: 1 })
    const stream = await app.stream()
    await app.online()
    const body = { to: '+14155550123', message: 'x', device_id: app.device.id }
    for (let n = 0; n < 2; n += 1) await gateway.ask('POST', '/api/v1/sms/send', { key, body })
    const [item, ...rest] = await app.list()
    assert.deepEqual(rest, [])
    await app.report(item.id, 'Sent')
    const before = stream.events.length
    await gateway.ask('PATCH', `/api/v1/devices/${app.device.id}`, { key, body: { per_day: 10 } })
    await until('told', () => stream.events.slice(before).includes('MessageEnqueued'))
    assert.equal((await app.list()).length, 1)
    app.hangUp()
  })
  test('a phone that enrols again does not inherit the stream of the one before', async () => {
    const app = await App.enrol(gateway)
    const stream = await app.stream()
    await app.online()
    app.token = (await app.register()).body.token
    await until('cut', () => stream.ended())
    await new Promise(resolve => setTimeout(resolve, 100))
    const phone = (await gateway.store.phones()).find(one => one.device.id === app.device.id)
    assert.equal(phone?.streamAt, null)
  })
  test('attention is journalled when it changes', async () => {
    const app = await App.enrol(gateway, {}, '1.52.0')
    await until('told', async () => (await codes(app)).includes('app_outdated'))
    const events = await gateway.store.events(0, 10_000)
    const told = events.filter(
      ({ deviceId, type }) => deviceId === app.device.id && type === 'device.attention',
    )
    assert.deepEqual(told.at(-1)?.data.attention, ['app_outdated'])
  })
})

test('after a restart a phone that was just here is still online, so that sends are not refused', async () => {
  const database = await emptySqlite()
  const first = await startGateway({ database, appPhones: true })
  const app = await App.enrol(first)
  await app.stream()
  await app.online()
  await first.stop()
  const second = await startGateway({ database, appPhones: true })
  await second.fleet.refresh()
  assert.equal(second.fleet.member(app.device.id)?.online, true)
  second.clock.now = Date.now() + 95_000
  second.clock.real = false
  await until('it did not come back', async () => {
    const [device] = await second.store.allDevices()
    return device?.online === false
  })
  await second.stop()
})
