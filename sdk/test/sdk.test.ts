import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { scopes } from '../../src/core/access/key.ts'
import { App } from '../../test/standins/app.ts'
import { Catcher, verify } from '../../test/standins/catcher.ts'
import { emptySqlite } from '../../test/standins/databases.ts'
import { startGateway, until } from '../../test/standins/gateway.ts'
import { freePort } from '../../test/standins/port.ts'
import { Basestation, BasestationError } from '../src/index.ts'

test('sends, follows and receives through a real gateway', async () => {
  const gateway = await startGateway()
  const key = await gateway.key('staging', {
    scopes: ['messages:send', 'messages:read', 'inbox:read', 'settings:manage'],
  })
  await gateway.device('staging')
  const client = new Basestation({ url: gateway.url, key })
  assert.equal(client.base, `${gateway.url}/staging/api/v1`)
  const sent = await client.send({ to: '+15550100005', message: 'ping' })
  await until('delivered', async () => (await client.status(sent.message_id)).data.status === 'delivered')
  await until(
    'answered',
    async () => (await client.received({ from: '+15550100005' })).data[0]?.message === 'PONG',
  )
  assert.equal((await client.sendBulk({ recipients: ['+15550101234'], message: 'x' })).stats.queued, 1)
  assert.equal((await client.configure({ number_check: 'plan' })).data.number_check, 'plan')
  assert.equal((await client.settings()).data.number_check, 'plan')
  await gateway.stop()
})

test('throws the codes that are on the wire', async () => {
  const gateway = await startGateway()
  const client = new Basestation({
    url: `${gateway.url}/staging/api/v1/`,
    key: await gateway.key('staging'),
    retries: 0,
  })
  await assert.rejects(client.send({ to: 'x', message: 'x' }), error => {
    assert.ok(error instanceof BasestationError)
    assert.deepEqual([error.code, error.status], ['invalid_recipient', 400])
    assert.match(error.requestId!, /^[0-9a-f-]{36}$/)
    return true
  })
  await assert.rejects(
    client.send({ to: '+15550101234', message: 'x' }),
    error => (error as BasestationError).retryAfter === 30,
  )
  await assert.rejects(client.status('x'), error => (error as BasestationError).code === 'message_not_found')
  await gateway.stop()
})

