/** Linking a WhatsApp number over the API, with the SDK. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Basestation, type LinkStep } from '../../sdk/src/index.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'
import type { Party } from '../standins/whatsapp/party.ts'
import { WhatsAppStandin } from '../standins/whatsapp/server.ts'

describe('linking over the API', () => {
  const server = new WhatsAppStandin()
  let gateway: TestGateway
  let client: Basestation
  let account: Party
  let key: string
  before(async () => {
    const url = await server.start()
    account = server.add({ phone: '15550001000', lid: '900000000001', name: 'Shop' })
    gateway = await startGateway({ settings: { WHATSAPP_WS_URL: url } })
    key = await gateway.key('production', { scopes: ['devices:read', 'devices:manage'] })
    client = new Basestation({ url: gateway.url, key })
  })
  after(async () => {
    await gateway.stop()
    server.stop()
  })

  const devices = async () => (await client.devices()).data
  const online = (id: string, wanted: boolean) =>
    until(
      `online is ${wanted}`,
      async () => (await client.device(id)).data.status === (wanted ? 'online' : 'offline'),
    )
  const askOnce = (idempotencyKey: string, body: object, path = '/links') =>
    fetch(`${gateway.url}/api/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify(body),
    })
  async function linked(steps: ReturnType<Basestation['linkNumber']>) {
    for await (const step of steps) {
      if (step.step === 'qr') server.scan(step.qr!, account)
      if (step.step === 'linked' || step.step === 'failed') return step
    }
    throw new Error('it ended without a word')
  }

  test('an attempt that is given up leaves nothing, and its line to WhatsApp is closed', async () => {
    for await (const step of client.linkNumber({ name: 'Shop' })) {
      assert.equal(step.step, 'qr')
      assert.match(step.expires_at!, /Z$/)
      break
    }
    await until('the line is closed', () => server.connections === 0)
    assert.deepEqual(await devices(), [])
  })
  test('scanned, the number is a device, and online', async () => {
    const end = await linked(client.linkNumber({ name: 'Shop', phone: '+1 555 000 1000' }))
    assert.equal(end.step, 'linked', JSON.stringify(end))
    const { id, name, kind, phone, safety } = end.device!
    assert.deepEqual([name, kind, phone], ['Shop', 'whatsapp', '+15550001000'])
    assert.equal(safety!.new_chats_per_day, 50)
    await online(id, true)
  })
  test('how carefully it sends can be changed', async () => {
    const [device] = await devices()
    const { data } = await client.changeDevice(device!.id, {
      safety: { gap_least_seconds: 1, warm_up_days: 0 },
    })
    assert.deepEqual(
      [data.safety!.gap_least_seconds, data.safety!.gap_most_seconds, data.safety!.warm_up_ends_at],
      [1, 8, null],
    )
    await assert.rejects(client.changeDevice(device!.id, { safety: { gap_most_seconds: 0.5 } }), {
      code: 'invalid_request',
    })
  })
  test('a number that is another device already is refused', async () => {
    const end = await linked(client.linkNumber({ name: 'Again' }))
    assert.deepEqual([end.step, end.code], ['failed', 'number_taken'])
    assert.equal((await devices()).length, 1)
  })
  test('a device that is linked is not linked over; once it was removed on the phone it is', async () => {
    const [device] = await devices()
    await online(device!.id, true)
    assert.equal((await linked(client.linkDevice(device!.id))).code, 'already_linked')
    server.unlink(account)
    await online(device!.id, false)
    const end = await linked(client.linkDevice(device!.id))
    assert.equal(end.device?.id, device!.id, JSON.stringify(end))
    await online(device!.id, true)
  })
  test('a link that was made under an Idempotency-Key is not made again: its last step comes again', async () => {
    const other = server.add({ phone: '15550001001', lid: '900000000002', name: 'Other' })
    const ask = (body: object) => askOnce('link-once', body)
    const lines = async (response: Response) =>
      (await response.text())
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as LinkStep)
    const first = await ask({ name: 'Other' })
    const reader = first.body!.getReader()
    const { value } = await reader.read()
    const code = JSON.parse(new TextDecoder().decode(value).split('\n')[0]!) as LinkStep
    assert.equal(code.step, 'qr')
    // Until it is scanned, it is being carried out.
    assert.equal((await ask({ name: 'Other' })).status, 409)
    server.scan(code.qr!, other)
    while (!(await reader.read()).done);
    const again = await ask({ name: 'Other' })
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.equal(again.headers.get('content-type'), 'application/x-ndjson')
    const steps = await lines(again)
    assert.deepEqual(
      steps.map(({ step, device }) => [step, device?.phone]),
      [['linked', '+15550001001']],
    )
    assert.deepEqual(
      (await devices()).filter(({ phone }) => phone === '+15550001001').map(({ id }) => id),
      [steps[0]!.device!.id],
    )
    assert.equal((await ask({ name: 'Another' })).status, 422)
  })
  test('a device that was linked again under an Idempotency-Key is not linked a third time', async () => {
    const [device] = await devices()
    await online(device!.id, true)
    server.unlink(account)
    await online(device!.id, false)
    const path = `/devices/${device!.id}/link`
    const first = await askOnce('again-once', {}, path)
    const reader = first.body!.getReader()
    const { value } = await reader.read()
    server.scan((JSON.parse(new TextDecoder().decode(value).split('\n')[0]!) as LinkStep).qr!, account)
    while (!(await reader.read()).done);
    const again = await askOnce('again-once', {}, path)
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    const step = JSON.parse(await again.text()) as LinkStep
    assert.deepEqual([step.step, step.device?.id], ['linked', device!.id])
  })
  test('an attempt under an Idempotency-Key that is given up leaves the key free', async () => {
    const ask = () => askOnce('given-up', { name: 'Later' })
    const first = await ask()
    await first.body!.cancel()
    await until('the key is free', async () => {
      const again = await ask()
      await again.body!.cancel()
      return again.status === 200 && again.headers.get('idempotent-replayed') === null
    })
  })
  test('only a WhatsApp device can be linked', async () => {
    const phone = await client.addDevice({ kind: 'android', name: 'Phone' })
    await assert.rejects(client.linkDevice(phone.data.id).next(), { code: 'invalid_request' })
    await assert.rejects(client.linkDevice(crypto.randomUUID()).next(), { code: 'device_not_found' })
    await assert.rejects(client.addDevice({ kind: 'whatsapp', name: 'x' }), /\/links/)
  })
  test('a gateway that is stopped does not wait for somebody to scan', async () => {
    const steps = client.linkNumber({ name: 'Late' })
    await steps.next()
    const stopped = gateway.stop()
    await stopped
    assert.equal((await steps.next()).done, true)
  })
})
