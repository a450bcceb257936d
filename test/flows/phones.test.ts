/** The SMSGate app's protocol, promise by promise: enrolment, streams, messages, reports. */

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { android } from '../../src/core/devices/kinds/android.ts'
import { hashCode, hashDeviceToken } from '../../src/core/devices/phone.ts'
import { App, slot } from '../standins/app.ts'
import { databases } from '../standins/databases.ts'
import { soonMs, startGateway, type TestGateway, until } from '../standins/gateway.ts'

for (const { name, empty } of databases)
  describe(`phones with the app on ${name}`, () => {
    let gateway: TestGateway
    let key: string
    before(async () => {
      gateway = await startGateway({ database: await empty(), appPhones: true })
      key = await gateway.key('production')
    })
    after(() => gateway.stop())

    const send = async (app: App, more: object = {}) => {
      const { status, body } = await gateway.ask('POST', '/api/v1/sms/send', {
        key,
        body: { to: '+14155550123', message: 'Hello', device_id: app.device.id, ...more },
      })
      assert.equal(status, 200, JSON.stringify(body))
      return body.message_id as string
    }
    const status = async (id: string) =>
      (await gateway.ask('GET', `/api/v1/sms/status/${id}`, { key })).body.data
    const message = async (id: string) => (await gateway.store.message(1, id))!
    const connected = async (draft = {}, version?: string) => {
      const app = await App.enrol(gateway, { perMinute: null, ...draft }, version)
      const stream = await app.stream()
      await app.online()
      return { app, stream }
    }

    describe('enrolment', () => {
      test('the answer has id, token and login, made only of characters the app keeps', async () => {
        const app = new App(gateway, await slot(gateway))
        const { status, body, headers } = await app.register()
        assert.equal(status, 201)
        assert.match(headers.get('content-type')!, /^application\/json/)
        assert.equal(body.id, app.device.id)
        assert.equal(body.login, app.device.name)
        assert.equal('password' in body, false)
        for (const secret of [body.token, app.enrolment.token, body.id])
          assert.match(secret, /^[A-Za-z0-9_-]+$/)
        assert.match(app.enrolment.url, /\/mobile\/v1$/)
      })
      test('enrolling again with the same token is the same device with a fresh token, and the old token ends', async () => {
        const { app } = await connected()
        const again = await app.register()
        assert.equal(again.body.id, app.device.id)
        assert.notEqual(again.body.token, app.token)
        assert.equal((await app.call('GET', '/message')).status, 401)
        assert.equal(
          (await app.call('GET', '/message', undefined, { authorization: `Bearer ${again.body.token}` }))
            .status,
          200,
        )
      })
      test('a token typed with capital letters, and scheme names in any case, are accepted', async () => {
        const app = new App(gateway, await slot(gateway))
        assert.equal((await app.register(`bearer ${app.enrolment.token.toUpperCase()}`)).status, 201)
      })
      test('by code: digits only, works once', async () => {
        const app = new App(gateway, await slot(gateway, { code: true }))
        assert.match(app.enrolment.code!, /^\d{8}$/)
        assert.equal((await app.register(`Code ${app.enrolment.code}`)).status, 201)
        assert.equal((await app.register(`Code ${app.enrolment.code}`)).status, 401)
      })
      test('a token that nobody uses ends after a week; one that was used lets its phone in again', async () => {
        const [unused, used] = [new App(gateway, await slot(gateway)), new App(gateway, await slot(gateway))]
        assert.equal((await used.register()).status, 201)
        gateway.clock.now = Date.now() + 8 * 24 * 3_600_000
        gateway.clock.real = false
        assert.equal((await unused.register()).status, 401)
        assert.equal((await used.register()).status, 201)
        gateway.clock.real = true
      })
      test('a code ends after ten minutes', async () => {
        const app = new App(gateway, await slot(gateway, { code: true }))
        gateway.clock.real = false
        gateway.clock.now = Date.now() + 10 * 60_000 + 1_000
        assert.equal((await app.register(`Code ${app.enrolment.code}`)).status, 401)
        gateway.clock.real = true
        // The wrong try above was the clock's fault, not the code's: it is not expired for the real clock.
        assert.equal((await app.register(`Code ${app.enrolment.code}`)).status, 201)
      })
      test('a stranger learns nothing about a body: without a valid secret garbage is 401 too', async () => {
        const app = new App(gateway, await slot(gateway))
        assert.equal((await app.register('Bearer nope', 'garbage')).status, 401)
        assert.equal((await app.register('', 'garbage')).status, 401)
        assert.equal((await app.register(undefined, 'garbage')).status, 400)
        assert.equal((await app.register()).status, 201, 'garbage uses nothing up')
      })
      test('of many guesses at once only a few count, and they void nobody’s code', async () => {
        const app = new App(gateway, await slot(gateway, { code: true }))
        const right = app.enrolment.code!
        const wrong = (n: number) => String((Number(right) + n + 1) % 100_000_000).padStart(8, '0')
        // The right one comes too late: by then this address has lost its chance.
        const guesses = [...Array.from({ length: 60 }, (_, n) => wrong(n)), right]
        const answers = await Promise.all(guesses.map(code => app.register(`Code ${code}`)))
        assert.ok(answers.every(({ status }) => status === 401))
        const admitted = await gateway.store.admit({ codeHash: hashCode(right) }, hashDeviceToken('x'))
        assert.ok(admitted, 'for everybody else the code is as good as before')
      })
      test('a code is void after a few wrong tries', async () => {
        const app = new App(gateway, await slot(gateway, { code: true }))
        const wrong = app.enrolment.code === '00000000' ? '00000001' : '00000000'
        // Each is kept waiting: at once, they wait together.
        const tries = await Promise.all(Array.from({ length: 5 }, () => app.register(`Code ${wrong}`)))
        for (const { status } of tries) assert.equal(status, 401)
        assert.equal((await app.register(`Code ${app.enrolment.code}`)).status, 401)
        assert.equal((await app.register()).status, 201, 'the token still works')
        await sleep(5)
        const fresh = new App(gateway, await slot(gateway, { code: true }))
        assert.equal(
          (await fresh.register(`Code ${fresh.enrolment.code}`)).status,
          201,
          'and so does a new code',
        )
      })
      test('by name and password: the password is the token', async () => {
        const app = new App(gateway, await slot(gateway))
        const login = Buffer.from(`Me:${app.enrolment.token}`).toString('base64')
        assert.equal((await app.register(`Basic ${login}`)).status, 201)
      })
      test('without a valid secret it is 401 and nothing changes', async () => {
        const app = new App(gateway, await slot(gateway))
        const wrong = ['Bearer nope', 'Code 12', 'Basic !!', 'Basic bm9wZQ==', 'Nonsense', '']
        const answers = await Promise.all(wrong.map(one => app.register(one)))
        answers.forEach(({ status }, index) => {
          assert.equal(status, 401, wrong[index]!)
        })
        const phone = (await gateway.store.phones()).find(({ device }) => device.id === app.device.id)!
        assert.equal(phone.tokenHash, null)
      })
      test('an Android device gets 20 SMS parts a minute unless told otherwise, here and on the phone', async () => {
        assert.equal(android.perMinute, 20)
        const app = await App.enrol(gateway, { perMinute: 20 })
        const { messages } = (await app.call('GET', '/settings')).body
        assert.deepEqual([messages.limit_period, messages.limit_value], ['PerMinute', 20])
      })
    })

    describe('transport', () => {
      test('an empty list is 200 with [], never 204, and JSON', async () => {
        const app = await App.enrol(gateway)
        const { status, text, headers } = await app.call('GET', '/message?order=lifo')
        assert.deepEqual([status, text], [200, '[]'])
        assert.match(headers.get('content-type')!, /^application\/json/)
      })
      test('a trailing slash in the typed address, /api in front, /messages and doubled slashes lead to the same place', async () => {
        const app = await App.enrol(gateway)
        for (const path of [
          '//mobile/v1//message',
          '///mobile//v1/message',
          '//api/mobile/v1/message',
          '//mobile/v1/messages',
          '//api//mobile/v1//messages?order=fifo',
        ])
          assert.equal((await app.call('GET', path)).status, 200, path)
        const patched = await app.call('PATCH', '//mobile/v1//device', { id: app.device.id })
        assert.deepEqual([patched.status, patched.headers.get('location')], [204, null], 'never a redirect')
      })
      test('fields that are null, missing, unknown or of another type are tolerated', async () => {
        const app = await App.enrol(gateway)
        for (const body of [
          {},
          { id: null, simCards: null, pushToken: null },
          { simCards: 'x', other: [1] },
          { simCards: [null, 7, { slotIndex: 'a' }] },
        ])
          assert.equal((await app.call('PATCH', '/device', body)).status, 204)
      })
      test('an unknown token is exactly 401 everywhere, so that the app registers again', async () => {
        const app = await App.enrol(gateway)
        app.token = 'bsd_unknown'
        const calls = [
          ['PATCH', '/device'],
          ['GET', '/message'],
          ['PATCH', '/message'],
          ['GET', '/webhooks'],
          ['GET', '/settings'],
          ['GET', '/events'],
        ] as const
        await Promise.all(
          calls.map(async ([method, path]) => {
            const { status } = await app.call(method, path, method === 'PATCH' ? {} : undefined)
            assert.equal(status, 401, path)
          }),
        )
      })
      test('a mismatching device id in the body is ignored: the token decides', async () => {
        const app = await App.enrol(gateway)
        assert.equal((await app.call('PATCH', '/device', { id: 'somebody-else' })).status, 204)
      })
      test('GET /device tells the public address, with or without a token', async () => {
        const app = await App.enrol(gateway)
        assert.equal((await app.call('GET', '/device')).body.externalIp, '127.0.0.1')
        app.token = ''
        assert.equal((await app.call('GET', '/device')).body.externalIp, '127.0.0.1')
      })
      test('what is not supported is 404', async () => {
        const app = await App.enrol(gateway)
        for (const path of ['/user/code', '/inbox', '/nothing'])
          assert.equal((await app.call('GET', path)).status, 404)
      })
    })

    describe('event stream', () => {
      test('every connect is told to fetch webhooks and settings, and messages if there are some', async () => {
        const { app, stream } = await connected()
        await until('told', () => stream.events.length >= 2)
        assert.deepEqual(stream.events, ['WebhooksUpdated', 'SettingsUpdated'])
        await send(app)
        // Listed and not acknowledged: only the connect itself can be why the phone is told.
        await app.list()
        const second = await app.stream()
        await until('told', () => second.events.length >= 3)
        assert.deepEqual(second.events.slice(0, 3), ['WebhooksUpdated', 'SettingsUpdated', 'MessageEnqueued'])
        app.hangUp()
      })
      test('it is an uncompressed, unbuffered event stream, and each event has data', async () => {
        const { app, stream } = await connected()
        assert.equal(stream.status, 200)
        assert.equal(stream.headers['content-type'], 'text/event-stream')
        assert.match(stream.headers['cache-control']!, /no-cache/)
        assert.equal(stream.headers['x-accel-buffering'], 'no')
        assert.equal(stream.headers['content-encoding'], undefined)
        await until('told', () => stream.events.length >= 2)
        assert.equal(
          (stream.text().match(/^event:/gm) ?? []).length,
          (stream.text().match(/^data: ./gm) ?? []).length,
        )
        app.hangUp()
      })
      test('a new message is told at once', async () => {
        const { app, stream } = await connected()
        await send(app)
        await until('told', () => stream.events.includes('MessageEnqueued'), soonMs)
        app.hangUp()
      })
      test('two streams of one phone both get every event, and the older one stays', async () => {
        const { app, stream } = await connected()
        const second = await app.stream()
        await send(app)
        await until('both told', () => [stream, second].every(one => one.events.includes('MessageEnqueued')))
        assert.equal(stream.ended(), false)
        app.hangUp()
      })
      test('messages that come together are told together: never twice within two seconds', async () => {
        const { app, stream } = await connected()
        const told = () => stream.events.filter(event => event === 'MessageEnqueued').length
        await Promise.all(Array.from({ length: 10 }, () => send(app)))
        const times: number[] = []
        await until('it is told three times', async () => {
          if (told() > times.length) times.push(Date.now())
          // Something new all the while.
          await send(app)
          return times.length === 3
        })
        const gaps = times.slice(1).map((at, index) => at - times[index]!)
        // What is seen here may be a moment late; the exact time is tested with a clock of its own.
        assert.ok(Math.min(...gaps) > 1_500, `told after ${gaps.join(' and ')} ms`)
        app.hangUp()
      })
      test('comments keep the line alive', async () => {
        const { app, stream } = await connected()
        gateway.clock.real = false
        gateway.clock.now = Date.now() + 15_000
        await until('a comment', () => /^:/m.test(stream.text()))
        gateway.clock.real = true
        app.hangUp()
      })
      test('a phone whose token was replaced, or whose device was removed, loses its stream', async () => {
        const { app, stream } = await connected()
        await app.register()
        await until('the old stream ends', () => stream.ended())
        const other = await connected()
        await gateway.store.retire(other.app.device)
        await until('the removed one ends', () => other.stream.ended())
        assert.equal((await other.app.call('GET', '/message')).status, 401)
        assert.equal((await other.app.register()).status, 401)
      })
    })

    describe('messages', () => {
      test('a message is listed with one recipient, whole, valid for as long as it is, with three decimals in its times', async () => {
        const { app } = await connected()
        const id = await send(app, { ttl: 3_600, sim_slot: 2 })
        assert.equal((await status(id)).status, 'queued')
        const [item, ...rest] = await app.list()
        assert.deepEqual(rest, [])
        assert.equal(item.id, id)
        assert.deepEqual(item.phoneNumbers, ['+14155550123'])
        assert.deepEqual([item.message, item.textMessage.text], ['Hello', 'Hello'])
        assert.equal(item.simNumber, 2)
        assert.equal(item.withDeliveryReport, true)
        assert.ok(item.id.length <= 36 && !item.id.includes('|'))
        for (const time of [item.validUntil, item.createdAt])
          assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
        assert.equal(Date.parse(item.validUntil), (await message(id)).expiresAt)
        assert.equal((await status(id)).status, 'sending')
        app.hangUp()
      })
      test('without sim_slot there is no simNumber: never 0, never null', async () => {
        const { app } = await connected()
        await send(app)
        const [item] = await app.list()
        assert.equal('simNumber' in item, false)
        assert.equal('state' in item, false)
        app.hangUp()
      })
      test('a message is listed until it is acknowledged, and not after', async () => {
        const { app } = await connected()
        const id = await send(app)
        for (let n = 0; n < 3; n += 1)
          assert.deepEqual(
            (await app.list()).map(item => item.id),
            [id],
          )
        assert.equal((await message(id)).attempts, 1, 'showing it again is not handing it over again')
        await app.report(id, 'Pending')
        assert.deepEqual(await app.list(), [])
        assert.equal((await status(id)).status, 'sending')
        app.hangUp()
      })
      test('oldest first, whatever order the phone asks for, each with a later time than the one before', async () => {
        const { app } = await connected()
        const recipients = Array.from({ length: 5 }, (_, n) => `+1415555012${n}`)
        const body = { recipients, message: 'x', device_id: app.device.id }
        // Accepted in one commit, they were created in the same millisecond.
        const ids = (await gateway.ask('POST', '/api/v1/sms/bulk', { key, body })).body.message_ids
        const items = (await app.call('GET', '/message?order=lifo')).body
        assert.deepEqual(
          items.map((item: { id: string }) => item.id),
          ids,
        )
        const times = items.map((item: { createdAt: string }) => Date.parse(item.createdAt))
        assert.ok(times.every((at: number, index: number) => index === 0 || at > times[index - 1]))
        app.hangUp()
      })
      test('a listed message is never given to another phone', async () => {
        const { app } = await connected()
        const { app: other } = await connected()
        const id = await send(app)
        await app.list()
        await gateway.store.change(app.device, { paused: true })
        await sleep(1_200)
        assert.deepEqual(await other.list(), [])
        assert.equal((await status(id)).device_id, app.device.id)
        app.hangUp()
        other.hangUp()
      })
      test('what a phone was given before it enrolled again is not shown again: it may have forgotten that it sent it', async () => {
        const { app } = await connected()
        const id = await send(app)
        await app.list()
        app.token = (await app.register()).body.token
        assert.deepEqual(await app.list(), [])
        await app.report(id, 'Sent')
        assert.equal((await status(id)).status, 'sent', 'its word still counts')
        app.hangUp()
      })
      test('past its validity it is not listed any more, and ends unknown', async () => {
        const { app } = await connected()
        const id = await send(app, { ttl: 60 })
        await app.list()
        gateway.clock.real = false
        gateway.clock.now = Date.now() + 61_000
        assert.deepEqual(await app.list(), [])
        await until('unknown', async () => (await status(id)).status === 'unknown')
        gateway.clock.real = true
        await app.report(id, 'Delivered')
        assert.equal((await status(id)).status, 'delivered', 'unless a late receipt comes')
        app.hangUp()
      })
      test('a backlog larger than one page drains without waiting for the next poll', {
        timeout: 240_000,
      }, async () => {
        const { app, stream } = await connected()
        const recipients = Array.from({ length: 100 }, (_, n) => `+1415555${1000 + n}`)
        for (let n = 0; n < 3; n += 1)
          assert.equal(
            (
              await gateway.ask('POST', '/api/v1/sms/bulk', {
                key,
                body: { recipients, message: 'x', device_id: app.device.id },
              })
            ).status,
            200,
          )
        const seen = new Set<string>()
        let told = 0
        await until('all listed', async () => {
          const now = stream.events.filter(event => event === 'MessageEnqueued').length
          if (now === told) return false
          told = now
          const items = await app.list()
          assert.ok(items.length <= 100)
          await app.call(
            'PATCH',
            '/message',
            items.map(({ id }) => ({ id, state: 'Processed', recipients: [], states: {} })),
          )
          for (const { id } of items) seen.add(id)
          return seen.size === 300
        })
        app.hangUp()
      })
      test('within its pace: what is over the minute waits, and the phone is told when its time has come', async () => {
        const { app, stream } = await connected({ perMinute: 2 })
        for (let n = 0; n < 3; n += 1) await send(app)
        assert.equal((await app.list()).length, 2)
        await app.call(
          'PATCH',
          '/message',
          (await app.list()).map(({ id }) => ({ id, state: 'Sent' })),
        )
        assert.deepEqual(await app.list(), [])
        const before = stream.events.length
        gateway.clock.real = false
        gateway.clock.now = Date.now() + 62_000
        assert.equal((await app.list()).length, 1)
        gateway.clock.real = true
        assert.ok(stream.events.length - before <= 1, 'not told again and again meanwhile')
        app.hangUp()
      })
      test('a paused device gets nothing new', async () => {
        const { app } = await connected()
        await send(app)
        await gateway.store.change(app.device, { paused: true })
        assert.deepEqual(await app.list(), [])
        app.hangUp()
      })
      test('an answer that got lost is fetched again without waiting for the next poll', async () => {
        const { app, stream } = await connected()
        await send(app)
        await app.list()
        await sleep(100)
        const before = stream.events.length
        gateway.clock.real = false
        gateway.clock.now = Date.now() + 16_000
        await until('told again', () => stream.events.slice(before).includes('MessageEnqueued'))
        gateway.clock.real = true
        app.hangUp()
      })
    })

    test('two pages that are fetched one after the other keep their order on the phone', async () => {
      const { app } = await connected()
      const times: string[] = []
      for (let n = 0; n < 2; n += 1) {
        const recipients = Array.from({ length: 100 }, (_, m) => `+1415555${1000 + m}`)
        const body = { recipients, message: 'x', device_id: app.device.id }
        await gateway.ask('POST', '/api/v1/sms/bulk', { key, body })
        const items = await app.list()
        times.push(...items.map(item => item.createdAt))
        await app.call(
          'PATCH',
          '/message',
          items.map(({ id }) => ({ id, state: 'Pending' })),
        )
      }
      assert.equal(times.length, 200)
      assert.deepEqual(times, [...new Set(times)].sort())
      app.hangUp()
    })
    test('phones that hang up while they are being looked up are not there', async () => {
      const app = await App.enrol(gateway)
      const attempts = Array.from({ length: 100 }, async () => {
        const { hostname, port } = new URL(gateway.url)
        const socket = connect(Number(port), hostname)
        socket.write(
          `GET /mobile/v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${app.token}\r\n\r\n`,
        )
        await sleep(Math.random() * 4)
        socket.resetAndDestroy()
      })
      await Promise.all(attempts)
      gateway.clock.real = false
      gateway.clock.now = Date.now() + 21 * 60_000
      await until('offline', async () => {
        // Time goes on: on a busy machine some of them hang up only now.
        gateway.clock.now += 10_000
        const found = (await gateway.store.allDevices()).find(({ id }) => id === app.device.id)
        return found?.online === false
      })
      gateway.clock.real = true
    })

    describe('reports', () => {
      const given = async () => {
        const { app } = await connected()
        const id = await send(app)
        await app.list()
        return { app, id }
      }
      test('always 2xx, also for ids nobody knows and states nobody knows', async () => {
        const { app, id } = await given()
        for (const body of [
          [],
          [{}],
          [null],
          [{ id: 'x' }],
          [{ id: crypto.randomUUID(), state: 'Sent' }],
          [{ id, state: 'Teleported' }],
          [{ id: 7, state: [] }],
          [{ id: 'a\u0000b', state: 'Sent' }],
          [{ id, state: 'Pending', states: { constructor: 'x', __proto__: '2026-01-01T00:00:00Z' } }],
        ])
          assert.equal((await app.call('PATCH', '/message', body)).status, 204)
        assert.equal((await status(id)).status, 'sending')
        app.hangUp()
      })
      test('Pending and Processed mean that the phone has it; nothing is on the air for certain', async () => {
        const { app, id } = await given()
        await app.report(id, 'Processed', { states: { Processed: '2026-11-15T09:00:00.000+02:00' } })
        assert.equal((await status(id)).status, 'sending')
        assert.equal((await message(id)).reported?.processed, Date.UTC(2026, 10, 15, 7))
        app.hangUp()
      })
      test('reports repeat and overtake each other: the message moves only forward', async () => {
        const { app, id } = await given()
        for (const state of ['Delivered', 'Sent', 'Processed', 'Delivered', 'Pending', 'Failed'])
          await app.report(id, state)
        assert.equal((await status(id)).status, 'delivered')
        app.hangUp()
      })
      test('a skipped state is told by the snapshot: delivered without sent has both times', async () => {
        const { app, id } = await given()
        const at = Date.now()
        const states = {
          Sent: new Date(at - 3_000).toISOString(),
          Delivered: new Date(at - 1_000).toISOString(),
        }
        await app.report(id, 'Delivered', { states })
        const { sentAt, deliveredAt, reported } = await message(id)
        assert.deepEqual([sentAt, deliveredAt], [at - 3_000, at - 1_000])
        assert.deepEqual([reported?.sent, reported?.delivered], [at - 3_000, at - 1_000])
        app.hangUp()
      })
      test('the phone’s own time of each state is kept, the earliest of each', async () => {
        const { app, id } = await given()
        await app.report(id, 'Sent', {
          states: { Sent: '2026-11-15T10:00:05.000Z', Pending: '2026-11-15T10:00:01.000Z' },
        })
        await app.report(id, 'Sent', {
          states: { Sent: '2026-11-15T10:00:04.000Z', Pending: '2026-11-15T10:00:02.000Z' },
        })
        const { reported } = await message(id)
        assert.equal(reported?.sent, Date.parse('2026-11-15T10:00:04.000Z'))
        assert.equal(reported?.taken, Date.parse('2026-11-15T10:00:01.000Z'))
        app.hangUp()
      })
      test('a time that cannot be read is the time of arrival', async () => {
        const { app, id } = await given()
        const before = Date.now()
        await app.report(id, 'Sent', { states: { Sent: '2026-11-15T10:00:05.000+-5:00' } })
        const { sentAt } = await message(id)
        assert.ok(sentAt! >= before && sentAt! <= Date.now())
        app.hangUp()
      })
      test('Delivered with an error text is delivered', async () => {
        const { app, id } = await given()
        await app.report(id, 'Delivered', {
          recipients: [{ phoneNumber: '+14155550123', state: 'Delivered', error: 'TP-Status 1' }],
        })
        assert.equal((await status(id)).status, 'delivered')
        app.hangUp()
      })
      test('Failed after Sent is the network’s word: not_delivered', async () => {
        const { app, id } = await given()
        await app.report(id, 'Sent', { states: { Sent: new Date().toISOString() } })
        await app.report(id, 'Failed', {
          states: { Sent: new Date().toISOString() },
          recipients: [{ state: 'Failed', error: 'TP-Status 70' }],
        })
        const { status: state, error } = await status(id)
        assert.deepEqual([state, error.code], ['failed', 'not_delivered'])
        app.hangUp()
      })
      test('what Android says becomes a stable code with a hint, and its words are kept', async () => {
        const { app, id } = await given()
        await app.report(id, 'Failed', {
          recipients: [{ state: 'Failed', error: 'Send result: RESULT_ERROR_NO_SERVICE (no service)' }],
        })
        const { error } = await status(id)
        assert.equal(error.code, 'no_service')
        assert.match(error.detail, /reception.*RESULT_ERROR_NO_SERVICE/)
        assert.equal(error.retryable, true)
        app.hangUp()
      })
      test('a message of another phone does not move, and that phone is none the wiser', async () => {
        const { app, id } = await given()
        const { app: other } = await connected()
        assert.equal(
          (await other.report(id, 'Delivered', { states: { Sent: new Date().toISOString() } })).status,
          204,
        )
        assert.equal((await status(id)).status, 'sending')
        assert.equal((await message(id)).reported, null)
        app.hangUp()
        other.hangUp()
      })
      test('garbage is 400 and a body of 20 MiB is 413; nothing changes', async () => {
        const { app, id } = await given()
        for (const body of ['{', '', 'nonsense', '{"id":1}', '"x"'])
          assert.equal((await app.call('PATCH', '/message', body)).status, 400, body)
        const huge = JSON.stringify([{ id, state: 'Delivered', pad: 'x'.repeat(20 * 1_048_576) }])
        const answer = await app.call('PATCH', '/message', huge).catch(() => undefined)
        if (answer) assert.equal(answer.status, 413)
        assert.equal((await status(id)).status, 'sending')
        app.hangUp()
      })
    })

    describe('cancel', () => {
      const cancel = (id: string) => gateway.ask('POST', `/api/v1/messages/${id}/cancel`, { key })

      test('a waiting message is canceled at once', async () => {
        const { app } = await connected()
        const id = await send(app)
        assert.deepEqual((await cancel(id)).body.data, { message_id: id, status: 'canceled' })
        assert.deepEqual(await app.list(), [])
        assert.equal((await cancel(id)).status, 200, 'and stays so')
        app.hangUp()
      })
      test('from 1.67 on a phone is asked, and its confirmation counts', async () => {
        const { app, stream } = await connected({}, '1.67.0')
        const id = await send(app)
        await app.list()
        const answer = cancel(id)
        await until('asked', () => stream.events.includes('MessageCancelled'))
        assert.match(stream.text(), new RegExp(`data: {"messageId":"${id}"}`))
        assert.equal((await app.list())[0].state, 'Cancelling')
        await app.report(id, 'Cancelled')
        assert.equal((await answer).status, 200)
        assert.deepEqual(await app.list(), [])
        app.hangUp()
      })
      test('a phone that has sent it meanwhile: 409, and the message is sent', async () => {
        const { app, stream } = await connected({}, '1.67.0')
        const id = await send(app)
        await app.list()
        const answer = cancel(id)
        await until('asked', () => stream.events.includes('MessageCancelled'))
        await app.report(id, 'Sent')
        const { status: code, body } = await answer
        assert.deepEqual([code, body.code], [409, 'not_cancelable'])
        assert.equal((await status(id)).status, 'sent')
        app.hangUp()
      })
      test('a message of a list that the phone never got is canceled once it was told so and stays silent', async () => {
        const { app } = await connected({}, '1.67.0')
        const id = await send(app)
        // The answer to this is lost on its way.
        await app.list()
        assert.equal(await gateway.store.cancel(1, id, true), 'sending')
        assert.equal((await app.list())[0].state, 'Cancelling')
        assert.equal((await app.list())[0].state, 'Cancelling')
        assert.equal((await status(id)).status, 'sending', 'it may still be on it')
        gateway.clock.real = false
        gateway.clock.now = Date.now() + 61_000
        await app.list()
        gateway.clock.real = true
        assert.equal((await status(id)).status, 'canceled')
        assert.deepEqual(await app.list(), [])
        app.hangUp()
      })
      test('a phone that has the message is waited for, however long it takes to cancel it', async () => {
        const { app } = await connected({}, '1.67.0')
        const id = await send(app)
        await app.list()
        await app.report(id, 'Pending')
        assert.equal(await gateway.store.cancel(1, id, true), 'sending')
        gateway.clock.real = false
        for (const seconds of [0, 61, 122]) {
          gateway.clock.now = Date.now() + seconds * 1_000
          await app.list()
        }
        gateway.clock.real = true
        assert.equal((await status(id)).status, 'sending')
        app.hangUp()
      })
      test('an older app is never shown a message as being canceled: it would send it', async () => {
        const { app, stream } = await connected({}, '1.66.9')
        const id = await send(app)
        await app.list()
        assert.equal((await cancel(id)).status, 409)
        assert.deepEqual(
          (await app.list()).map(item => item.state),
          [undefined],
        )
        assert.equal(stream.events.includes('MessageCancelled'), false)
        app.hangUp()
      })
      test('messages that are to be canceled do not keep a phone from new ones', async () => {
        const { app } = await connected({}, '1.67.0')
        const recipients = Array.from({ length: 100 }, (_, m) => `+1415555${1000 + m}`)
        const body = { recipients, message: 'x', device_id: app.device.id }
        const { message_ids } = (await gateway.ask('POST', '/api/v1/sms/bulk', { key, body })).body
        await app.list()
        await Promise.all(message_ids.map((id: string) => gateway.store.cancel(1, id, true)))
        const fresh = await send(app)
        const items = await app.list()
        assert.equal(items.filter(item => item.state === 'Cancelling').length, 100)
        assert.ok(items.some(item => item.id === fresh && item.state === undefined))
        app.hangUp()
      })
      test('a phone that has begun to send it says so, and the answer does not wait', async () => {
        const { app } = await connected({}, '1.67.0')
        const id = await send(app)
        await app.list()
        const answer = cancel(id)
        await until('asked', async () => (await message(id)).cancelAsked)
        await app.report(id, 'Processed')
        const { status: code, body } = await answer
        assert.equal(code, 409)
        assert.match(body.detail, /begun to send/)
        assert.equal((await message(id)).cancelAsked, false)
        app.hangUp()
      })
      test('an unknown message is 404', async () => {
        for (const id of [crypto.randomUUID(), 'x']) assert.equal((await cancel(id)).status, 404)
      })
    })
  })