/** A server that answers what the test says, and counts. */
async function scripted(answers: { status: number; headers?: Record<string, string>; body: object }[]) {
  let asked = 0
  const keys = new Set<unknown>()
  const server = createServer((request, response) => {
    keys.add(request.headers['idempotency-key'])
    const { status, headers, body } = answers[Math.min(asked, answers.length - 1)]!
    asked += 1
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, asked: () => asked, keys, close: () => server.close() }
}
const problem = (code: string) => ({ code, detail: code, request_id: 'x' })

test('waits as long as Retry-After says, then tries again', async () => {
  const server = await scripted([
    { status: 429, headers: { 'retry-after': '1' }, body: problem('rate_limited') },
    { status: 200, body: { success: true, message_id: 'm' } },
  ])
  const started = performance.now()
  const answer = await new Basestation({ url: server.url, key: 'bs_test_x' }).send({
    to: '+15550101234',
    message: 'x',
  })
  assert.equal(answer.message_id, 'm')
  assert.ok(performance.now() - started >= 990)
  assert.equal(server.asked(), 2)
  server.close()
})

test('repeats a send whose fate is unknown under one key, so that it has one effect', async () => {
  for (const code of ['storage_unavailable', 'internal']) {
    const server = await scripted([{ status: 503, headers: { 'retry-after': '0' }, body: problem(code) }])
    const client = new Basestation({ url: server.url, key: 'bs_test_x' })
    await assert.rejects(client.send({ to: '+15550101234', message: 'x' }))
    assert.equal(server.asked(), 3)
    assert.equal(server.keys.size, 1)
    assert.match(String([...server.keys][0]), /^[0-9a-f-]{36}$/)
    await assert.rejects(client.send({ to: '+15550101234', message: 'x' }, { idempotencyKey: 'mine' }))
    assert.ok(server.keys.has('mine'))
    server.close()
  }
})

test('never repeats what has no key', async () => {
  const server = await scripted([{ status: 503, headers: { 'retry-after': '0' }, body: problem('internal') }])
  await assert.rejects(new Basestation({ url: server.url, key: 'bs_test_x' }).removeDevice('x'))
  assert.equal(server.asked(), 1)
  server.close()
})

test('the stream goes on over a restart of the gateway: nothing is missed, nothing comes twice', async () => {
  const [database, port] = [await emptySqlite(), String(await freePort())]
  const start = () => startGateway({ database, settings: { PORT: port } })
  let gateway = await start()
  await gateway.device('staging')
  const key = await gateway.key('staging', { scopes })
  const client = new Basestation({ url: gateway.url, key })
  const heard: string[] = []
  const stop = new AbortController()
  const listening = (async () => {
    for await (const event of client.stream({ after: 'evt_0', types: 'message.delivered' }, stop.signal))
      heard.push((event.data as { message_id: string }).message_id)
  })()
  const sent: string[] = []
  for (let round = 0; round < 3; round += 1) {
    sent.push((await client.send({ to: '+15550101234', message: 'x' })).message_id)
    await until('it was heard', () => heard.length === sent.length)
    await gateway.stop()
    gateway = await start()
  }
  sent.push((await client.send({ to: '+15550101234', message: 'x' })).message_id)
  await until('it was heard', () => heard.length === sent.length)
  stop.abort()
  await listening
  assert.deepEqual(heard, sent)
  await gateway.stop()
})

test('messages, events, webhooks, opt-outs and forgetting through a real gateway', async () => {
  const catcher = new Catcher()
  const host = new URL(await catcher.start()).host
  const gateway = await startGateway({ settings: { WEBHOOK_ALLOW_HOSTS: host } })
  await gateway.device('staging')
  const client = new Basestation({ url: gateway.url, key: await gateway.key('staging', { scopes }) })
  const { data: hook } = await client.addWebhook({ url: catcher.url, types: ['message.delivered'] })
  const { message_id } = await client.send({ to: '+15550101234', message: 'x' })
  await until('it came', () => catcher.caught.length === 1)
  verify(hook.secret, catcher.caught[0]!)
  assert.equal((await client.message(message_id)).data.timeline.at(-1)!.status, 'delivered')
  assert.equal((await client.messages({ to: '+15550101234' })).data.length, 1)
  assert.ok((await client.events({ types: 'message.queued' })).data.length === 1)
  await until('it is noted', async () => (await client.deliveries(hook.id)).data.length === 1)
  const eventId = catcher.caught[0]!.event.id
  assert.equal((await client.delivery(hook.id, eventId)).data.event!.id, eventId)
  await client.redeliver(hook.id, eventId)
  await until('it came again', () => catcher.caught.length === 2)
  await client.replay(hook.id, { since: new Date(Date.now() - 60_000).toISOString() })
  await until('and again', () => catcher.caught.length === 3)
  assert.equal((await client.testWebhook(hook.id)).data.status, 200)
  assert.notEqual((await client.rotateWebhook(hook.id)).data.secret, hook.secret)
  assert.equal((await client.changeWebhook(hook.id, { enabled: false })).data.enabled, false)
  assert.equal((await client.webhook(hook.id)).data.disabled_reason, 'switched_off')
  assert.equal((await client.webhooks()).data.length, 1)
  assert.equal((await client.removeWebhook(hook.id)).data.id, hook.id)
  assert.equal((await client.optOut('+15550101234')).data.number, '+15550101234')
  assert.equal((await client.optOuts()).data.length, 1)
  assert.equal((await client.optIn('+15550101234')).data.number, '+15550101234')
  assert.equal((await client.erase('+15550101234')).data.messages, 1)
  await gateway.stop()
  catcher.stop()
})

test('does not wait longer than it was told to', async () => {
  const server = await scripted([
    { status: 503, headers: { 'retry-after': '90' }, body: problem('no_device_available') },
  ])
  await assert.rejects(
    new Basestation({ url: server.url, key: 'bs_test_x' }).send({ to: '+15550101234', message: 'x' }),
  )
  assert.equal(server.asked(), 1)
  server.close()
})

test('something that is not a gateway is said to be none', async () => {
  const server = await scripted([{ status: 404, body: {} }])
  await assert.rejects(
    new Basestation({ url: server.url, key: 'bs_test_x' }).status('x'),
    error => (error as BasestationError).code === 'no_answer',
  )
  server.close()
})

test('devices, files and cancelling through a real gateway', async () => {
  const gateway = await startGateway({ appPhones: true })
  const key = await gateway.key('staging', {
    scopes: ['messages:send', 'messages:read', 'inbox:read', 'devices:read', 'devices:manage'],
  })
  const client = new Basestation({ url: gateway.url, key, retries: 0 })
  const { data: phone } = await client.addDevice({ kind: 'android', name: 'Phone', per_minute: null })
  assert.equal((await client.devices()).data.length, 1)
  assert.equal((await client.device(phone.id)).data.name, 'Phone')
  assert.equal((await client.changeDevice(phone.id, { name: 'Other' })).data.name, 'Other')
  const { enrolment } = (await client.enrolDevice(phone.id, { code: true })).data
  assert.match(enrolment!.code!, /^\d{8}$/)

  const app = new App(gateway, {
    device: (await gateway.store.allDevices())[0]!,
    enrolment: { ...enrolment!, codeExpiresAt: null, shownBy: [] },
  })
  app.token = (await app.register()).body.token
  await app.stream()
  await app.online()
  const { message_id } = await client.send({ to: '+15550101234', message: 'x' })
  assert.equal((await client.cancel(message_id)).data.status, 'canceled')
  const attachments = [{ contentType: 'text/plain', name: 'a.txt', data: 'aGVsbG8=' }]
  await app.post('mms:downloaded', { sender: '+15550101234', attachments })
  const [received] = (await client.received()).data
  const file = await client.media(received!.metadata.media![0]!.id)
  assert.equal(await file.text(), 'hello')
  await assert.rejects(client.media('x'), error => (error as BasestationError).code === 'media_not_found')

  app.hangUp()
  assert.equal((await client.removeDevice(phone.id)).data.id, phone.id)
  assert.deepEqual((await client.devices()).data, [])
  await gateway.stop()
})
