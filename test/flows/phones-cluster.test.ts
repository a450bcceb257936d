/** Two gateways on one database: a phone's stream may be at one and its calls may reach the other. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { App } from '../standins/app.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'
import { emptyPostgres, leavePostgres } from '../standins/postgres.ts'

describe('phones of two gateways on PostgreSQL', () => {
  let a: TestGateway
  let b: TestGateway
  let key: string
  before(async () => {
    const database = await emptyPostgres()
    a = await startGateway({ database, appPhones: true, node: 'a' })
    b = await startGateway({ database, appPhones: true, node: 'b' })
    key = await a.key('production')
  })
  after(async () => {
    await Promise.all([a.stop(), b.stop()])
    await leavePostgres()
  })

  /** One phone, as each of the gateways sees it. */
  const phone = async (draft = {}) => {
    const atA = await App.enrol(a, { perMinute: null, ...draft }, '1.67.0')
    const atB = new App(b, { device: atA.device, enrolment: atA.enrolment })
    atB.token = atA.token
    atB.version = atA.version
    return { atA, atB, deviceId: atA.device.id }
  }
  const send = async (gateway: TestGateway, deviceId: string) => {
    const body = { to: '+14155550123', message: 'x', device_id: deviceId }
    const answer = await gateway.ask('POST', '/api/v1/sms/send', { key, body })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.message_id as string
  }
  const turn = (ms: number) => {
    for (const { clock } of [a, b]) Object.assign(clock, { now: Date.now() + ms, real: ms === 0 })
  }

  test('a message accepted at one gateway is told to a phone whose stream is at the other', async () => {
    const { atA, atB, deviceId } = await phone()
    const stream = await atB.stream()
    await atA.online()
    const id = await send(a, deviceId)
    await until('told', () => stream.events.includes('MessageEnqueued'))
    assert.deepEqual(
      (await atA.list()).map(item => item.id),
      [id],
    )
    await atA.report(id, 'Delivered')
    stream.close()
  })

  test('a phone that calls the other gateway is not taken for deaf', async () => {
    const { atA, atB, deviceId } = await phone()
    const stream = await atB.stream()
    await atB.online()
    await send(b, deviceId)
    await until('told', () => stream.events.includes('MessageEnqueued'))
    for (const seconds of [30, 60, 90, 120]) {
      turn(seconds * 1_000)
      const items = await atA.list()
      await atA.call(
        'PATCH',
        '/message',
        items.map(({ id }) => ({ id, state: 'Pending' })),
      )
      await new Promise(resolve => setTimeout(resolve, 1_500))
    }
    turn(0)
    assert.equal(stream.ended(), false)
    stream.close()
  })

  test('a phone is not told again and again while its pace, used up at the other gateway, lets nothing through', async () => {
    const { atA, atB, deviceId } = await phone({ perMinute: 1 })
    const stream = await atB.stream()
    await atB.online()
    for (let n = 0; n < 3; n += 1) await send(a, deviceId)
    const [item] = await atA.list()
    await atA.report(item.id, 'Sent')
    await new Promise(resolve => setTimeout(resolve, 1_000))
    const before = stream.events.length
    await new Promise(resolve => setTimeout(resolve, 6_000))
    assert.ok(stream.events.length - before <= 1, `told ${stream.events.length - before} times`)
    stream.close()
  })

  test('a second stream that came and went at the other gateway takes nothing with it', async () => {
    const { atA, atB, deviceId } = await phone()
    const first = await atA.stream()
    await atA.online()
    // A new device is opened by both; by its next look the other has let go of what this one holds.
    await new Promise(resolve => setTimeout(resolve, 2_000))
    const second = await atB.stream()
    await until('held by the other', async () => {
      const found = (await a.store.allDevices()).find(({ id }) => id === deviceId)
      return found?.heldBy === 'b'
    })
    second.close()
    await new Promise(resolve => setTimeout(resolve, 1_000))
    await send(b, deviceId)
    await until('told', () => first.events.includes('MessageEnqueued'))
    first.close()
  })

  test('a message is canceled through either gateway', async () => {
    const { atA, atB, deviceId } = await phone()
    const stream = await atB.stream()
    await atB.online()
    const id = await send(a, deviceId)
    await atA.list()
    const answer = a.ask('POST', `/api/v1/messages/${id}/cancel`, { key })
    await until('asked', () => stream.events.includes('MessageCancelled'))
    await atB.report(id, 'Cancelled')
    assert.equal((await answer).status, 200)
    stream.close()
  })

  test('an answer that got lost is asked for again by the gateway that has the stream', async () => {
    const { atA, atB, deviceId } = await phone()
    const stream = await atB.stream()
    await atB.online()
    await send(a, deviceId)
    await atA.list()
    await new Promise(resolve => setTimeout(resolve, 2_500))
    const before = stream.events.length
    turn(26_000)
    await until('told', () => stream.events.slice(before).includes('MessageEnqueued'))
    turn(0)
    stream.close()
  })
})
