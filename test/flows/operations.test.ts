/** The four documented operations, under all eight paths, in both environments, on both databases. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { databases } from '../standins/databases.ts'
import { bases, startGateway, type TestGateway, until } from '../standins/gateway.ts'
import { phone } from '../standins/phone.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
const forms = [
  { send: '/sms/send', bulk: '/sms/bulk', status: '/sms/status', received: '/messages/received' },
  { send: '/message/send', bulk: '/message/bulk', status: '/message/status', received: '/message/received' },
]

for (const database of databases)
  for (const environment of ['production', 'staging'] as const)
    for (const form of forms)
      describe(`${form.send} and its like in ${environment} on ${database.name}`, () => {
        let gateway: TestGateway
        let key: string
        let device: string
        const base = bases[environment]
        const ask = (method: string, path: string, body?: unknown) =>
          gateway.ask(method, base + path, { key, body })

        before(async () => {
          gateway = await startGateway({ database: await database.empty() })
          key = await gateway.key(environment)
          device = (await gateway.device(environment, { name: 'Reception', phone: '+15550100000' })).id
        })
        after(() => gateway.stop())

        test('send answers with exactly the documented fields, and the number normalised', async () => {
          const { status, body, headers } = await ask('POST', form.send, {
            to: '00 1 (555) 010-1234',
            message: 'Hello ✓',
          })
          assert.equal(status, 200)
          assert.deepEqual(Object.keys(body), [
            'success',
            'message_id',
            'device_id',
            'status',
            'to',
            'message',
          ])
          assert.deepEqual(
            { ...body, message_id: '' },
            {
              success: true,
              message_id: '',
              device_id: device,
              status: 'queued',
              to: '+15550101234',
              message: 'Hello ✓',
            },
          )
          assert.match(body.message_id, uuid)
          assert.match(headers.get('x-request-id')!, /^[0-9a-f-]{36}$/)
          assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
          for (const name of ['limit', 'remaining', 'reset'])
            assert.match(headers.get(`x-ratelimit-${name}`)!, /^\d+$/)
        })

        test('send takes a device by name', async () => {
          const { body } = await ask('POST', form.send, {
            to: '+15550101234',
            message: 'x',
            device_id: device.toUpperCase(),
          })
          assert.equal(body.device_id, device)
        })

        test('bulk answers with exactly the documented fields when all is well', async () => {
          const { status, body } = await ask('POST', form.bulk, {
            recipients: ['+15550101111', '+15550102222'],
            message: 'x',
          })
          assert.equal(status, 200)
          assert.deepEqual(Object.keys(body), ['success', 'message_ids', 'device_id', 'stats'])
          assert.deepEqual(body.stats, { total: 2, valid: 2, invalid: 0, queued: 2 })
          assert.equal(new Set(body.message_ids).size, 2)
        })

        test('bulk texts each valid number once, and says what it left out', async () => {
          const recipients = ['+15550101111', 'nonsense', '+1 555 010 1111', '0015550102222', '']
          const { body } = await ask('POST', form.bulk, { recipients, message: 'x' })
          assert.deepEqual(body.stats, { total: 5, valid: 3, invalid: 2, queued: 2 })
          assert.deepEqual(
            body.rejected.map((one: Record<string, unknown>) => [one.index, one.to, one.code]),
            [
              [1, 'nonsense', 'invalid_recipient'],
              [2, '+1 555 010 1111', 'duplicate_recipient'],
              [4, '', 'invalid_recipient'],
            ],
          )
          const { id } = await gateway.environment(environment)
          const found = await Promise.all(
            body.message_ids.map((one: string) => gateway.store.message(id, one)),
          )
          assert.deepEqual(
            found.map(message => message!.recipient),
            ['+15550101111', '+15550102222'],
          )
          assert.equal(found[0]!.batchId, found[1]!.batchId)
        })

        test('status follows a message to its delivery', async () => {
          const { body: sent } = await ask('POST', form.send, { to: '+15550107777', message: 'x' })
          if (environment === 'production') {
            await until('handed to the phone', () =>
              phone(device).sent.some(({ id }) => id === sent.message_id),
            )
            const before = await ask('GET', `${form.status}/${sent.message_id}`)
            assert.deepEqual(before.body, {
              success: true,
              data: { message_id: sent.message_id, status: 'sending', delivered_at: null, device_id: device },
            })
            await phone(device).report({ id: sent.message_id }, 'delivered', Date.UTC(2020, 1, 1))
          }
          await until(
            'delivered',
            async () =>
              (await ask('GET', `${form.status}/${sent.message_id}`)).body.data.status === 'delivered',
          )
          const { status, body } = await ask('GET', `${form.status}/${sent.message_id.toUpperCase()}`)
          assert.equal(status, 200)
          assert.deepEqual(Object.keys(body), ['success', 'data'])
          assert.deepEqual(Object.keys(body.data), ['message_id', 'status', 'delivered_at', 'device_id'])
          assert.ok(
            Math.abs(Date.parse(body.data.delivered_at) - Date.now()) < 60_000,
            'a wrong device clock is not believed',
          )
        })

        test('received lists messages with exactly the documented fields', async () => {
          await gateway.store.receive({
            deviceId: device,
            sender: '+15550105555',
            text: 'hi',
            type: 'sms',
            metadata: { sim_slot: 1 },
            externalId: null,
          })
          const { status, body } = await ask('GET', `${form.received}?from=%2B15550105555`)
          assert.equal(status, 200)
          assert.deepEqual(Object.keys(body), ['success', 'data', 'pagination'])
          const [item] = body.data
          assert.deepEqual(
            { ...item, id: '', received_at: '' },
            {
              id: '',
              from: '+15550105555',
              message: 'hi',
              received_at: '',
              device_id: device,
              device_name: 'Reception',
              device_phone: '+15550100000',
              type: 'sms',
              metadata: { sim_slot: 1 },
            },
          )
          assert.match(item.id, uuid)
          assert.equal(new Date(item.received_at).toISOString(), item.received_at)
          assert.deepEqual(body.pagination, {
            page: 1,
            per_page: 25,
            total: 1,
            total_pages: 1,
            has_more: false,
          })
        })

        test('400, 401, 403, 404 and 503 are said the same way everywhere', async () => {
          const missing = await gateway.ask('POST', base + form.send, {
            body: { to: '+15550101234', message: 'x' },
          })
          const narrow = await gateway.key(environment, { scopes: ['inbox:read'] })
          const cases = [
            [await ask('POST', form.send, { to: '+15550101234' }), 400, 'invalid_request'],
            [await ask('POST', form.bulk, { recipients: ['x'], message: 'x' }), 400, 'no_valid_recipients'],
            [await ask('GET', `${form.received}?page=0`), 400, 'invalid_request'],
            [missing, 401, 'missing_key'],
            [await gateway.ask('GET', `${base}${form.status}/x`, { key: narrow }), 403, 'insufficient_scope'],
            [
              await ask('GET', `${form.status}/01a1dd33-667e-7a55-8ca7-bea2dbe89140`),
              404,
              'message_not_found',
            ],
            [
              await ask('POST', form.bulk, {
                recipients: ['+15550101234'],
                message: 'x',
                media_url: 'https://example.org/a.pdf',
              }),
              503,
              'no_device_available',
            ],
          ] as const
          for (const [{ status, body, headers }, expected, code] of cases) {
            assert.deepEqual(
              [status, body.status, body.code, body.success],
              [expected, expected, code, false],
            )
            assert.equal(headers.get('content-type'), 'application/problem+json; charset=utf-8')
            assert.equal(body.request_id, headers.get('x-request-id'))
            assert.equal(body.type, `${gateway.url}/docs/errors#${code}`)
            assert.ok(body.title && body.detail)
            assert.equal(headers.has('x-ratelimit-limit'), expected !== 401)
            assert.equal(headers.get('www-authenticate'), expected === 401 ? 'Bearer' : null)
            assert.equal(headers.has('retry-after'), expected === 503)
          }
        })

        test('429 comes after the key’s own limit, with the time to wait', async () => {
          const few = await gateway.key(environment, { rateLimit: 2 })
          const answers = []
          for (const path of [form.received, `${form.status}/x`, form.received])
            answers.push(await gateway.ask('GET', base + path, { key: few }))
          assert.deepEqual(
            answers.map(({ status }) => status),
            [200, 403, 429].map((status, index) => (index === 1 ? 404 : status)),
          )
          assert.deepEqual(
            answers.map(({ headers }) => headers.get('x-ratelimit-remaining')),
            ['1', '0', '0'],
          )
          const last = answers[2]!
          assert.equal(last.body.code, 'rate_limited')
          const wait = Number(last.headers.get('retry-after'))
          assert.ok(wait >= 1 && wait <= 60)
          assert.ok(Math.abs(Number(last.headers.get('x-ratelimit-reset')) - Date.now() / 1_000 - wait) < 3)
        })
      })

describe('media', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  test('staging’s single send ignores media_url unread; bulk and production do not', async () => {
    const [staging, production] = [await gateway.key('staging'), await gateway.key('production')]
    await gateway.device('staging')
    const android = await gateway.device('production')
    for (const media_url of ['http://127.0.0.1/a.exe', 5, null, { a: [] }]) {
      const { status, body } = await gateway.ask('POST', '/staging/api/v1/sms/send', {
        key: staging,
        body: { to: '+15550101234', message: 'x', media_url },
      })
      assert.equal(status, 200)
      assert.equal('media_url' in body, false)
    }
    const refused = async (body: object, path = '/sms/send') =>
      (
        await gateway.ask('POST', `/api/v1${path}`, {
          key: production,
          body: { to: '+15550101234', message: 'x', ...body },
        })
      ).body.code
    assert.equal(await refused({ media_url: 5 }), 'invalid_request')
    assert.equal(await refused({ media_url: 'not a url' }), 'invalid_request')
    assert.equal(
      await refused({ media_url: 'http://10.0.0.1/a.exe', device_id: android.id }),
      'media_requires_whatsapp',
    )
    assert.equal(await refused({ media_url: 'http://10.0.0.1/a.exe' }), 'unsupported_media')
    assert.equal(await refused({ media_url: 'http://10.0.0.1/a.pdf' }), 'media_url_blocked')
    assert.equal(await refused({ media_url: 'https://example.org/a.pdf' }), 'no_device_available')
    const bulk = await gateway.ask('POST', '/staging/api/v1/sms/bulk', {
      key: staging,
      body: {
        recipients: ['+15550101234'],
        message: 'x',
        media_url: 'https://example.org/a.pdf',
        device_id: (await gateway.device('staging')).id,
      },
    })
    assert.equal(bulk.body.code, 'media_requires_whatsapp')
  })
})
