/** WhatsApp numbers: the real library against a stand-in of the server, through the whole gateway. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { databases } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { type WhatsAppWorld, whatsappWorld } from '../standins/whatsapp/world.ts'

for (const { name, empty } of databases)
  describe(`WhatsApp on ${name}`, () => {
    let world: WhatsAppWorld
    before(async () => {
      world = await whatsappWorld({ database: await empty() })
    })
    after(() => world.stop())

    const send = async (to: string, message: string) => {
      const body = { to, message, device_id: world.device.id }
      const answer = await world.gateway.ask('POST', '/api/v1/sms/send', { key: world.key, body })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.message_id as string
    }
    const status = async (id: string) =>
      (await world.gateway.ask('GET', `/api/v1/sms/status/${id}`, { key: world.key })).body.data
    const becomes = (id: string, wanted: string) =>
      until(`${wanted}`, async () => (await status(id)).status === wanted)
    const inbox = async () =>
      (await world.gateway.ask('GET', '/api/v1/messages/received', { key: world.key })).body.data

    test('a text goes out, is read by the recipient, and is delivered', async () => {
      const id = await send('+15550002000', 'Grüße 😀')
      await becomes(id, 'delivered')
      const [received] = world.bob.received
      assert.equal(received?.message.extendedTextMessage?.text, 'Grüße 😀')
    })
    test('read is told too, whichever of the recipient’s names the receipt bears', async () => {
      world.server.policy.read = true
      world.server.policy.receiptFrom = 'lid'
      await becomes(await send('+15550002000', 'x'), 'read')
      world.server.policy = { ack: true, deliver: true, read: false, receiptFrom: 'phone' }
    })
    test('a number that is not on WhatsApp fails, and says so', async () => {
      const id = await send('+15550009999', 'x')
      await becomes(id, 'failed')
      assert.equal((await status(id)).error.code, 'not_on_whatsapp')
    })
    test('without the server’s word a message is not sent, though the library says so', async () => {
      world.server.policyFor = () => ({ ack: false })
      const before = world.server.outgoing.length
      const id = await send('+15550002000', 'x')
      await until('it went out', () => world.server.outgoing.length > before)
      assert.equal((await status(id)).status, 'sending')
      world.server.policyFor = () => ({})
      world.server.drop(world.account)
      await becomes(id, 'delivered')
      const copies = world.server.outgoing.slice(before)
      assert.equal(new Set(copies.map(one => one.id)).size, 1, 'offered again under the same id')
    })
    test('a refused message fails with a stable code', async () => {
      world.server.policyFor = () => ({ error: 463 })
      const id = await send('+15550002000', 'x')
      await becomes(id, 'failed')
      assert.equal((await status(id)).error.code, 'whatsapp_restricted')
      world.server.policyFor = () => ({})
    })
    test('refused a new chat, the number shows until when it begins no others', async () => {
      const path = `/api/v1/devices/${world.device.id}`
      const device = async () =>
        (
          await world.gateway.ask('GET', path, {
            key: await world.gateway.key('production', { scopes: ['devices:read'] }),
          })
        ).body.data
      await until('it is shown', async () => (await device()).safety.new_chats_paused_until !== null)
      const { attention, safety } = await device()
      assert.deepEqual(
        attention.map(({ code }: { code: string }) => code),
        ['new_chats_paused'],
      )
      assert.equal(safety.new_chats_left_today, 0)
      await becomes(await send('+15550002000', 'an old chat goes on'), 'delivered')
      await world.gateway.store.describe(world.device.id, { restrictedUntil: null })
    })
    test('what somebody writes is received once, with their number, by either of their names', async () => {
      const before = (await inbox()).length
      await world.server.write(world.bob, world.account, { conversation: 'hi' }, { by: 'lid' })
      await world.server.write(world.bob, world.account, { conversation: 'ho' }, { by: 'phone' })
      await until('received', async () => (await inbox()).length === before + 2)
      const found = (await inbox()).slice(0, 2)
      assert.deepEqual(found.map((one: { message: string }) => one.message).sort(), ['hi', 'ho'])
      for (const one of found) assert.deepEqual([one.from, one.type], ['+15550002000', 'whatsapp'])
      assert.equal('sender_id' in found[0].metadata, false)
    })
    test('what came while the line was down is received too', async () => {
      const before = (await inbox()).length
      world.server.drop(world.account)
      await world.server.write(world.bob, world.account, { conversation: 'while you were away' })
      await until('received', async () => (await inbox()).length === before + 1)
    })
    test('what could not be read is asked for again', async () => {
      const before = (await inbox()).length
      await world.server.write(world.bob, world.account, { conversation: 'garbled' }, { corrupt: true })
      await until('received', async () => (await inbox()).length === before + 1)
      assert.equal((await inbox())[0].message, 'garbled')
    })
    test('several texts of one person are received in their order', async () => {
      const texts = Array.from({ length: 20 }, (_, n) => `text ${n}`)
      for (const text of texts) await world.server.write(world.bob, world.account, { conversation: text })
      await until('received', async () => (await inbox())[0].message === 'text 19')
      const found = (await inbox()).slice(0, 20).map((one: { message: string }) => one.message)
      assert.deepEqual(found.toReversed(), texts)
    })
    test('removed on the phone: the device says so, and is offline', async () => {
      world.server.unlink(world.account)
      await until('logged out', async () => {
        const [device] = await world.gateway.store.allDevices()
        return device?.online === false && device.attention.includes('logged_out')
      })
    })
  })
