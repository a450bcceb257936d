/** What phones post: received messages, attachments, receipts, their health; signed, and each kept once. */

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { App } from '../standins/app.ts'
import { databases, scratch } from '../standins/databases.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'

for (const { name, empty } of databases)
  describe(`what phones post on ${name}`, () => {
    let gateway: TestGateway
    let key: string
    before(async () => {
      gateway = await startGateway({ database: await empty(), appPhones: true })
      key = await gateway.key('production')
    })
    after(() => gateway.stop())

    const inbox = async (app: App) =>
      (await gateway.ask('GET', `/api/v1/messages/received?device_id=${app.device.id}`, { key })).body.data
    const sms = (more: object = {}) => ({
      messageId: '9ac41f07',
      sender: '+15550100199',
      recipient: '+15550100101',
      simNumber: 2,
      phoneNumber: '+15550100199',
      message: 'Is it open?',
      receivedAt: '2026-10-01T11:31:40.000+02:00',
      ...more,
    })

    test('a received SMS has text, sender, SIM slot and the phone’s time', async () => {
      const app = await App.enrol(gateway)
      assert.equal((await app.post('sms:received', sms())).status, 200)
      const [received] = await inbox(app)
      assert.deepEqual(
        [received.from, received.message, received.type, received.device_id],
        ['+15550100199', 'Is it open?', 'sms', app.device.id],
      )
      assert.deepEqual(received.metadata, {
        sim_slot: 2,
        recipient: '+15550100101',
        sent_at: '2026-10-01T09:31:40.000Z',
      })
    })
    test('a phone with two SIMs says to which number a message came, and national senders are read by it', async () => {
      const app = await App.enrol(gateway, { phone: '' })
      await app.post('sms:received', sms({ recipient: '+4915112345670', sender: '0171 2345678' }))
      const [received] = await inbox(app)
      assert.deepEqual([received.device_phone, received.from], ['+4915112345670', '+491712345678'])
    })
    test('a sender with the calling code but no plus does not get it twice, and a STOP is that person’s', async () => {
      const app = await App.enrol(gateway, { phone: '+4915112345670' })
      await app.post('sms:received', sms({ recipient: undefined, sender: '4915112345678', message: 'STOP' }))
      assert.equal((await inbox(app))[0].from, '+4915112345678')
      const { id } = await gateway.environment('production')
      assert.deepEqual(
        await gateway.store.optedOut(id, ['+4915112345678', '+494915112345678']),
        new Set(['+4915112345678']),
      )
    })
    test('an SMS of bytes is received as the text it is, or as base64', async () => {
      const app = await App.enrol(gateway)
      const data = (bytes: Buffer) => ({ ...sms({ message: undefined }), data: bytes.toString('base64') })
      await app.post('sms:data-received', data(Buffer.from('Grüße')))
      await app.post('sms:data-received', data(Buffer.from([0xff, 0xfe, 0])))
      const found = await inbox(app)
      assert.deepEqual(
        found.map(({ message }: { message: string }) => message),
        ['//4A', 'Grüße'],
      )
    })
    test('an MMS that the phone announces and never downloads is shown after a while; one it downloads, once', async () => {
      const app = await App.enrol(gateway)
      const notice = (more: object) => ({ ...sms({ message: undefined }), size: 312_000, ...more })
      await app.post('mms:received', notice({ sender: '+15550100177', subject: 'Photos' }))
      await app.post('mms:received', notice({ sender: '+15550100188' }))
      await app.post('mms:downloaded', {
        ...notice({ sender: '+15550100188' }),
        body: 'Here',
        attachments: [],
      })
      assert.equal((await inbox(app)).length, 1)
      await app.post('system:ping', { health: {} })
      assert.equal((await inbox(app)).length, 1, 'not yet')
      gateway.clock.now = Date.now() + 16 * 60_000
      gateway.clock.real = false
      await app.post('system:ping', { health: {} })
      await app.post('system:ping', { health: {} })
      gateway.clock.real = true
      const found = await inbox(app)
      assert.equal(found.length, 2)
      assert.deepEqual(
        [found[0].from, found[0].message, found[0].metadata.media_missing, found[0].metadata.size],
        ['+15550100177', 'Photos', 1, 312_000],
      )
    })
    test('of many announced MMS the oldest is shown rather than forgotten', async () => {
      const app = await App.enrol(gateway)
      for (let n = 0; n < 101; n += 1)
        await app.post('mms:received', { ...sms({ message: undefined }), size: 1, subject: `Number ${n}` })
      assert.deepEqual(
        (await inbox(app)).map(({ message }: { message: string }) => message),
        ['Number 0'],
      )
    })
    test('an app without sender, or that leaves fields out, loses nothing', async () => {
      const app = await App.enrol(gateway)
      for (const payload of [
        sms({ sender: undefined, message: 'a' }),
        { message: 'b' },
        { sender: null },
        null,
        [],
      ])
        assert.equal((await app.post('sms:received', payload)).status, 200)
      const found = await inbox(app)
      assert.equal(found.length, 5)
      assert.equal(found.at(-1).from, '+15550100199')
    })
    test('a second hand-over under the same id is kept once', async () => {
      const app = await App.enrol(gateway)
      const id = 'V7c0m2kQdXw3y-Z1aaB9r'
      await Promise.all([1, 2, 3].map(() => app.post('sms:received', sms({ receivedAt: null }), { id })))
      assert.equal((await inbox(app)).length, 1)
    })
    test('the same message under two ids is kept once; another text, or another second, is another message', async () => {
      const app = await App.enrol(gateway)
      await app.post('sms:received', sms())
      await app.post('sms:received', sms())
      assert.equal((await inbox(app)).length, 1)
      await app.post('sms:received', sms({ message: 'Is it open!' }))
      await app.post('sms:received', sms({ receivedAt: '2026-10-01T11:31:41.000+02:00' }))
      assert.equal((await inbox(app)).length, 3)
    })
    test('a text may hold anything', async () => {
      const app = await App.enrol(gateway)
      const text = '<b>&="\' 👩‍👩‍👧 \u0000 \ud800 end'
      assert.equal((await app.post('sms:received', sms({ message: text }))).status, 200)
      assert.equal((await inbox(app))[0].message, '<b>&="\' 👩‍👩‍👧  \ufffd end')
    })
    test('the signature is over the bytes as they came, escapes and all', async () => {
      const app = await App.enrol(gateway)
      const body = JSON.stringify({
        id: 'e1',
        event: 'sms:received',
        payload: sms({ message: 'a<b' }),
      }).replace('<', '\\u003c')
      assert.equal((await app.postRaw(body, await app.signingKey())).status, 200)
      assert.equal((await inbox(app))[0].message, 'a<b')
    })
    test('once the phone has its key, a bad signature is 401 and nothing is kept; people are told', async () => {
      const app = await App.enrol(gateway)
      await app.signingKey()
      assert.equal((await app.post('sms:received', sms(), { key: 'wrong' })).status, 401)
      const path = await app.hookPath()
      const body = JSON.stringify({ id: 'x', event: 'sms:received', payload: sms() })
      for (const headers of [
        {},
        { 'x-signature': 'zz', 'x-timestamp': '1' },
        { 'x-signature': '', 'x-timestamp': '' },
      ])
        assert.equal(
          (await gateway.ask('POST', path, { body, headers: headers as Record<string, string> })).status,
          401,
        )
      assert.deepEqual(await inbox(app), [])
      await until('attention', async () =>
        (await device(app)).attention.some(({ code }: { code: string }) => code === 'signature_refused'),
      )
    })
    test('before the phone has fetched its key, the secret address alone is enough', async () => {
      const app = await App.enrol(gateway)
      assert.equal((await app.post('sms:received', sms(), { key: 'one the phone invented' })).status, 200)
      assert.equal((await inbox(app)).length, 1)
    })
    test('an address nobody was given is 404', async () => {
      for (const guess of ['guess', '%00', 'x'.repeat(24), `${'x'.repeat(23)}%00`])
        assert.equal(
          (await gateway.ask('POST', `/mobile/v1/hooks/${guess}`, { body: {} })).status,
          404,
          guess,
        )
    })
    test('a sender of any length is taken, and cut', async () => {
      const app = await App.enrol(gateway)
      const letters = Array.from({ length: 9_000 }, (_, n) => String.fromCharCode(97 + ((n * 7919) % 26)))
      assert.equal((await app.post('sms:received', sms({ sender: letters.join('') }))).status, 200)
      assert.equal((await inbox(app))[0].from.length, 255)
    })
    test('after enrolling again the old address takes what was signed with the old key, and nothing else', async () => {
      const app = await App.enrol(gateway)
      const [oldKey, oldPath] = [await app.signingKey(), await app.hookPath()]
      app.token = (await app.register()).body.token
      assert.notEqual(await app.hookPath(), oldPath)
      assert.equal((await app.post('sms:received', sms(), { key: oldKey, path: oldPath })).status, 200)
      const newKey = await app.signingKey()
      assert.notEqual(newKey, oldKey)
      assert.equal((await app.post('sms:received', sms(), { key: newKey, path: oldPath })).status, 401)
      assert.equal((await app.post('sms:received', sms(), { key: oldKey })).status, 401)
    })
    test('garbage is 400, 20 MiB is 413; nothing is kept', async () => {
      const app = await App.enrol(gateway)
      const signing = await app.signingKey()
      for (const body of ['{', 'null', '[]', '"x"', '7'])
        assert.equal((await app.postRaw(body, signing)).status, 400)
      const huge = JSON.stringify({
        id: 'h',
        event: 'sms:received',
        payload: sms({ message: 'x'.repeat(20 * 1_048_576) }),
      })
      const answer = await app.postRaw(huge, signing).catch(() => undefined)
      if (answer) assert.equal(answer.status, 413)
      assert.deepEqual(await inbox(app), [])
    })
    test('events nobody asked for are taken and forgotten', async () => {
      const app = await App.enrol(gateway)
      for (const event of ['sms:batch:received', 'future:thing', '', 'sms:cancelled'])
        assert.equal((await app.post(event, {})).status, 200)
      assert.deepEqual(await inbox(app), [])
    })

    const picture = Buffer.from('89504e470d0a1a0a', 'hex')
    const mms = (more: object = {}) => ({
      messageId: '12',
      sender: '+15550100199',
      simNumber: 1,
      body: 'Look',
      subject: 'Holiday',
      receivedAt: '2026-10-01T11:31:40.000+02:00',
      attachments: [
        { partId: 1, contentType: 'application/smil', name: 'smil.xml', data: 'PHNtaWwvPg==' },
        {
          partId: 2,
          contentType: 'image/png',
          name: '../../etc/pa|ss.png',
          size: 8,
          data: picture.toString('base64'),
        },
        { partId: 3, contentType: 'nonsense', name: null, data: Buffer.from('x').toString('base64') },
        { partId: 4, contentType: 'image/jpeg', name: 'later.jpg', size: 9 },
      ],
      ...more,
    })
    test('a received MMS has its attachments in the media folder, named in metadata.media, and they can be fetched', async () => {
      const app = await App.enrol(gateway)
      assert.equal((await app.post('mms:downloaded', mms())).status, 200)
      const [received] = await inbox(app)
      assert.deepEqual(
        [received.type, received.message, received.metadata.subject],
        ['mms', 'Look', 'Holiday'],
      )
      const [first, second, ...rest] = received.metadata.media
      assert.deepEqual(rest, [])
      assert.deepEqual(
        { ...first, id: '' },
        { id: '', kind: 'image', mime: 'image/png', size: 8, filename: '_.._etc_pa_ss.png' },
      )
      assert.deepEqual(
        [second.kind, second.mime, second.filename],
        ['document', 'application/octet-stream', null],
      )
      assert.equal(received.metadata.media_missing, 1, 'one was named, and not sent along')
      const answer = await fetch(`${gateway.url}/api/v1/media/${first.id}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      assert.equal(answer.status, 200)
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), picture)
      assert.equal(answer.headers.get('content-type'), 'image/png')
      assert.match(answer.headers.get('content-disposition')!, /^attachment; filename="_.._etc_pa_ss.png"/)
      assert.equal(answer.headers.get('x-content-type-options'), 'nosniff')
    })
    test('an MMS handed over twice is one message and one file', async () => {
      const app = await App.enrol(gateway)
      const count = () =>
        readdirSync(join(scratch(), 'media'), { recursive: true, withFileTypes: true }).filter(entry =>
          entry.isFile(),
        ).length
      await app.post('mms:downloaded', mms(), { id: 'same' })
      const before = count()
      await Promise.all([1, 2, 3].map(() => app.post('mms:downloaded', mms(), { id: 'same' })))
      await app.post('mms:downloaded', mms(), { id: 'other' })
      assert.equal((await inbox(app)).length, 1)
      assert.equal(count(), before)
    })
    test('media of another environment, and what is no id, are 404', async () => {
      const app = await App.enrol(gateway)
      await app.post('mms:downloaded', mms())
      const { id } = (await inbox(app))[0].metadata.media[0]
      const staging = await gateway.key('staging')
      assert.equal((await gateway.ask('GET', `/staging/api/v1/media/${id}`, { key: staging })).status, 404)
      for (const other of [crypto.randomUUID(), '..%2f..%2fbasestation.db', 'x'])
        assert.equal((await gateway.ask('GET', `/api/v1/media/${other}`, { key })).status, 404)
    })
    test('a body of several megabytes is taken', async () => {
      const app = await App.enrol(gateway)
      const data = Buffer.alloc(6_000_000, 7).toString('base64')
      const large = mms({ attachments: [{ contentType: 'video/mp4', name: 'a.mp4', data }] })
      assert.equal((await app.post('mms:downloaded', large)).status, 200)
      assert.equal((await inbox(app))[0].metadata.media[0].size, 6_000_000)
    })

    const device = async (app: App) =>
      (
        await gateway.ask('GET', `/api/v1/devices/${app.device.id}`, {
          key: await gateway.key('production', { scopes: ['devices:read'] }),
        })
      ).body.data
    test('what became of a message may also come by post, for our ids only', async () => {
      const app = await App.enrol(gateway, { perMinute: null })
      const stream = await app.stream()
      await app.online()
      const { body } = await gateway.ask('POST', '/api/v1/sms/send', {
        key,
        body: { to: '+14155550123', message: 'x', device_id: app.device.id },
      })
      await app.list()
      for (const [event, messageId] of [
        ['sms:delivered', 'from-the-local-api'],
        ['sms:sent', body.message_id],
        ['sms:delivered', body.message_id.toUpperCase()],
        ['sms:failed', body.message_id],
      ] as const)
        assert.equal((await app.post(event, { messageId, sentAt: new Date().toISOString() })).status, 200)
      assert.equal(
        (await gateway.ask('GET', `/api/v1/sms/status/${body.message_id}`, { key })).body.data.status,
        'delivered',
      )
      stream.close()
    })
    test('a failure by post after the network took the message is the network’s word', async () => {
      const app = await App.enrol(gateway, { perMinute: null })
      const stream = await app.stream()
      await app.online()
      const send = async () => {
        const body = { to: '+14155550123', message: 'x', device_id: app.device.id }
        const id = (await gateway.ask('POST', '/api/v1/sms/send', { key, body })).body.message_id
        await app.list()
        return id
      }
      const code = async (id: string) =>
        (await gateway.ask('GET', `/api/v1/sms/status/${id}`, { key })).body.data.error.code
      const [sent, unsent] = [await send(), await send()]
      await app.report(sent, 'Sent')
      await app.post('sms:failed', { messageId: sent, reason: 'Delivery failed' })
      await app.post('sms:failed', { messageId: unsent, reason: 'Send result: RESULT_ERROR_RADIO_OFF' })
      assert.deepEqual([await code(sent), await code(unsent)], ['not_delivered', 'radio_off'])
      stream.close()
    })
    test('battery and charger come with each ping and show as attention', async () => {
      const app = await App.enrol(gateway)
      const ping = (level: number, charging: number) =>
        app.post('system:ping', {
          health: {
            status: 'pass',
            checks: {
              'battery:level': { observedValue: level },
              'battery:charging': { observedValue: charging },
            },
          },
        })
      await ping(12, 0)
      await until('attention', async () => (await device(app)).attention.length === 2)
      const low = await device(app)
      assert.deepEqual(
        low.attention.map(({ code }: { code: string }) => code),
        ['battery_low', 'not_charging'],
      )
      assert.deepEqual([low.about.battery_percent, low.about.charging], [12, false])
      await ping(90, 3)
      await until('all is well', async () => (await device(app)).attention.length === 0)
    })
    test('the phone’s own number is learnt when it tells it', async () => {
      const app = await App.enrol(gateway, { phone: '' })
      await app.post('app:started', {
        simCards: [{ slotIndex: 0, simNumber: 1, phoneNumber: '+15550100101', carrierName: 'Fishnet' }],
      })
      const { phone, about } = await device(app)
      assert.equal(phone, '+15550100101')
      assert.deepEqual(about.sims, [{ slot: 1, number: '+15550100101', carrier: 'Fishnet' }])
    })
  })
