/** WhatsApp's official API: the whole gateway against a stand-in of it. */

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { limits } from '../../src/core/limits.ts'
import { GraphStandin } from '../standins/cloud/graph.ts'
import { databases } from '../standins/databases.ts'
import { FileServer } from '../standins/file-server.ts'
import { startGateway, type TestGateway, until } from '../standins/gateway.ts'
import { media } from '../standins/media.ts'

for (const { name, empty } of databases)
  describe(`the official API on ${name}`, () => {
    const graph = new GraphStandin()
    let gateway: TestGateway
    let key = ''
    let device: { id: string; webhook: { url: string; verify_token: string } }
    const files = new FileServer()
    before(async () => {
      gateway = await startGateway({
        database: await empty(),
        settings: {
          WHATSAPP_GRAPH_URL: await graph.start(),
          MEDIA_ALLOW_HOSTS: await files.start(),
          FFMPEG: 'none',
        },
      })
      key = await gateway.key('production', {
        scopes: ['messages:send', 'messages:read', 'inbox:read', 'devices:read', 'devices:manage'],
      })
    })
    after(async () => {
      graph.stop()
      files.stop()
      await gateway.stop()
    })

    const ask = (method: string, path: string, body?: object) =>
      gateway.ask(method, `/api/v1${path}`, { key, ...(body && { body }) })
    const add = (access_token: string) =>
      ask('POST', '/devices', {
        kind: 'whatsapp',
        driver: 'cloud',
        name: 'Official',
        cloud: { phone_number_id: graph.phoneNumberId, access_token, app_secret: graph.appSecret },
      })
    const shown = async () => (await ask('GET', `/devices/${device.id}`)).body.data
    const send = async (message: string, more: object = {}) => {
      const answer = await ask('POST', '/sms/send', {
        to: '+15550002000',
        message,
        device_id: device.id,
        ...more,
      })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.message_id as string
    }
    const status = async (id: string) => (await ask('GET', `/sms/status/${id}`)).body.data
    const becomes = (id: string, wanted: string) =>
      until(wanted, async () => (await status(id)).status === wanted)
    const inbox = async () => (await ask('GET', '/messages/received')).body.data

    test('wrong credentials are refused, and no device is left behind', async () => {
      const answer = await add('wrong')
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'])
      assert.equal((await ask('GET', '/devices')).body.data.length, 0)
    })
    test('a number is added with its phone number, and is online', async () => {
      const answer = await add(graph.token)
      assert.equal(answer.status, 201, answer.text)
      device = answer.body.data
      graph.webhook = device.webhook.url
      const { phone, driver, attention } = answer.body.data
      assert.deepEqual([phone, driver, attention[0].code], ['+15550783881', 'cloud', 'no_webhook'])
      await until('online', async () => (await shown()).status === 'online')
      assert.ok(!answer.text.includes(graph.token) && !answer.text.includes(graph.appSecret))
      assert.equal((await add(graph.token)).status, 400, 'twice')
    })
    test('its secrets are sealed at rest', async () => {
      const [row] = await gateway.store.vaultRead(device.id, 'cloud', ['account'])
      assert.ok(row && !row.value.includes(graph.token))
    })
    test('Meta finds the webhook with the right token only', async () => {
      const asked = (token: string) =>
        fetch(`${graph.webhook}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`)
      const right = await asked(device.webhook.verify_token)
      assert.deepEqual([right.status, await right.text()], [200, '1158201444'])
      assert.equal((await asked('wrong')).status, 401)
    })
    test('a text goes out and is delivered, read, by what the webhook says', async () => {
      graph.behaviour = { statuses: [] }
      const id = await send('Grüße 😀')
      await until('taken', () => graph.taken.length === 1)
      const [taken] = graph.taken
      assert.deepEqual(taken.text, { body: 'Grüße 😀', preview_url: false })
      assert.equal(taken.to, '15550002000')
      assert.equal((await status(id)).status, 'sending', 'that they took the request says nothing')
      for (const step of ['sent', 'delivered', 'read']) {
        assert.equal(await graph.status(taken, step), 200)
        await becomes(id, step)
      }
      assert.equal(await graph.status(taken, 'delivered'), 200)
      assert.equal((await status(id)).status, 'read', 'never back')
      assert.deepEqual((await shown()).attention, [])
    })
    test('a wrong signature changes nothing', async () => {
      graph.behaviour = { statuses: [] }
      const before = graph.taken.length
      const id = await send('x')
      await until('taken', () => graph.taken.length > before)
      const taken = graph.taken.at(-1)
      const statuses = [
        {
          id: 'w',
          status: 'delivered',
          timestamp: '1',
          biz_opaque_callback_data: taken.biz_opaque_callback_data,
        },
      ]
      assert.equal(await graph.post({ statuses }, 'another secret'), 401)
      assert.equal((await status(id)).status, 'sending')
      const count = (await inbox()).length
      const unsigned = await fetch(graph.webhook, { method: 'POST', body: '{}' })
      assert.equal(unsigned.status, 401)
      assert.equal((await inbox()).length, count)
      await graph.status(taken, 'sent')
      await becomes(id, 'sent')
    })
    test('garbage that is signed is answered, and harms nobody', async () => {
      for (const body of [
        {},
        { entry: 5 },
        { entry: [{ changes: [{ field: 'messages', value: { statuses: [null, { status: 7 }] } }] }] },
      ])
        assert.equal(await graph.postRaw(body), 200)
    })
    test('one entry that nobody understands does not cost those that came with it', async () => {
      graph.behaviour = { statuses: [] }
      const before = graph.taken.length
      const id = await send('x')
      await until('taken', () => graph.taken.length > before)
      const data = graph.taken.at(-1).biz_opaque_callback_data
      const statuses = [
        ...['constructor', '__proto__', 'toString'].map(status => ({
          status,
          biz_opaque_callback_data: data,
        })),
        { status: 'sent', timestamp: '9'.repeat(40), biz_opaque_callback_data: data },
      ]
      const text = (more: object) => ({
        from: '15550002000',
        type: 'text',
        text: { body: 'Still here' },
        ...more,
      })
      const messages = [
        text({ id: 'wamid.a', timestamp: '1e300' }),
        text({ id: 'wamid.\u0000b', timestamp: '-1' }),
        { id: 'wamid.c', from: '15550002000', type: '__proto__' },
        {
          id: 'wamid.d',
          from: '15550002000',
          type: 'document',
          document: { id: 'x\u0000', filename: '\ud83d' },
        },
      ]
      const count = (await inbox()).length
      assert.equal(await graph.post({ statuses, messages }), 200)
      assert.equal((await status(id)).status, 'sent')
      assert.ok((await inbox()).length >= count + 2)
    })
    test('what cannot be Meta’s is not read, and what may be only so much at a time', async () => {
      const { hostname, port, pathname } = new URL(graph.webhook)
      const open = (headers: string) =>
        new Promise<{ answer: () => string; say: (text: string) => void; end: () => void }>(resolve => {
          const socket = connect(Number(port), hostname, () => {
            socket.write(
              `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\nContent-Length: ${limits.metaBody.value}\r\n${headers}\r\n{`,
            )
            resolve({
              answer: () => text,
              say: more => void socket.write(more),
              end: () => socket.destroy(),
            })
          })
          let text = ''
          socket.on('data', chunk => {
            text += chunk
          })
          socket.on('error', () => {})
        })
      const stranger = await open('')
      await until('it is refused with its body still to come', () => stranger.answer().includes(' 401 '))
      stranger.end()
      const signed = `X-Hub-Signature-256: sha256=${'0'.repeat(64)}\r\n`
      // Whoever only says that much will come takes nothing from others.
      const waiting: Awaited<ReturnType<typeof open>>[] = []
      for (let n = 0; n < 20; n += 1) waiting.push(await open(signed))
      assert.equal(await graph.post({ statuses: [] }), 200)
      const almost = 'x'.repeat(limits.metaBody.value - 1_000)
      for (const { say } of waiting.slice(0, 9)) say(almost)
      try {
        await until('one is told to wait', () => waiting.some(({ answer }) => answer().includes(' 429 ')))
      } finally {
        for (const { end } of waiting) end()
      }
      await until('there is room again', async () => (await graph.post({ statuses: [] })) === 200)
    })
    test('a failure says why', async () => {
      graph.behaviour = { statuses: [] }
      const id = await send('too late')
      await until('taken', () => graph.taken.at(-1)?.biz_opaque_callback_data === id)
      await graph.status(graph.taken.at(-1), 'failed', {
        errors: [{ code: 131047, title: 'Re-engagement message' }],
      })
      await becomes(id, 'failed')
      assert.equal((await status(id)).error.code, 'outside_window')
      graph.behaviour = { statuses: [], error: { status: 400, code: 131026, message: 'Undeliverable' } }
      const other = await send('x')
      await becomes(other, 'failed')
      assert.equal((await status(other)).error.code, 'whatsapp_refused')
    })
    test('asked to wait, it waits, and sends once', async () => {
      const { refusals } = graph
      const before = graph.taken.length
      graph.behaviour = { statuses: [], error: { status: 400, code: 130429 } }
      const id = await send('later')
      await until('tried', () => graph.refusals > refusals)
      graph.behaviour = { statuses: ['sent', 'delivered'] }
      await becomes(id, 'delivered')
      assert.equal(graph.taken.length - before, 1)
    })
    test('an answer that never comes is not asked for again: the webhook tells what became of it', async () => {
      graph.behaviour = { statuses: ['sent'], hang: true }
      const before = graph.taken.length
      const id = await send('once')
      await becomes(id, 'sent')
      assert.equal(graph.taken.length - before, 1)
      graph.behaviour = { statuses: ['sent', 'delivered'] }
    })
    test('files go out as what they are; a sound is followed by its words', async () => {
      for (const [file, type] of [
        ['a.jpg', 'image'],
        ['a.mp4', 'video'],
        ['a.pdf', 'document'],
        ['a.mp3', 'audio'],
      ] as const) {
        const before = graph.taken.length
        const id = await send(`this is ${file}`, { media_url: `${files.url}/${file}` })
        await becomes(id, 'delivered')
        const [first, second] = graph.taken.slice(before)
        assert.equal(first.type, type)
        assert.deepEqual(graph.uploads.get(first[type].id)!.bytes, media[file]!.bytes)
        if (type === 'audio') assert.equal(second.text.body, `this is ${file}`)
        else assert.deepEqual([first[type].caption, second], [`this is ${file}`, undefined])
        if (type === 'document') assert.equal(first.document.filename, 'a.pdf')
      }
    })
    test('what the official API does not take fails, and says so', async () => {
      const id = await send('x', { media_url: `${files.url}/a.zip` })
      await becomes(id, 'failed')
      assert.equal((await status(id)).error.code, 'unsupported_media')
    })
    test('a file of a bulk request is uploaded once', async () => {
      const before = graph.uploads.size
      const { body } = await ask('POST', '/sms/bulk', {
        recipients: ['+15550002001', '+15550002002', '+15550002003'],
        message: 'look',
        media_url: `${files.url}/a.png`,
        device_id: device.id,
      })
      for (const id of body.message_ids) await becomes(id, 'delivered')
      assert.equal(graph.uploads.size - before, 1)
    })
    test('a text and a file are received, each once however often they are posted', async () => {
      const before = (await inbox()).length
      const message = { id: 'wamid.same', type: 'text', text: { body: 'hello' } }
      for (let n = 0; n < 3; n += 1) assert.equal(await graph.write(message), 200)
      const bytes = media['a.png']!.bytes
      const file = { id: graph.keep('image/png', bytes), mime_type: 'image/png', caption: 'look' }
      assert.equal(await graph.write({ type: 'image', image: file }), 200)
      await until('both', async () => (await inbox()).length === before + 2)
      const [picture, text] = await inbox()
      assert.deepEqual([text.message, text.from, text.type], ['hello', '+15550002000', 'whatsapp'])
      assert.equal(picture.message, 'look')
      const [shownFile] = picture.metadata.media
      const answer = await fetch(`${gateway.url}/api/v1/media/${shownFile.id}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes)
    })
    test('other kinds are shown too; an answer says what it answers, and a reaction is an event', async () => {
      const from = '15550002000'
      const count = (await inbox()).length
      const messages = [
        {
          id: 'wamid.k1',
          from,
          type: 'contacts',
          contacts: [{ name: { formatted_name: 'Ann' }, phones: [{ phone: '+1 555' }] }],
        },
        { id: 'wamid.k2', from, type: 'order', order: { text: 'Please', product_items: [{}, {}] } },
        {
          id: 'wamid.k3',
          from,
          type: 'interactive',
          interactive: { nfm_reply: { response_json: '{"a":1}' } },
        },
        { id: 'wamid.k4', from, type: 'something_new', something_new: {} },
        { id: 'wamid.k5', from, type: 'text', text: { body: 'Yes' }, context: { id: 'wamid.k2' } },
        { id: 'wamid.k6', from, type: 'reaction', reaction: { message_id: 'wamid.k5', emoji: '👍' } },
      ]
      assert.equal(await graph.post({ messages }), 200)
      const found = (await inbox()).slice(0, 5).toReversed()
      assert.equal((await inbox()).length, Math.min(25, count + 5))
      assert.deepEqual(
        found.map(({ message, metadata }: { message: string; metadata: { kind?: string } }) => [
          metadata.kind,
          message,
        ]),
        [
          ['contacts', 'Ann +1 555'],
          ['order', 'Please\n2 items'],
          ['form_reply', '{"a":1}'],
          ['unsupported', 'A message of a kind that cannot be shown here (something_new).'],
          [undefined, 'Yes'],
        ],
      )
      assert.deepEqual([found[4].metadata.reply_to, found[4].metadata.reaction], [found[1].id, '👍'])
    })
    test('a token that is refused shows; a new one mends it, and what waited goes out', async () => {
      graph.token = 'EAAnew'
      const id = await send('x')
      await until('it shows', async () =>
        (await shown()).attention.some(({ code }: { code: string }) => code === 'token_refused'),
      )
      assert.equal(
        (await ask('PATCH', `/devices/${device.id}`, { cloud: { access_token: 'bad' } })).status,
        400,
      )
      const renewed = await ask('PATCH', `/devices/${device.id}`, { cloud: { access_token: 'EAAnew' } })
      assert.equal(renewed.status, 200, renewed.text)
      await until('delivered', async () => (await status(id)).status === 'delivered')
      assert.deepEqual((await shown()).attention, [])
    })
    test('it cannot be linked over, whatever its state', async () => {
      const answer = await ask('POST', `/devices/${device.id}/link`)
      assert.deepEqual([answer.status, answer.body.code], [400, 'invalid_request'])
      assert.equal((await ask('PATCH', `/devices/${device.id}`, { phone: '+15550009999' })).status, 400)
    })
    test('after a restore, which brings no secrets, it is given both again', async () => {
      await gateway.store.vaultForget(device.id, {})
      const path = `/devices/${device.id}`
      assert.equal((await ask('PATCH', path, { cloud: { access_token: graph.token } })).status, 400)
      const cloud = { access_token: graph.token, app_secret: graph.appSecret }
      assert.equal((await ask('PATCH', path, { cloud })).status, 200)
      await becomes(await send('back'), 'delivered')
    })
    test('removed while an answer is awaited that never comes, it keeps nobody waiting and leaves no secrets', async () => {
      graph.behaviour = { statuses: ['sent'], hang: true }
      await becomes(await send('the last one'), 'sent')
      assert.equal((await ask('DELETE', `/devices/${device.id}`)).status, 200)
      assert.equal((await ask('GET', '/devices')).status, 200)
      assert.ok(graph.open > 0)
      assert.deepEqual(await gateway.store.vaultList(device.id, 'cloud'), [])
    })
  })
