/** The whole gateway as a process, from outside: link, send, receive, log out. */

import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { createDecipheriv } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { getMediaKeys, type proto } from 'baileys'
import { Basestation } from '../../sdk/src/index.ts'
import { emptySqlite, scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { media } from '../standins/media.ts'
import { freePort } from '../standins/port.ts'
import { Program } from '../standins/program.ts'
import type { Party } from '../standins/whatsapp/party.ts'
import { WhatsAppStandin } from '../standins/whatsapp/server.ts'

describe('a WhatsApp number, from outside', () => {
  const server = new WhatsAppStandin()
  const files = createServer((request, response) => {
    const file = media[request.url!.slice(1)]
    response.writeHead(file ? 200 : 404, file?.type ? { 'content-type': file.type } : {}).end(file?.bytes)
  })
  let origin = ''
  let program: Program
  let gateway: ChildProcess
  let client: Basestation
  let account: Party
  let bob: Party
  let deviceId = ''
  before(async () => {
    const url = await server.start()
    await new Promise<void>(resolve => files.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(files.address() as AddressInfo).port}`
    origin = `http://${host}`
    account = server.add({ phone: '15550001000', lid: '900000000001', name: 'Shop' })
    bob = server.add({ phone: '15550002000', lid: '900000000002', name: 'Bob' })
    const certificate = join(scratch(), 'media.pem')
    writeFileSync(certificate, server.media.cert)
    const port = String(await freePort())
    program = new Program({
      DATA_DIR: scratch(),
      DATABASE_URL: await emptySqlite(),
      PORT: port,
      WHATSAPP_WS_URL: url,
      MEDIA_ALLOW_HOSTS: host,
      NODE_EXTRA_CA_CERTS: certificate,
      FFMPEG: 'none',
      RATE_LIMIT: '100000',
    })
    gateway = await program.serve()
    const scopes = 'messages:send,messages:read,inbox:read,devices:read'
    const { key } = await program.json(`keys create --name test --scopes ${scopes}`)
    client = new Basestation({ url: `http://127.0.0.1:${port}`, key })
  })
  after(() => {
    gateway.kill('SIGKILL')
    server.stop()
    files.close()
  })

  const device = async () => (await client.device(deviceId)).data
  const status = async (id: string) => (await client.status(id)).data.status
  const becomes = (id: string, wanted: string) => until(wanted, async () => (await status(id)) === wanted)

  test('it is linked by scanning the code that the command draws', async () => {
    const { code, steps, error } = await program.steps('devices add --kind whatsapp --name Shop', step => {
      if (step.step === 'qr') server.scan(step.qr, account)
    })
    assert.equal(code, 0, error)
    deviceId = steps.at(-1).device.id
    const hasty = `devices set ${deviceId} --gap 0 --new-chats-per-day none --warm-up-days 0`
    assert.equal((await program.json(hasty)).safety.gap_most_seconds, 0)
    await until('online', async () => (await device()).status === 'online')
  })
  test('a message is queued, sending, sent, delivered and read', async () => {
    const seen: string[] = []
    server.policyFor = () => ({ ack: false })
    const { message_id: id } = await client.send({ to: '+15550002000', message: 'hi', device_id: deviceId })
    await until('it went out', async () => {
      const now = await status(id)
      if (seen.at(-1) !== now) seen.push(now)
      return server.outgoing.length > 0 && now === 'sending'
    })
    const [outgoing] = server.outgoing
    server.policyFor = () => ({ deliver: false })
    // The server takes it at the second try.
    server.drop(account)
    await becomes(id, 'sent')
    server.receipt(account, outgoing!)
    await becomes(id, 'delivered')
    server.receipt(account, outgoing!, 'read')
    await becomes(id, 'read')
    assert.ok(['queued', 'sending'].includes(seen[0]!))
    server.policyFor = () => ({})
  })
  test('each of the kinds arrives with the same bytes', async () => {
    for (const name of Object.keys(media)) {
      const before = bob.received.length
      const message = `this is ${name}`
      const { message_id: id } = await client.send({
        to: '+15550002000',
        message,
        device_id: deviceId,
        media_url: `${origin}/${name}`,
      })
      await becomes(id, 'delivered')
      assert.deepEqual(await bytesOf(bob.received[before]!.message), media[name]!.bytes, name)
    }
  })
  async function bytesOf(message: proto.IMessage): Promise<Buffer> {
    for (const kind of ['image', 'video', 'audio', 'document'] as const) {
      const part = message[`${kind}Message`]
      if (!part) continue
      const { cipherKey, iv } = await getMediaKeys(part.mediaKey!, kind)
      const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
      const sealed = server.media.file(part.url!).subarray(0, -10)
      return Buffer.concat([decipher.update(sealed), decipher.final()])
    }
    throw new Error('no media in the message')
  }
  test('a reply, and a picture, are in the list of received messages', async () => {
    await server.write(bob, account, { conversation: 'thanks' })
    const file = await server.media.seal('image', media['a.png']!.bytes)
    await server.write(bob, account, { imageMessage: { ...file, mimetype: 'image/png', caption: 'look' } })
    await until('both are there', async () => (await client.received()).data.length === 2)
    const [picture, text] = (await client.received()).data
    assert.deepEqual([text!.from, text!.message, text!.type], ['+15550002000', 'thanks', 'whatsapp'])
    const { id } = picture!.metadata.media![0]!
    const bytes = Buffer.from(await (await client.media(id)).arrayBuffer())
    assert.deepEqual(bytes, media['a.png']!.bytes)
  })
  test('logged out on the phone: the device is offline, and says why', async () => {
    server.unlink(account)
    await until('it is offline', async () => (await device()).status === 'offline')
    const [attention, ...others] = (await device()).attention
    assert.deepEqual([attention!.code, others], ['logged_out', []])
    assert.equal(attention!.command, `npx basestation devices link ${deviceId}`)
  })
})
