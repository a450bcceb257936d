import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { App } from '../../test/standins/app.ts'
import { startGateway, until } from '../../test/standins/gateway.ts'
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
  const server = createServer((_request, response) => {
    const { status, headers, body } = answers[Math.min(asked, answers.length - 1)]!
    asked += 1
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, asked: () => asked, close: () => server.close() }
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

test('never repeats a send whose fate is unknown', async () => {
  for (const code of ['storage_unavailable', 'internal']) {
    const server = await scripted([{ status: 503, headers: { 'retry-after': '0' }, body: problem(code) }])
    await assert.rejects(
      new Basestation({ url: server.url, key: 'bs_test_x' }).send({ to: '+15550101234', message: 'x' }),
    )
    assert.equal(server.asked(), 1)
    server.close()
  }
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
    device: (await gateway.store.devices())[0]!,
    enrolment: { ...enrolment!, codeExpiresAt: null },
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
