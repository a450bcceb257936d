/** Several gateways on one database: one of them holds each link, any of them accepts, and none texts twice. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { databases } from '../standins/databases.ts'
import { startGateway, until } from '../standins/gateway.ts'

for (const database of databases)
  describe(`two gateways on one ${database.name}`, () => {
    test('share devices and keys; when one ends, the other takes its links over and goes on', async () => {
      const url = await database.empty()
      const one = await startGateway({ database: url, node: 'one' })
      const key = await one.key('staging')
      const device = await one.device('staging')
      await until('held', async () => (await one.store.allDevices())[0]!.heldBy === 'one')
      const two = await startGateway({ database: url, node: 'two' })
      try {
        const send = async (through: typeof one, to: string) => {
          const { status, body } = await through.ask('POST', '/staging/api/v1/sms/send', {
            key,
            body: { to, message: 'x' },
          })
          assert.equal(status, 200, JSON.stringify(body))
          return body.message_id as string
        }
        const delivered = (id: string) =>
          until('delivered', async () => {
            const { body } = await two.ask('GET', `/staging/api/v1/sms/status/${id}`, { key })
            return body.data.status === 'delivered'
          })
        const first = await send(one, '+15550101111')
        const second = await send(two, '+15550102222')
        await Promise.all([delivered(first), delivered(second)])
        assert.deepEqual([one.onAir.length, two.onAir.length], [2, 0], 'the first gateway holds the link')
        await one.stop()
        await until('taken over', async () =>
          (await two.store.allDevices()).some(({ id, heldBy }) => id === device.id && heldBy === 'two'),
        )
        const third = await send(two, '+15550103333')
        await delivered(third)
        assert.deepEqual(
          two.onAir.map(({ message }) => message.id),
          [third],
        )
      } finally {
        await two.stop()
      }
    })

    test('many messages through both are handed out once each', async () => {
      const url = await database.empty()
      const gateways = [
        await startGateway({ database: url, node: 'one' }),
        await startGateway({ database: url, node: 'two' }),
      ]
      try {
        const key = await gateways[0]!.key('staging')
        for (let n = 0; n < 4; n += 1) await gateways[n % 2]!.device('staging')
        await until('online', async () =>
          (await gateways[0]!.store.allDevices()).every(({ online }) => online),
        )
        await Promise.all(gateways.map(({ fleet }) => fleet.refresh()))
        const answers = await Promise.all(
          Array.from({ length: 120 }, (_, n) =>
            gateways[n % 2]!.ask('POST', '/staging/api/v1/sms/send', {
              key,
              body: { to: `+1555040${1000 + n}`, message: 'x' },
            }),
          ),
        )
        assert.ok(answers.every(({ status }) => status === 200))
        const aired = () => gateways.flatMap(({ onAir }) => onAir.map(({ message }) => message.id))
        await until('all on the air', () => aired().length >= 120)
        assert.deepEqual(aired().sort(), answers.map(({ body }) => body.message_id).sort())
      } finally {
        await Promise.all(gateways.map(gateway => gateway.stop()))
      }
    })
  })
