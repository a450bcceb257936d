/** The edge of the server: odd requests of honest clients are understood, those of attackers cost little. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { scopes } from '../../src/core/access/key.ts'
import { limits } from '../../src/core/limits.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'

const base = '/staging/api/v1'
const good = { to: '+15550101234', message: 'x' }

describe('the edge', () => {
  let gateway: TestGateway
  let key: string
  before(async () => {
    gateway = await startGateway({ settings: { STREAMS_PER_KEY: '3', METRICS_TOKEN: 'let me see' } })
    key = await gateway.key('staging', { scopes })
    await gateway.device('staging')
    await gateway.fleet.refresh()
  })
  after(() => gateway.stop())

  /** Sends bytes as they are, and returns all that comes back until the server hangs up. */
  const raw = async (text: string): Promise<{ socket: Socket; answer: string }> => {
    const { hostname, port } = new URL(gateway.url)
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    let answer = ''
    socket.on('data', chunk => {
      answer += chunk
    })
    socket.on('error', () => {})
    socket.write(text)
    await once(socket, 'end')
    return { socket, answer }
  }
  const send = (body: string | Buffer, headers: Record<string, string>, path = '/sms/send') =>
    fetch(`${gateway.url}${base}${path}`, {
      method: 'POST',
      body: body as BodyInit,
      headers: { authorization: `Bearer ${key}`, ...headers },
    })

  for (const type of [
    'application/json',
    'application/x-www-form-urlencoded',
    'text/plain',
    'multipart/form-data',
  ])
    test(`an empty body called ${type} is no body, where none is needed`, async () => {
      const sent = await gateway.ask('POST', `${base}/sms/send`, {
        key,
        body: { ...good, send_at: new Date(Date.now() + 3_600_000).toISOString() },
      })
      const canceled = await send('', { 'content-type': type }, `/messages/${sent.body.message_id}/cancel`)
      assert.equal(canceled.status, 200, await canceled.text())
      const hook = await gateway.ask('GET', `${base}/keys`, { key })
      const [{ id }] = hook.body.data
      const rotated = await send('', { 'content-type': type }, `/keys/${id}/rotate`)
      assert.equal(rotated.status, 201, await rotated.text())
    })
  test('DELETE with an empty JSON body is a DELETE', async () => {
    const { body } = await gateway.ask('POST', `${base}/keys`, { key, body: { name: 'short-lived' } })
    const ended = await fetch(`${gateway.url}${base}/keys/${body.data.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    })
    assert.equal(ended.status, 200)
  })
  test('a form with something in it is 415', async () => {
    const answer = await send('to=%2B15550101234', { 'content-type': 'application/x-www-form-urlencoded' })
    assert.equal(answer.status, 415)
    assert.equal(((await answer.json()) as { code: string }).code, 'unsupported_content_type')
  })
  test('a packed body is 415, and says why', async () => {
    const answer = await send(gzipSync(JSON.stringify(good)), {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    })
    const { code, detail } = (await answer.json()) as { code: string; detail: string }
    assert.deepEqual([answer.status, code], [415, 'unsupported_content_type'])
    assert.match(detail, /Content-Encoding/)
  })
  test('null for an optional field is a field that was left out', async () => {
    const body = { ...good, device_id: null, media_url: null, send_at: null, ttl: null, sim_slot: null }
    assert.equal((await gateway.ask('POST', `${base}/sms/send`, { key, body })).status, 200)
    const bulk = { recipients: ['+15550101234'], message: 'x', device_id: null }
    assert.equal((await gateway.ask('POST', `${base}/sms/bulk`, { key, body: bulk })).status, 200)
    const missing = await gateway.ask('POST', `${base}/sms/send`, { key, body: { ...good, to: null } })
    assert.equal(missing.status, 400)
  })
  test('null keeps its meaning where it has one', async () => {
    const made = await gateway.ask('POST', `${base}/webhooks`, {
      key,
      body: { url: 'https://example.org/x', types: ['message.sent'] },
    })
    const path = `${base}/webhooks/${made.body.data.id}`
    const changed = await gateway.ask('PATCH', path, { key, body: { types: null } })
    assert.equal(changed.status, 200, changed.text)
    assert.equal(changed.body.data.types, null)
  })

  test('a request without Host, and one that expects nonsense, are told in problem+json', async () => {
    const noHost = await raw('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n')
    assert.match(noHost.answer, /^HTTP\/1\.1 400 [\s\S]*application\/problem\+json[\s\S]*Host header/)
    const nonsense = await raw('GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: nonsense\r\n\r\n')
    assert.match(
      nonsense.answer,
      /^HTTP\/1\.1 417 [\s\S]*application\/problem\+json[\s\S]*expectation_failed/,
    )
    const old = await raw('GET /healthz HTTP/1.0\r\n\r\n')
    assert.match(old.answer, /^HTTP\/1\.1 200 /)
  })
  test('a revoked or expired key is still a known one: its 401 has the rate limit', async () => {
    const short = await gateway.key('staging', { expiresAt: Date.now() + 1 })
    await until('it has expired', async () => {
      const { body } = await gateway.ask('GET', `${base}/messages`, { key: short })
      return body.code === 'expired_key'
    })
    const { headers, status } = await gateway.ask('GET', `${base}/messages`, { key: short })
    assert.equal(status, 401)
    for (const name of ['limit', 'remaining', 'reset'])
      assert.match(headers.get(`x-ratelimit-${name}`)!, /^\d+$/)
  })

  test('a body of many thousand keys is refused before anything is made of it', async () => {
    const many = (count: number) =>
      `{"to":"+15550101234","message":"x",${Array.from({ length: count }, (_, n) => `"field${n}":1`).join(',')}}`
    const answer = await gateway.ask('POST', `${base}/sms/send`, {
      key,
      body: many(limits.jsonKeys.value + 1),
    })
    assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_json'])
    assert.match(answer.body.detail, /more than 1000 keys/)
    // Below that, what is wrong is told, but only the first of it.
    const fewer = await gateway.ask('POST', `${base}/sms/send`, { key, body: many(900) })
    assert.equal(fewer.body.code, 'unknown_field')
    assert.ok(fewer.body.errors.length <= limits.validationErrors.value)
  })
  test('strangers may post at most 16 KiB to /session', async () => {
    const body = { email: 'a@example.org', password: 'x'.repeat(20_000) }
    const answer = await gateway.ask('POST', '/session/login', {
      body,
      headers: { 'sec-fetch-site': 'same-origin' },
    })
    assert.deepEqual([answer.status, answer.body.code], [413, 'body_too_large'])
  })
  test('a client that never closes its side is hung up on after its answer', async () => {
    const { socket, answer } = await raw('NONSENSE\r\n\r\n')
    assert.match(answer, /^HTTP\/1\.1 400 /)
    // Half open: we never end our side. The server lets go of it all the same.
    await until(
      'the server let go',
      () =>
        new Promise<boolean>(resolve =>
          socket.write('x', error => resolve(error !== undefined && error !== null)),
        ),
    )
    socket.destroy()
  })
  test('a key has only so many streams open, and one that ends makes room', async () => {
    const open = () =>
      new Promise<{ status: number; close: () => void; body: string }>(resolve => {
        const asked = httpRequest(`${gateway.url}${base}/events/stream`, {
          headers: { authorization: `Bearer ${key}` },
        })
        asked.on('response', response => {
          let body = ''
          response.on('data', chunk => {
            body += chunk
            resolve({ status: response.statusCode!, close: () => asked.destroy(), body })
          })
        })
        asked.on('error', () => {})
        asked.end()
      })
    const streams = [await open(), await open(), await open()]
    assert.deepEqual(
      streams.map(({ status }) => status),
      [200, 200, 200],
    )
    const refused = await open()
    assert.equal(refused.status, 429)
    assert.match(refused.body, /too_many_streams/)
    const other = await gateway.key('staging', { scopes })
    const elsewhere = await gateway.ask('GET', `${base}/events`, { key: other })
    assert.equal(elsewhere.status, 200)
    streams[0]!.close()
    await until('there is room again', async () => {
      const again = await open()
      again.close()
      return again.status === 200
    })
    for (const { close } of streams) close()
  })
  test('a refusal is found in the log by its request id; what strangers ask does not fill it', async () => {
    const { body } = await gateway.ask('GET', `${base}/messages/none`, { key })
    const lineOf = (id: string) => gateway.logged.find(({ request }) => request === id)
    await until('it is logged', () => lineOf(body.request_id) !== undefined)
    const { level, status, route, key: keyId } = lineOf(body.request_id)!
    assert.deepEqual([level, status, route], ['info', 404, `${base}/messages/:message_id`])
    assert.match(String(keyId), /^[0-9a-f-]{36}$/)
    const stranger = await gateway.ask('GET', `${base}/messages/none`)
    await until('it is noted', () => lineOf(stranger.body.request_id) !== undefined)
    assert.equal(lineOf(stranger.body.request_id)!.level, 'debug')
  })
  test('/metrics is for those who know the token, where one is set', async () => {
    assert.equal((await gateway.ask('GET', '/metrics')).status, 401)
    const headers = { authorization: 'Bearer let me see' }
    assert.equal((await gateway.ask('GET', '/metrics', { headers })).status, 200)
  })
  test('the reference works below a path of a proxy: nothing in it is absolute', async () => {
    for (const path of ['/docs', `${base}/docs`, '/docs/errors']) {
      const { text } = await gateway.ask('GET', path)
      const links = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link]) => link!)
      const own = links.filter(link => !/^(data:|#|https?:)/.test(link))
      assert.ok(own.length > 0)
      for (const link of own) {
        assert.doesNotMatch(link, /^\//, `${path}: ${link}`)
        const asked = await fetch(new URL(link, `${gateway.url}${path}`))
        assert.equal(asked.status, 200, `${path}: ${link}`)
      }
    }
  })
})
