/** Devices over the API: add, list, change, connect, remove, each environment for itself. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { warningFor } from '../../src/core/devices/kinds/android-app.ts'
import { App } from '../standins/app.ts'
import { startGateway, type TestGateway } from '../standins/gateway.ts'

describe('devices over the API', () => {
  let gateway: TestGateway
  let key: string
  before(async () => {
    gateway = await startGateway({ appPhones: true })
    key = await gateway.key('production', { scopes: ['devices:read', 'devices:manage'] })
  })
  after(() => gateway.stop())
  const ask = (method: string, path: string, body?: unknown, by = key) =>
    gateway.ask(method, `/api/v1${path}`, { key: by, ...(body !== undefined && { body }) })

  test('adding an Android device answers 201 with what to type and every step', async () => {
    const { status, body } = await ask('POST', '/devices', { kind: 'android', name: 'Desk' })
    assert.equal(status, 201)
    const { enrolment, ...device } = body.data
    assert.deepEqual(
      [device.name, device.kind, device.status, device.per_minute, device.waiting, device.phone],
      ['Desk', 'android', 'offline', 20, 0, ''],
    )
    assert.equal(enrolment.url, `${gateway.url}/mobile/v1`)
    assert.match(enrolment.code, /^\d{8}$/)
    assert.ok(Date.parse(enrolment.code_expires_at) > Date.now())
    const steps = enrolment.steps.join('\n')
    for (const word of [
      enrolment.url,
      enrolment.token,
      enrolment.code,
      'SSE Only',
      'Start on boot',
      'Battery',
      'RCS',
    ])
      assert.ok(steps.includes(word), word)
    assert.match(enrolment.warning, /adb reverse/)
    assert.equal(enrolment.shown_by.length, enrolment.steps.length)
    assert.deepEqual(device.connection, { registered_at: null, signs: [] })
    const app = new App(gateway, { device, enrolment })
    assert.equal((await app.register()).status, 201, 'the token lets a phone in')
  })
  test('with code: false there is no code', async () => {
    const { body } = await ask('POST', '/devices', { kind: 'android', name: 'Desk', code: false })
    assert.deepEqual([body.data.enrolment.code, body.data.enrolment.code_expires_at], [null, null])
  })
  test('the secrets are shown once: neither list nor detail has them', async () => {
    const { body } = await ask('POST', '/devices', { kind: 'android', name: 'Secret' })
    const { token } = body.data.enrolment
    for (const path of ['/devices', `/devices/${body.data.id}`]) {
      const { status, text } = await ask('GET', path)
      assert.equal(status, 200)
      assert.ok(text.includes(body.data.id) && !text.includes(token) && !text.includes('bsk_'))
    }
  })
  test('a fresh token ends the one before, and the phone that is in stays in', async () => {
    const added = (await ask('POST', '/devices', { kind: 'android', name: 'Twice' })).body.data
    const app = new App(gateway, { device: added, enrolment: added.enrolment })
    app.token = (await app.register()).body.token
    const { status, body } = await ask('POST', `/devices/${added.id}/enrolment`)
    assert.equal(status, 200)
    assert.match(body.data.enrolment.code, /^\d{8}$/)
    assert.equal((await app.call('GET', '/message')).status, 200)
    assert.equal((await app.register()).status, 401)
    assert.equal((await app.register(`Bearer ${body.data.enrolment.token}`)).status, 201)
  })
  test('change, pause, resume', async () => {
    const { id } = (await ask('POST', '/devices', { kind: 'android', name: 'A' })).body.data
    const change = { name: ' B ', phone: '+1 (415) 555-0123', per_minute: null, per_day: 500, paused: true }
    const { status, body } = await ask('PATCH', `/devices/${id}`, change)
    assert.equal(status, 200)
    const { name, phone, per_minute, per_day, paused } = body.data
    assert.deepEqual([name, phone, per_minute, per_day, paused], ['B', '+14155550123', null, 500, true])
    assert.equal(
      (await ask('PATCH', `/devices/${id.toUpperCase()}`, { paused: false })).body.data.paused,
      false,
    )
  })
  test('removed is gone', async () => {
    const { id } = (await ask('POST', '/devices', { kind: 'android', name: 'Gone' })).body.data
    assert.deepEqual((await ask('DELETE', `/devices/${id}`)).body, { success: true, data: { id } })
    for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const)
      assert.equal((await ask(method, `/devices/${id}`, body)).status, 404)
    assert.ok(!(await ask('GET', '/devices')).text.includes(id))
  })
  test('bad input is 400 and adds nothing', async () => {
    const count = async () => (await ask('GET', '/devices')).body.data.length
    const before = await count()
    const bad = [
      {},
      { kind: 'android' },
      { kind: 'toaster', name: 'x' },
      { kind: 'android', name: ' ' },
      { kind: 'android', name: 'x'.repeat(101) },
      { kind: 'android', name: 'x', phone: '030123' },
      { kind: 'android', name: 'x', per_minute: 0 },
      { kind: 'android', name: 'x', per_minutes: 7 },
      { kind: 'simulated', name: 'x' },
      { kind: 'whatsapp', name: 'x' },
    ]
    for (const body of bad)
      assert.equal((await ask('POST', '/devices', body)).status, 400, JSON.stringify(body))
    assert.equal(await count(), before)
  })
  test('a simulated phone can be added in staging, and is online at once', async () => {
    const staging = await gateway.key('staging', { scopes: ['devices:manage'] })
    const { status, body } = await gateway.ask('POST', '/staging/api/v1/devices', {
      key: staging,
      body: { kind: 'simulated', name: 'S' },
    })
    assert.equal(status, 201)
    assert.deepEqual(
      [body.data.status, body.data.per_minute, 'enrolment' in body.data],
      ['online', null, false],
    )
    assert.equal(
      (
        await gateway.ask('POST', `/staging/api/v1/devices/${body.data.id}/enrolment`, {
          key: staging,
          body: {},
        })
      ).status,
      400,
    )
  })
  test('devices of the other environment do not exist, and scopes hold', async () => {
    const { id } = (await ask('POST', '/devices', { kind: 'android', name: 'Mine' })).body.data
    const staging = await gateway.key('staging', { scopes: ['devices:read', 'devices:manage'] })
    assert.equal((await gateway.ask('GET', `/staging/api/v1/devices/${id}`, { key: staging })).status, 404)
    assert.equal((await gateway.ask('DELETE', `/staging/api/v1/devices/${id}`, { key: staging })).status, 404)
    const reader = await gateway.key('production', { scopes: ['devices:read'] })
    assert.equal((await ask('GET', `/devices/${id}`, undefined, reader)).status, 200)
    for (const [method, path, body] of [
      ['POST', '/devices', { kind: 'android', name: 'x' }],
      ['PATCH', `/devices/${id}`, {}],
      ['DELETE', `/devices/${id}`],
      ['POST', `/devices/${id}/enrolment`, {}],
    ] as const)
      assert.equal((await ask(method, path, body, reader)).status, 403)
  })
  test('a wrong method says which ones there are', async () => {
    const { status, headers } = await ask('PUT', '/devices', {})
    assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD, POST'])
  })
  test('a phone in staging sends for staging only', async () => {
    const app = await App.enrol(gateway, { environment: 'staging', perMinute: null })
    await app.stream()
    await app.online()
    const staging = await gateway.key('staging')
    const { body } = await gateway.ask('POST', '/staging/api/v1/sms/send', {
      key: staging,
      body: { to: '+14155550123', message: 'x', device_id: app.device.id },
    })
    assert.deepEqual(
      (await app.list()).map(item => item.id),
      [body.message_id],
    )
    const production = await gateway.key('production')
    assert.equal(
      (
        await gateway.ask('POST', '/api/v1/sms/send', {
          key: production,
          body: { to: '+14155550123', message: 'x', device_id: app.device.id },
        })
      ).body.code,
      'invalid_device',
    )
    app.hangUp()
  })
})

test('an address is judged before somebody types it into a phone', () => {
  assert.equal(warningFor('https://sms.example.org/mobile/v1'), null)
  assert.match(warningFor('http://sms.example.org/mobile/v1')!, /cannot work/)
  assert.match(warningFor('http://localhost:8080/mobile/v1')!, /cannot work/)
  assert.match(warningFor('http://127.0.0.1:8080/mobile/v1')!, /adb reverse tcp:8080 tcp:8080/)
  assert.match(warningFor('https://127.0.0.1:8443/mobile/v1')!, /reaches itself/)
})
