/** For those who run it: health, metrics, logs, a clean stop, host names, and the documents. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import type { Log } from '../../src/core/lib/log.ts'
import { problemCodes } from '../../src/core/problem.ts'
import { databases } from '../standins/databases.ts'
import { startGateway, until } from '../standins/gateway.ts'

const root = join(import.meta.dirname, '../..')

for (const database of databases)
  describe(`watching over a gateway on ${database.name}`, () => {
    test('health, readiness and metrics need no key', async () => {
      const gateway = await startGateway({ database: await database.empty() })
      const key = await gateway.key('staging')
      await gateway.device('staging')
      await gateway.ask('POST', '/staging/api/v1/sms/send', {
        key,
        body: { to: '+15550101234', message: 'x' },
      })
      await until('delivered', async () =>
        (await gateway.store.events(0, 100)).some(({ type }) => type === 'message.delivered'),
      )
      assert.deepEqual((await gateway.ask('GET', '/healthz')).body, { status: 'ok' })
      assert.deepEqual((await gateway.ask('GET', '/readyz')).body, { status: 'ready' })
      const { text, headers } = await gateway.ask('GET', '/metrics')
      assert.match(headers.get('content-type')!, /^text\/plain/)
      for (const line of [
        /basestation_http_request_seconds_count\{method="POST",route="\/staging\/api\/v1\/sms\/send",status="200"\} 1/,
        /basestation_messages_accepted_total\{environment="staging"\} 1/,
        /basestation_receipts_total\{outcome="delivered",moved="true"\} 1/,
        /basestation_queue_messages\{kind="simulated"\} 0/,
        /basestation_queue_oldest_seconds\{kind="simulated"\} 0/,
        /basestation_devices_online\{kind="simulated"\} 1/,
        /basestation_commit_calls_count \d+/,
        /basestation_commit_seconds_count \d+/,
        /basestation_event_loop_delay_seconds \d/,
      ])
        assert.match(text, line)
      await gateway.stop()
    })

    test('storage that is gone is 503, for readiness and for sends, and nothing of it leaks', async () => {
      const gateway = await startGateway({ database: await database.empty() })
      const key = await gateway.key('staging')
      await gateway.device('staging')
      await gateway.ask('GET', '/staging/api/v1/messages/received', { key })
      await gateway.store.close()
      const ready = await gateway.ask('GET', '/readyz')
      assert.deepEqual([ready.status, ready.body.code], [503, 'storage_unavailable'])
      const { status, body, text } = await gateway.ask('POST', '/staging/api/v1/sms/send', {
        key,
        body: { to: '+15550101234', message: 'x' },
      })
      assert.deepEqual([status, body.code], [503, 'storage_unavailable'])
      assert.doesNotMatch(text, /sqlite|postgres|pool|\.ts/i)
      await gateway.stop()
    })

    test('a stop finishes what it took: every request under way is answered, and what was handed out is answered for after the next start', async () => {
      const url = await database.empty()
      const gateway = await startGateway({ database: url, pace: 1 })
      const key = await gateway.key('staging')
      await gateway.device('staging')
      const send = () =>
        gateway.ask('POST', '/staging/api/v1/sms/send', { key, body: { to: '+15550101234', message: 'x' } })
      await send()
      const pending = Array.from({ length: 40 }, send)
      await new Promise(setImmediate)
      const [answers] = await Promise.all([Promise.allSettled(pending), gateway.stop()])
      const answered = answers.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
      assert.ok(
        answered.every(
          ({ status, body }) => status === 200 || (status === 503 && body.code === 'shutting_down'),
        ),
      )
      const again = await startGateway({ database: url, pace: 1 })
      const kept = answered
        .filter(({ status }) => status === 200)
        .map(({ body }) => body.message_id as string)
      await until('all delivered', async () => {
        const found = await Promise.all(kept.map(id => again.store.message(2, id)))
        return found.every(message => message !== undefined && ['sent', 'delivered'].includes(message.status))
      })
      await again.stop()
    })
  })

test('logs hold no texts, no full numbers and no keys, at the most talkative level', async () => {
  let written = ''
  const sink = new Writable({
    write(chunk, _encoding, done) {
      written += chunk
      done()
    },
  })
  const gateway = await startGateway({ log: pino({ level: 'debug' }, sink) as unknown as Log })
  const key = await gateway.key('staging')
  await gateway.device('staging')
  const secrets = ['canary-text-4711', '+15550147110', key]
  const send = (body: unknown) => gateway.ask('POST', '/staging/api/v1/sms/send', { key, body })
  await send({ to: '+15550147110', message: 'canary-text-4711' })
  await send({ to: '+15550147110', message: 'canary-text-4711', nonsense: 'canary-text-4711' })
  await send('{"to":"+15550147110","message":"canary-text-4711')
  await gateway.store.close()
  await send({ to: '+15550147110', message: 'canary-text-4711' })
  await gateway.stop()
  assert.ok(written.length > 0, 'something was logged')
  for (const secret of secrets) assert.equal(written.includes(secret), false, secret)
})

test('staging also answers under the usual path on its own host name', async () => {
  const gateway = await startGateway({ settings: { STAGING_HOST: 'staging.example.org' } })
  const key = await gateway.key('staging')
  const { port } = new URL(gateway.url)
  const statusOn = (host: string) =>
    new Promise<number>((resolve, reject) => {
      request(
        { port, path: '/api/v1/messages/received', headers: { host, authorization: `Bearer ${key}` } },
        answer => {
          answer.resume()
          resolve(answer.statusCode!)
        },
      )
        .on('error', reject)
        .end()
    })
  assert.equal(await statusOn('staging.example.org'), 200)
  assert.equal(await statusOn('STAGING.example.org:8080'), 200)
  assert.equal(await statusOn('example.org'), 401)
  await gateway.stop()
})

test('X-Forwarded-For is believed only from trusted proxies', async () => {
  const trusting = await startGateway({ settings: { TRUST_PROXY: '127.0.0.1' } })
  const plain = await startGateway()
  for (const [gateway, expected] of [
    [trusting, 200],
    [plain, 403],
  ] as const) {
    const key = await gateway.key('staging', { allowedIps: ['203.0.113.7'] })
    const { status } = await gateway.ask('GET', '/staging/api/v1/messages/received', {
      key,
      headers: { 'x-forwarded-for': '203.0.113.7' },
    })
    assert.equal(status, expected)
    await gateway.stop()
  }
})

describe('the documents', () => {
  test('the OpenAPI document is served as it is stored, at the origin and under both bases, without a key', async () => {
    const gateway = await startGateway()
    const stored = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
    for (const path of ['/openapi.json', '/api/v1/openapi.json', '/staging/api/v1/openapi.json'])
      assert.deepEqual((await gateway.ask('GET', path)).body, stored)
    assert.equal(stored.openapi, '3.1.0')
    await gateway.stop()
  })

  test('routes and document are the same: every path of the document answers, and no other does', async t => {
    const gateway = await startGateway()
    t.after(() => gateway.stop())
    const key = await gateway.key('staging', { scopes: [] })
    const { paths } = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as {
      paths: Record<string, Record<string, unknown>>
    }
    const expected = [
      '/sms/send',
      '/message/send',
      '/sms/bulk',
      '/message/bulk',
      '/sms/status/{message_id}',
      '/message/status/{message_id}',
      '/messages/received',
      '/message/received',
    ]
    for (const path of expected) assert.ok(path in paths, path)
    /** Fixed words may stand where another path takes an id: GET /messages/preview asks for a message of that name. */
    const isTaken = (method: string, path: string) =>
      Object.entries(paths).some(
        ([other, methods]) =>
          method in methods && new RegExp(`^${other.replace(/\{\w+\}/g, '[^/]+')}$`).test(path),
      )
    const ofApi = Object.keys(paths).filter(path => !('servers' in paths[path]!))
    for (const path of ofApi)
      for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
        const { status } = await gateway.ask(
          method.toUpperCase(),
          `/staging/api/v1${path.replace(/\{\w+\}/g, 'x')}`,
          { key, body: ['post', 'put', 'patch'].includes(method) ? {} : undefined },
        )
        assert.equal(status, isTaken(method, path) ? 403 : 405, `${method} ${path}`)
      }
  })

  test('every answer of the documented operations fits its schema in the document', async () => {
    const { Ajv } = await import('ajv')
    const ajv = new Ajv({ strict: false, validateFormats: false })
    const document = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
    ajv.addSchema(document, 'openapi')
    const gateway = await startGateway()
    const key = await gateway.key('staging')
    await gateway.device('staging')
    const fits = (name: string, value: unknown) => {
      const check = ajv.getSchema(`openapi#/components/schemas/${name}`)!
      assert.ok(check(value), `${name}: ${ajv.errorsText(check.errors)}`)
    }
    const ask = (method: string, path: string, body?: unknown) =>
      gateway.ask(method, `/staging/api/v1${path}`, { key, body })
    const sent = await ask('POST', '/sms/send', { to: '+15550100001', message: 'x' })
    fits('SendResponse', sent.body)
    fits(
      'BulkResponse',
      (await ask('POST', '/sms/bulk', { recipients: ['+15550100005', 'x'], message: 'x' })).body,
    )
    await until(
      'failed',
      async () => (await ask('GET', `/sms/status/${sent.body.message_id}`)).body.data.status === 'failed',
    )
    fits('StatusResponse', (await ask('GET', `/sms/status/${sent.body.message_id}`)).body)
    await until('answered', async () => (await ask('GET', '/messages/received')).body.data.length > 0)
    fits('ReceivedResponse', (await ask('GET', '/messages/received')).body)
    fits('Problem', (await ask('POST', '/sms/send', { a: 1 })).body)
    await gateway.stop()
  })

  test('the reference page needs nothing from elsewhere', async () => {
    const gateway = await startGateway()
    for (const path of ['/docs', '/api/v1/docs', '/staging/api/v1/docs']) {
      const { status, text, headers } = await gateway.ask('GET', path)
      assert.equal(status, 200)
      assert.match(headers.get('content-security-policy')!, /default-src 'none'.*connect-src 'self'/)
      for (const [, address] of text.matchAll(/(?:src|href)="([^"]+)"/g)) {
        if (address!.startsWith('data:')) continue
        const { origin, pathname } = new URL(address!, gateway.url + path)
        assert.equal(origin, gateway.url)
        assert.equal((await gateway.ask('GET', pathname)).status, 200, String(address))
      }
    }
    assert.equal((await gateway.ask('GET', '/docs/assets/package.json')).status, 404)
    await gateway.stop()
  })

  test('every error code has a heading, in the file and on the page that problems link to', async () => {
    const gateway = await startGateway()
    const page = (await gateway.ask('GET', '/docs/errors')).text
    const file = readFileSync(join(root, 'docs/errors.md'), 'utf8')
    const headings = [...file.matchAll(/^## (\w+)$/gm)].map(([, code]) => code!)
    assert.deepEqual([...headings].sort(), [...problemCodes].sort())
    for (const code of problemCodes) assert.ok(page.includes(`<h2 id="${code}">`), code)
    await gateway.stop()
  })
})
