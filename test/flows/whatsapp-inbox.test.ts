/** What comes to a WhatsApp number: files, hostile messages, and messages that come again. */

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import tls from 'node:tls'
import { type BinaryNode, proto } from 'baileys'
import { until } from '../standins/gateway.ts'
import { media } from '../standins/media.ts'
import { type WhatsAppWorld, whatsappWorld } from '../standins/whatsapp/world.ts'

type Listed = { message: string; metadata: Record<string, unknown> & { media?: Record<string, unknown>[] } }

describe('what comes to a WhatsApp number', () => {
  let world: WhatsAppWorld
  const receipts: BinaryNode[] = []
  before(async () => {
    world = await whatsappWorld()
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), world.server.media.cert])
    world.server.on('receipt', receipt => receipts.push(receipt))
    await until('its keys are known', () => world.account.companions.get(1)?.signedKey !== undefined)
  })
  after(() => world.stop())

  const inbox = async (): Promise<Listed[]> =>
    (await world.gateway.ask('GET', '/api/v1/messages/received', { key: world.key })).body.data
  const received = async (text: string): Promise<Listed> => {
    await until(`“${text}” is received`, async () => (await inbox()).some(one => one.message === text))
    return (await inbox()).find(one => one.message === text)!
  }
  /** What had to be asked for again of somebody since then. */
  const askedAgain = (since: number, lid: string) =>
    receipts.slice(since).filter(({ attrs }) => attrs.type === 'retry' && attrs.to?.startsWith(lid))
  const write = (message: Parameters<typeof world.server.write>[2]) =>
    world.server.write(world.bob, world.account, message)

  test('a picture that is deleted before its file has come is received, and then deleted', async () => {
    const host = world.server.media
    const file = await host.seal('image', Buffer.from('a picture'))
    let letGo = () => {}
    host.held = new Promise(resolve => {
      letGo = resolve
    })
    const id = await write({ imageMessage: { ...file, mimetype: 'image/jpeg', caption: 'oops' } })
    await until('it is asked for', () => host.asked.includes(file.directPath))
    const { Type } = proto.Message.ProtocolMessage
    await write({ protocolMessage: { key: { id, fromMe: true }, type: Type.REVOKE } })
    // What came after both is told, so both were looked at.
    await write({ conversation: 'never mind' })
    await received('never mind')
    const count = (await inbox()).length
    letGo()
    await received('oops')
    await until('it is deleted', async () => (await received('oops')).metadata.deleted_at !== undefined)
    assert.equal((await inbox()).length, count + 1, 'a deletion is no message')
  })
  test('a picture is received with its caption, and the same bytes are offered', async () => {
    const { bytes } = media['a.jpg']!
    const file = await world.server.media.seal('image', bytes)
    await write({ imageMessage: { ...file, mimetype: 'image/jpeg', caption: 'look' } })
    const { metadata } = await received('look')
    const [shown] = metadata.media!
    assert.deepEqual(
      { ...shown, id: undefined },
      { id: undefined, kind: 'image', mime: 'image/jpeg', size: bytes.length, filename: null },
    )
    const answer = await fetch(`${world.gateway.url}/api/v1/media/${shown!.id}`, {
      headers: { authorization: `Bearer ${world.key}` },
    })
    assert.equal(answer.status, 200)
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes)
  })
  test('a document keeps its name, without folders', async () => {
    const file = await world.server.media.seal('document', media['a.pdf']!.bytes)
    const named = { ...file, mimetype: 'application/pdf', fileName: '../../etc/paper.pdf', caption: 'doc' }
    await write({ documentWithCaptionMessage: { message: { documentMessage: named } } })
    const [shown] = (await received('doc')).metadata.media!
    assert.equal(shown!.kind, 'document')
    assert.ok(!String(shown!.filename).includes('/'), String(shown!.filename))
  })
  test('a file that was tampered with is not offered, and the message says that it is missing', async () => {
    const file = await world.server.media.seal('image', media['a.jpg']!.bytes)
    const other = await world.server.media.seal('image', media['a.png']!.bytes)
    world.server.media.tamper(file.directPath)
    for (const [caption, forged] of [
      ['the seal is broken', { ...file, fileSha256: null }],
      ['it is another file', { ...other, fileSha256: file.fileSha256 }],
    ] as const) {
      await write({ imageMessage: { ...forged, mimetype: 'image/jpeg', caption } })
      const { metadata } = await received(caption)
      assert.deepEqual([metadata.media, metadata.media_missing], [undefined, 1])
    }
  })
  test('a file larger than allowed is not fetched', async () => {
    const file = await world.server.media.seal('image', Buffer.alloc(100))
    await write({ imageMessage: { ...file, fileLength: 900_000_000, caption: 'huge' } })
    assert.equal((await received('huge')).metadata.media_missing, 1)
  })
  test('no machine that a sender names is asked for a file', async () => {
    let asked = 0
    const other = createServer((_, response) => {
      asked += 1
      response.end()
    })
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`
    const file = await world.server.media.seal('image', media['a.jpg']!.bytes)
    await write({ imageMessage: { ...file, url: `http://${host}/x`, caption: 'elsewhere' } })
    assert.equal((await received('elsewhere')).metadata.media?.length, 1, 'fetched from WhatsApp')
    await write({ imageMessage: { ...file, url: `https://${host}/x`, directPath: '', caption: 'nowhere' } })
    assert.equal((await received('nowhere')).metadata.media_missing, 1)
    assert.equal(asked, 0)
    other.close()
  })
  test('a text does not wait for a file that cannot be had', async () => {
    const file = await world.server.media.seal('image', media['a.jpg']!.bytes)
    await write({ imageMessage: { ...file, url: '', directPath: '/gone', caption: 'later' } })
    await write({ conversation: 'at once' })
    await received('at once')
    assert.ok(!(await inbox()).some(one => one.message === 'later'))
  })
  test('what is no message at all is left out, and what comes after it is received', async () => {
    await write(Buffer.from([0xff, 0xff, 0xff, 0xff, 1]))
    await write({ conversation: 'after the garbage' })
    await received('after the garbage')
  })
  test('what comes again is acknowledged, not asked for again, and received once', async () => {
    const id = await write({ conversation: 'only once' })
    await received('only once')
    const before = receipts.length
    world.server.repeat(world.account, id)
    await until('acknowledged', () => receipts.slice(before).some(({ attrs }) => attrs.id === id))
    await write({ conversation: 'the next' })
    await received('the next')
    const types = receipts.slice(before).flatMap(({ attrs }) => (attrs.id === id ? [attrs.type] : []))
    assert.ok(!types.includes('retry'), `asked again: ${types}`)
    assert.equal((await inbox()).filter(one => one.message === 'only once').length, 1)
  })
  test('two who write to each other at the same moment can read each other ever after', async () => {
    const { server, account, gateway, device, key } = world
    const before = receipts.length
    for (let n = 0; n < 5; n += 1) {
      const eve = server.add({ phone: `1555000300${n}`, lid: `92000000000${n}` })
      const send = (message: string) => {
        const body = { to: `+${eve.phone}`, message, device_id: device.id }
        return gateway.ask('POST', '/api/v1/sms/send', { key, body })
      }
      for (let round = 0; round < 4; round += 1)
        await Promise.all([
          send(`to ${n} ${round}`),
          server.write(eve, account, { conversation: `from ${n} ${round}` }),
          sleep(round * 20),
        ])
      await received(`from ${n} 3`)
      await until('all were read', () => eve.received.length === 4)
    }
    assert.deepEqual(server.unreadable, [])
    assert.deepEqual(askedAgain(before, '9200000000'), [])
  })
  test('a late message of an older session does not spoil the newer one', async () => {
    const { server, account, gateway, device, key } = world
    const eve = server.add({ phone: '15550003100', lid: '920000000100' })
    const answered = async () => {
      const before = eve.received.length
      const body = { to: `+${eve.phone}`, message: 'x', device_id: device.id }
      await gateway.ask('POST', '/api/v1/sms/send', { key, body })
      await until('answered', () => eve.received.length > before)
    }
    const says = async (text: string, options = {}) => {
      const id = await server.write(eve, account, { conversation: text }, options)
      if (!('held' in options)) await received(text)
      return id
    }
    await says('eve 1')
    await answered()
    const late = await says('eve late', { held: true })
    await says('eve 2', { fresh: true })
    await answered()
    await says('eve 3')
    const before = receipts.length
    server.repeat(account, late)
    await received('eve late')
    await says('eve 4')
    assert.deepEqual(askedAgain(before, eve.lid), [])
  })
  test('the key of a message is on disk before the message leaves', async () => {
    const { server, gateway, device, key } = world
    const sessions = async () => JSON.stringify(await gateway.store.vaultList(device.id, 'key:session'))
    let then: Promise<string> | undefined
    server.once('outgoing', () => {
      then = sessions()
    })
    const body = { to: `+${world.bob.phone}`, message: 'x', device_id: device.id }
    const before = world.bob.received.length
    await gateway.ask('POST', '/api/v1/sms/send', { key, body })
    await until('it was read', () => world.bob.received.length > before)
    await sleep(300)
    assert.equal(await then, await sessions())
  })
  test('groups and status are left out', async () => {
    const nobody = { phone: '120363000000000000', lid: '120363000000000000' }
    const group = world.server.add(nobody)
    Object.defineProperty(group, 'phoneJid', { value: '120363000000000000@g.us' })
    await world.server.write(group, world.account, { conversation: 'in a group' }, { by: 'phone' })
    await write({ conversation: 'after the group' })
    await received('after the group')
    assert.ok(!(await inbox()).some(one => one.message === 'in a group'))
  })
})
