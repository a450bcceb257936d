/** A kind of device is one record and its link: this file adds one, and everything else follows. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { android } from '../../src/core/devices/kinds/android.ts'
import { addKind, type DeviceKind } from '../../src/core/devices/kinds/kinds.ts'
import type { LinkKind } from '../../src/core/link.ts'
import type { Message } from '../../src/core/messages/message.ts'

const pigeon = 'pigeon' as DeviceKind
addKind({
  ...android,
  name: pigeon,
  title: 'Carrier pigeon',
  about: 'Carries short letters.',
  environments: ['production'],
  addedBy: 'name',
  counts: 'messages',
  longestText: 30,
  perMinute: 3,
  firstAttention: ['battery_low'],
})
const released: Message[] = []
const pigeons: LinkKind = {
  kind: pigeon,
  open(device, news) {
    void news.online(true)
    return {
      async send(message) {
        released.push(message)
        return { messageId: message.id, deviceId: device.id, outcome: 'delivered', at: Date.now() }
      },
      close: async () => {},
    }
  },
}

// The API is made from the kinds when it is loaded.
const { until, withGateway } = await import('../standins/gateway.ts')
const { databases } = await import('../standins/databases.ts')

for (const database of databases)
  test(`a kind that one file adds can be added, asked about, and sent through, on ${database.name}`, async () => {
    await withGateway({ database: await database.empty(), kinds: [pigeons] }, async gateway => {
      const scopes = ['devices:read', 'devices:manage', 'messages:send', 'messages:read'] as const
      const keys = {
        production: await gateway.key('production', { scopes }),
        staging: await gateway.key('staging', { scopes }),
      }
      const ask = async (method: string, path: string, body?: object) =>
        await gateway.ask(method, `/api/v1${path}`, { key: keys.production, ...(body && { body }) })

      const kinds = (await ask('GET', '/device-kinds')).body.data
      const { about, abilities } = kinds.find((one: { kind: string }) => one.kind === pigeon)
      assert.equal(about, 'Carries short letters.')
      const { body } = await ask('POST', '/devices', { kind: pigeon, name: 'Coop' })
      const { id, per_minute, attention } = body.data
      assert.deepEqual([per_minute, attention[0].code], [3, 'battery_low'])
      assert.deepEqual(body.data.abilities, abilities)
      assert.deepEqual([abilities.title, abilities.longest_text], ['Carrier pigeon', 30])

      const elsewhere = await gateway.ask('POST', '/staging/api/v1/devices', {
        key: keys.staging,
        body: { kind: pigeon, name: 'Coop' },
      })
      assert.deepEqual([elsewhere.status, elsewhere.body.errors[0].pointer], [400, '/kind'])

      await until('online', async () => (await ask('GET', `/devices/${id}`)).body.data.status === 'online')
      const to = '+15550101234'
      const sent = await ask('POST', '/sms/send', { to, message: 'coo' })
      await until('delivered', async () => {
        const { body } = await ask('GET', `/sms/status/${sent.body.message_id}`)
        return body.data.status === 'delivered'
      })
      assert.equal(released.at(-1)!.text, 'coo')
      const long = await ask('POST', '/sms/send', { to, message: 'c'.repeat(31), device_id: id })
      assert.deepEqual([long.status, long.body.error_code ?? long.body.code], [400, 'message_too_long'])
    })
  })

test('the words of the API hold it too', async () => {
  await withGateway({ kinds: [pigeons] }, async gateway => {
    const { body } = await gateway.ask('GET', '/openapi.json')
    assert.ok(body.components.schemas.DeviceAddRequest.properties.kind.enum.includes(pigeon))
  })
})
