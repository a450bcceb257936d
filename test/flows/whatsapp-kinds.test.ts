/** Every message that a person writes on WhatsApp is shown, and what they change about it. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { proto } from 'baileys'
import { scopes } from '../../src/core/access/key.ts'
import { StorageFault } from '../../src/store/engine/driver.ts'
import { databases } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { type WhatsAppWorld, whatsappWorld } from '../standins/whatsapp/world.ts'

type Listed = { id: string; from: string; message: string; metadata: Record<string, unknown> }
type Told = { type: string; data: Record<string, unknown> }

const { Type } = proto.Message.ProtocolMessage

for (const { name, empty } of databases)
  describe(`kinds of WhatsApp messages on ${name}`, () => {
    let world: WhatsAppWorld
    let key: string
    before(async () => {
      world = await whatsappWorld({ database: await empty() })
      key = await world.gateway.key('production', { scopes })
      await until('its keys are known', () => world.account.companions.get(1)?.signedKey !== undefined)
    })
    after(() => world.stop())

    const ask = async (path: string) => (await world.gateway.ask('GET', `/api/v1${path}`, { key })).body
    const inbox = async (): Promise<Listed[]> => (await ask('/messages/received')).data
    const events = async (types: string): Promise<Told[]> =>
      (await ask(`/events?types=${types}&limit=500`)).data
    const write = (message: proto.IMessage, options = {}) =>
      world.server.write(world.bob, world.account, message, options)
    const newest = async (count: number) => {
      await until('it is received', async () => (await ask('/messages/received')).pagination.total > count)
      return (await inbox())[0]!
    }
    const total = async () => (await ask('/messages/received')).pagination.total as number

    const kinds: [kind: string, message: proto.IMessage, shown: RegExp][] = [
      [
        'live_location',
        { liveLocationMessage: { degreesLatitude: 1.5, degreesLongitude: 2.5, caption: 'On my way' } },
        /On my way\ngeo:1\.5,2\.5/,
      ],
      [
        'location',
        { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: 'Home' } },
        /^Home\ngeo:1,2$/,
      ],
      ['contact', { contactMessage: { displayName: 'Ann', vcard: 'BEGIN:VCARD\nFN:Ann' } }, /FN:Ann/],
      [
        'contacts',
        {
          contactsArrayMessage: {
            contacts: [
              { displayName: 'Ann', vcard: 'FN:Ann' },
              { displayName: 'Ben', vcard: 'FN:Ben' },
            ],
          },
        },
        /FN:Ann\nFN:Ben/,
      ],
      [
        'poll',
        {
          pollCreationMessageV3: {
            name: 'Lunch?',
            options: [{ optionName: 'Soup' }, { optionName: 'Salad' }],
          },
        },
        /^Lunch\?\n- Soup\n- Salad$/,
      ],
      [
        'poll_vote',
        { pollUpdateMessage: { vote: { encPayload: Buffer.from('x'), encIv: Buffer.from('y') } } },
        /Voted/,
      ],
      [
        'event',
        { eventMessage: { name: 'Party', description: 'Bring cake', startTime: 1_800_000_000 } },
        /Party\nBring cake\n2027-/,
      ],
      [
        'group_invitation',
        { groupInviteMessage: { groupName: 'Chess', caption: 'Join us' } },
        /Join us\nInvitation to the group “Chess”/,
      ],
      [
        'form_reply',
        {
          interactiveResponseMessage: {
            body: { text: 'Yes' },
            nativeFlowResponseMessage: { name: 'flow', paramsJson: '{"a":1}' },
          },
        },
        /^Yes\n\{"a":1\}$/,
      ],
      [
        'button_reply',
        { buttonsResponseMessage: { selectedButtonId: '1', selectedDisplayText: 'Agreed' } },
        /^Agreed$/,
      ],
      ['list_reply', { listResponseMessage: { title: 'Large' } }, /^Large$/],
      ['product', { productMessage: { product: { title: 'Shoes', description: 'Red' } } }, /Shoes\nRed/],
      [
        'order',
        {
          orderMessage: {
            orderTitle: 'Order 7',
            itemCount: 2,
            totalAmount1000: 12_500,
            totalCurrencyCode: 'EUR',
          },
        },
        /Order 7\n2 items, 12\.5 EUR/,
      ],
      ['interactive', { interactiveMessage: { body: { text: 'Choose one' } } }, /^Choose one$/],
      [
        'payment',
        {
          requestPaymentMessage: {
            amount1000: 5_000,
            noteMessage: { extendedTextMessage: { text: 'Rent' } },
          },
        },
        /Payment request\nRent/,
      ],
      [
        'unsupported',
        { newsletterAdminInviteMessage: { newsletterName: 'News' } },
        /cannot be shown here \(newsletterAdminInviteMessage\)/,
      ],
    ]
    for (const [kind, message, shown] of kinds)
      test(`${kind} is a row with words that people can read`, async () => {
        const count = await total()
        await write(message)
        const row = await newest(count)
        assert.equal(row.metadata.kind, kind)
        assert.match(row.message, shown)
        assert.equal(row.from, '+15550002000')
      })
    test('what programs tell each other is no row', async () => {
      const count = await total()
      await write({ senderKeyDistributionMessage: { groupId: 'g' } })
      await write({ protocolMessage: { type: Type.EPHEMERAL_SETTING, ephemeralExpiration: 5 } })
      await write({ conversation: 'after them' })
      assert.equal((await newest(count)).message, 'after them')
      assert.equal(await total(), count + 1)
    })

    test('an edit, a reaction and a deletion are events on the message that they are about', async () => {
      const count = await total()
      const id = await write({ conversation: 'I want two' })
      const row = await newest(count)
      const ofIt = { key: { id, fromMe: true, remoteJid: '15550001000@s.whatsapp.net' } }
      await write({
        protocolMessage: {
          ...ofIt,
          type: Type.MESSAGE_EDIT,
          editedMessage: { conversation: 'I want three' },
        },
      })
      await write({ reactionMessage: { ...ofIt, text: '👍' } })
      await write({ protocolMessage: { ...ofIt, type: Type.REVOKE } })
      await until('all of it is told', async () => (await events('received.deleted')).length > 0)
      assert.equal(await total(), count + 1, 'none of them is a message of its own')
      const [edited] = await events('received.edited')
      assert.deepEqual(
        [edited!.data.id, edited!.data.message, edited!.data.edited_message],
        [row.id, 'I want two', 'I want three'],
      )
      assert.equal((await events('received.reaction'))[0]!.data.id, row.id)
      const { metadata } = (await inbox())[0]!
      assert.equal(metadata.reaction, '👍')
      assert.ok(metadata.deleted_at)
      assert.deepEqual(
        (metadata.edits as { text: string }[]).map(({ text }) => text),
        ['I want three'],
      )
    })
    test('told a second time, a change is no second event', async () => {
      const count = await total()
      const id = await write({ conversation: 'once' })
      await newest(count)
      const before = (await events('received.reaction')).length
      for (const text of ['🎉', '🎉', ''])
        await write({ reactionMessage: { key: { id, fromMe: true }, text } })
      await until('two are told', async () => (await events('received.reaction')).length === before + 2)
      assert.equal((await inbox())[0]!.metadata.reaction, undefined, 'taken back')
    })
    test('about a message that was never here, an edit is news by itself', async () => {
      const count = await total()
      const lost = { key: { id: '3ANEVER', fromMe: true } }
      await write({ protocolMessage: { ...lost, type: Type.REVOKE } })
      await write({
        protocolMessage: { ...lost, type: Type.MESSAGE_EDIT, editedMessage: { conversation: 'It is 5 pm' } },
      })
      const row = await newest(count)
      assert.deepEqual([row.message, row.metadata.kind], ['It is 5 pm', 'edited'])
    })
    test('ids that no client makes hold nothing up', async () => {
      const count = await total()
      const odd = { key: { id: 'A\u0000', fromMe: true } }
      await write({ protocolMessage: { ...odd, type: Type.REVOKE } })
      await write({ reactionMessage: { ...odd, text: '👍' } })
      await write({ extendedTextMessage: { text: 'odd quote', contextInfo: { stanzaId: 'B\u0000' } } })
      await write({ conversation: 'still read' })
      await until('both are there', async () =>
        (await inbox()).some(({ message }) => message === 'still read'),
      )
      assert.ok((await total()) >= count + 2)
    })
    test('an edit tells nothing about somebody who was forgotten', async () => {
      const erin = world.server.add({ phone: '15550009999', lid: '900000000099', name: 'Erin' })
      const count = await total()
      const id = await world.server.write(erin, world.account, { conversation: 'Secret one' })
      await newest(count)
      await world.gateway.ask('DELETE', '/api/v1/people/%2B15550009999', { key })
      const before = (await events('received.edited')).length
      const edit = {
        key: { id, fromMe: true },
        type: Type.MESSAGE_EDIT,
        editedMessage: { conversation: 'Secret two' },
      }
      await world.server.write(erin, world.account, { protocolMessage: edit })
      await write({ conversation: 'after it' })
      await until('it was read', async () => (await inbox()).some(({ message }) => message === 'after it'))
      assert.equal((await events('received.edited')).length, before)
      assert.doesNotMatch(JSON.stringify(await inbox()), /Secret/)
    })
    test('an answer says what it answers: theirs, or ours', async () => {
      const count = await total()
      const id = await write({ conversation: 'Question' })
      const question = await newest(count)
      const quoting = (stanzaId: string, text: string) => ({
        extendedTextMessage: {
          text,
          contextInfo: { stanzaId, quotedMessage: { conversation: 'Quoted words' } },
        },
      })
      await write(quoting(id, 'To my own'))
      const first = await newest(count + 1)
      assert.deepEqual([first.metadata.reply_to, first.metadata.quoted], [question.id, 'Quoted words'])
      const sent = await world.gateway.ask('POST', '/api/v1/sms/send', {
        key,
        body: { to: '+15550002000', message: 'Ours', device_id: world.device.id },
      })
      await until('it went out', () => world.server.outgoing.length > 0)
      const ours = world.server.outgoing.at(-1)!.id
      await write(quoting(ours, 'To yours'))
      assert.equal((await newest(count + 2)).metadata.reply_to, sent.body.message_id)
      await write({ reactionMessage: { key: { id: ours, fromMe: false }, text: '❤️' } })
      await until('told', async () => (await events('message.reaction')).length === 1)
      const [told] = await events('message.reaction')
      assert.deepEqual([told!.data.message_id, told!.data.reaction], [sent.body.message_id, '❤️'])
      const story = await ask(`/messages/${sent.body.message_id}`)
      assert.ok(story.data.timeline.every((step: { status: string }) => step.status !== 'reaction'))
    })
  })

describe('people who hide their number', () => {
  let world: WhatsAppWorld
  let key: string
  before(async () => {
    world = await whatsappWorld()
    key = await world.gateway.key('production', { scopes })
    await until('its keys are known', () => world.account.companions.get(1)?.signedKey !== undefined)
  })
  after(() => world.stop())
  const send = (to: string, more: object = {}) =>
    world.gateway.ask('POST', '/api/v1/sms/send', { key, body: { to, message: 'Hello', ...more } })
  const inbox = async (): Promise<Listed[]> =>
    (await world.gateway.ask('GET', '/api/v1/messages/received', { key })).body.data

  test('can be answered by the number that they wrote to', async () => {
    const carol = world.server.add({ phone: '15550004444', lid: '900000000044', name: 'Carol', hidden: true })
    await world.server.write(carol, world.account, { conversation: 'Who am I?' }, { by: 'lid' })
    await until('received', async () => (await inbox()).length === 1)
    const [{ from }] = (await inbox()) as [Listed]
    assert.equal(from, '900000000044@lid')
    const answered = await send(from)
    assert.equal(answered.status, 200, answered.text)
    assert.deepEqual([answered.body.to, answered.body.device_id], [from, world.device.id])
    await until('it went out', () => world.server.outgoing.some(({ to }) => to.startsWith('900000000044')))
    const thread = await world.gateway.ask('GET', `/api/v1/conversations/${encodeURIComponent(from)}`, {
      key,
    })
    assert.equal(thread.body.data.length, 2)
    const stranger = await send('900000000099@lid')
    assert.deepEqual([stranger.status, stranger.body.code], [400, 'invalid_recipient'])
  })
  test('storage that is away for a moment fails no message: nothing had left yet', async () => {
    const erin = world.server.add({ phone: '15550006666', lid: '900000000066', name: 'Erin' })
    const before = (await inbox()).length
    await world.server.write(erin, world.account, { conversation: 'Hi' }, { by: 'lid' })
    await until('received', async () => (await inbox()).length === before + 1)
    const { store } = world.gateway
    const { optedOut } = store
    let failures = 0
    store.optedOut = (environmentId, ids) => {
      if (ids[0] !== '900000000066@lid' || failures >= 2) return optedOut(environmentId, ids)
      failures += 1
      throw new StorageFault('away')
    }
    const sent = await send('+15550006666', { device_id: world.device.id })
    await until('it goes out', async () => {
      const { body } = await world.gateway.ask('GET', `/api/v1/sms/status/${sent.body.message_id}`, { key })
      assert.notEqual(body.data.status, 'failed')
      return ['sent', 'delivered'].includes(body.data.status)
    })
    store.optedOut = optedOut
    assert.equal(failures, 2)
    assert.equal(world.server.outgoing.filter(({ to }) => to.startsWith('15550006666')).length, 1)
  })
  test('a STOP from a hidden number holds for the number, once it is known', async () => {
    const dave = world.server.add({ phone: '15550005555', lid: '900000000055', name: 'Dave', hidden: true })
    const before = (await inbox()).length
    await world.server.write(dave, world.account, { conversation: 'STOP' }, { by: 'lid' })
    await until('received', async () => (await inbox()).length === before + 1)
    assert.equal((await send('900000000055@lid')).body.code, 'recipient_opted_out')
    // Now they write under their number.
    dave.hidden = false
    await world.server.write(dave, world.account, { conversation: 'Me again' }, { by: 'lid' })
    await until('received', async () => (await inbox()).length === before + 2)
    assert.equal((await inbox())[0]!.from, '+15550005555')
    assert.equal((await send('+15550005555')).body.code, 'recipient_opted_out')
    // Whoever takes the number off the list takes all of their names off it.
    await world.gateway.ask('DELETE', '/api/v1/opt-outs/%2B15550005555', { key })
    await world.server.write(dave, world.account, { conversation: 'And again' }, { by: 'lid' })
    await until('received', async () => (await inbox()).length === before + 3)
    const sent = await send('+15550005555', { device_id: world.device.id })
    assert.equal(sent.status, 200, sent.text)
    await until('it goes out', async () => {
      const { body } = await world.gateway.ask('GET', `/api/v1/sms/status/${sent.body.message_id}`, { key })
      return ['sent', 'delivered'].includes(body.data.status)
    })
  })
})
