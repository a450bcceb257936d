/** What would become of a message, without sending it. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'

describe('a preview', () => {
  let gateway: TestGateway
  let key = ''
  before(async () => {
    gateway = await startGateway()
    key = await gateway.key('staging')
  })
  after(() => gateway.stop())
  const preview = (body: object) => gateway.ask('POST', '/staging/api/v1/messages/preview', { key, body })

  test('without a device it says what a send would be refused with', async () => {
    const { status, body } = await preview({ to: '+15550101234', message: 'hi' })
    assert.equal(status, 200)
    assert.deepEqual([body.data.device, body.data.problem.code], [null, 'no_device_available'])
  })
  test('it tells recipients, encoding, parts, the culprit and the device, and sends nothing', async () => {
    const device = await gateway.device('staging', { name: 'Front desk' })
    const path = '/staging/api/v1/messages/preview'
    const draft = { recipients: ['+1 (555) 010-1234', 'nobody', '0015550101234'], message: 'Grüße an жук' }
    await until('the device is there', async () => {
      const { body } = await gateway.ask('POST', path, { key, body: draft })
      return body.data.device !== null
    })
    const { data } = (await preview(draft)).body
    assert.deepEqual(data.recipients, ['+15550101234'])
    assert.deepEqual(
      data.rejected.map(({ index, code }: { index: number; code: string }) => [index, code]),
      [
        [1, 'invalid_recipient'],
        [2, 'duplicate_recipient'],
      ],
    )
    assert.deepEqual(
      [data.encoding, data.segments, data.culprit, data.characters],
      ['UCS-2', 1, 'ж', draft.message.length],
    )
    assert.deepEqual(data.device, { id: device.id, name: 'Front desk', kind: 'simulated' })
    assert.deepEqual([data.expected_seconds, data.problem], [0, null])
    assert.equal(
      (await gateway.store.events(0, 1_000)).filter(({ type }) => type.startsWith('message')).length,
      0,
    )
  })
  test('the time grows with what waits, by the pace of the device', async () => {
    const slow = await gateway.device('staging', { name: 'Slow', perMinute: 10 })
    await until(
      'it is online',
      async () => (await preview({ to: '+15550101234', message: 'x', device_id: slow.id })).body.data.device,
    )
    const recipients = Array.from({ length: 100 }, (_, n) => `+155501${10_000 + n}`)
    const { data } = (await preview({ recipients, message: 'x', device_id: slow.id })).body
    assert.ok(data.expected_seconds >= 500, `${data.expected_seconds} s`)
  })
  test('one of to and recipients, no more', async () => {
    for (const body of [{ message: 'x' }, { message: 'x', to: '+15550101234', recipients: ['+15550101234'] }])
      assert.equal((await preview(body)).body.code, 'invalid_request')
  })
})
