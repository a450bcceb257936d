/** Media through a WhatsApp number: fetched once, sealed, uploaded, and the same bytes at the recipient. */

import assert from 'node:assert/strict'
import { createDecipheriv } from 'node:crypto'
import https from 'node:https'
import { after, before, describe, test } from 'node:test'
import { getMediaKeys, type proto } from 'baileys'
import { FileServer } from '../standins/file-server.ts'
import { until } from '../standins/gateway.ts'
import { media } from '../standins/media.ts'
import type { Outgoing } from '../standins/whatsapp/server.ts'
import { type WhatsAppWorld, whatsappWorld } from '../standins/whatsapp/world.ts'

describe('media through WhatsApp', () => {
  let world: WhatsAppWorld
  const files = new FileServer({
    page: { bytes: Buffer.from('<html>'), type: 'text/html', expected: undefined },
  })
  before(async () => {
    world = await whatsappWorld({ settings: { MEDIA_ALLOW_HOSTS: await files.start(), FFMPEG: 'none' } })
    https.globalAgent.options.ca = world.server.media.cert
  })
  after(async () => {
    await world.stop()
    files.stop()
  })

  const send = async (name: string) => {
    // The name is public, as far as the request can tell; that the machine is not is judged when it is fetched.
    const body = {
      to: '+15550002000',
      message: `this is ${name}`,
      device_id: world.device.id,
      media_url: `${files.url}/${name}`,
    }
    return await world.gateway.ask('POST', '/api/v1/sms/send', { key: world.key, body })
  }
  const status = async (id: string) =>
    (await world.gateway.ask('GET', `/api/v1/sms/status/${id}`, { key: world.key })).body.data

  /** The recipient's copy of the file, and the words beside it. */
  async function opened(message: proto.IMessage): Promise<{ kind: string; bytes: Buffer; caption: string }> {
    for (const kind of ['image', 'video', 'audio', 'document'] as const) {
      const part = message[`${kind}Message`]
      if (!part) continue
      const { cipherKey, iv } = await getMediaKeys(part.mediaKey!, kind)
      const sealed = world.server.media.file(part.url!).subarray(0, -10)
      const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
      const bytes = Buffer.concat([decipher.update(sealed), decipher.final()])
      return { kind, bytes, caption: (part as { caption?: string }).caption ?? '' }
    }
    throw new Error('no media in the message')
  }

  test('each kind arrives with the same bytes and the text beside it', async () => {
    for (const name of Object.keys(media)) {
      const before = world.bob.received.length
      const answer = await send(name)
      assert.equal(answer.status, 200, answer.text)
      await until(
        `${name} is delivered`,
        async () => (await status(answer.body.message_id)).status === 'delivered',
      )
      const [message, words] = world.bob.received.slice(before).map(one => one.message)
      const found = await opened(message!)
      assert.deepEqual(found.bytes, media[name]!.bytes, name)
      if (found.kind === 'audio') assert.equal(words!.extendedTextMessage?.text, `this is ${name}`)
      else assert.deepEqual([found.caption, words], [`this is ${name}`, undefined])
      assert.equal(found.kind === 'audio', media[name]!.expected!.startsWith('audio'), name)
    }
  })
  test('of a sound and its words the lesser counts, and what has left is not sent again', async () => {
    const { server, account } = world
    const isSound = ({ plain }: Outgoing) => [...plain.values()].some(one => one.audioMessage)
    server.policyFor = outgoing => (isSound(outgoing) ? { read: true } : { ack: false })
    const before = server.outgoing.length
    const { body } = await send('a.mp3')
    await until('both went out', () => server.outgoing.length === before + 2)
    await until('the sound has left', async () => {
      const place = `${body.message_id}/0/sent`
      return (await world.gateway.store.vaultRead(world.device.id, 'halves', [place])).length > 0
    })
    assert.equal((await status(body.message_id)).status, 'sending')
    server.policyFor = () => ({ deliver: false })
    server.drop(account)
    await until('sent', async () => (await status(body.message_id)).status === 'sent')
    assert.equal(server.outgoing.slice(before).filter(isSound).length, 1)
    const words = server.outgoing.at(-1)!
    server.receipt(account, words)
    await until('delivered', async () => (await status(body.message_id)).status === 'delivered')
    server.receipt(account, words, 'read')
    await until('read', async () => (await status(body.message_id)).status === 'read')
    server.policyFor = () => ({})
  })

  test('a bulk request fetches its file once, however many recipients', async () => {
    const others = ['15550002001', '15550002002', '15550002003'].map((phone, n) =>
      world.server.add({ phone, lid: `90000000001${n}` }),
    )
    const before = files.asked.length
    const body = {
      recipients: others.map(({ phone }) => `+${phone}`),
      message: 'look',
      device_id: world.device.id,
      media_url: `${files.url}/a.png`,
    }
    const answer = await world.gateway.ask('POST', '/api/v1/sms/bulk', { key: world.key, body })
    assert.equal(answer.status, 200, answer.text)
    await until('all got it', () => others.every(({ received }) => received.length === 1))
    assert.equal(files.asked.length - before, 1)
  })
  test('a file that cannot be had ends its message, and says why', async () => {
    for (const [name, code] of [
      ['missing.pdf', 'media_unreachable'],
      ['page', 'unsupported_media'],
    ] as const) {
      const { body } = await send(name)
      await until(name, async () => (await status(body.message_id)).status === 'failed')
      assert.equal((await status(body.message_id)).error.code, code)
    }
  })
  test('an upload that fails is tried again, and the message arrives once', async () => {
    world.server.media.failing = 1
    const before = world.bob.received.length
    const { body } = await send('a.jpg')
    await until('delivered', async () => (await status(body.message_id)).status === 'delivered')
    assert.equal(world.bob.received.length - before, 1)
  })
})
