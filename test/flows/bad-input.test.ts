/** Bad input gets a clear 400, and nothing else happens. */

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { databases } from '../standins/databases.ts'
import { startGateway, type TestGateway } from '../standins/gateway.ts'

for (const database of databases)
  describe(`bad input on ${database.name}`, () => {
    let gateway: TestGateway
    let key: string
    before(async () => {
      gateway = await startGateway({ database: await database.empty() })
      key = await gateway.key('staging', {
        scopes: ['messages:send', 'messages:read', 'inbox:read', 'settings:manage'],
      })
      await gateway.device('staging')
    })
    after(() => gateway.stop())
    const post = (path: string, body: unknown, headers = {}) =>
      gateway.ask('POST', `/staging/api/v1${path}`, { key, body, headers })
    const get = (path: string) => gateway.ask('GET', `/staging/api/v1${path}`, { key })
    const good = { to: '+15550101234', message: 'x' }

    const bodies: [string, unknown, string][] = [
      ['not JSON', '{"to": ', 'invalid_json'],
      ['nothing at all', '', 'invalid_json'],
      ['a number for to', { ...good, to: 15550101234 }, 'invalid_request'],
      ['null for to', { ...good, to: null }, 'invalid_request'],
      ['an array for to', { ...good, to: ['+15550101234'] }, 'invalid_request'],
      ['a number for message', { ...good, message: 5 }, 'invalid_request'],
      ['an array for the object', [good], 'invalid_request'],
      ['a string for the object', '"hello"', 'invalid_request'],
      ['null for the object', 'null', 'invalid_request'],
      ['a megabyte of nesting', '['.repeat(1_000_000), 'invalid_json'],
      ['NUL in the text', '{"to":"+15550101234","message":"a\\u0000b"}', 'invalid_request'],
      ['half a surrogate pair', '{"to":"+15550101234","message":"a\\ud83d"}', 'invalid_request'],
      ['an unknown field', { ...good, mesage: 'x' }, 'unknown_field'],
      ['__proto__', '{"to":"+15550101234","message":"x","__proto__":{"a":1}}', 'unknown_field'],
      ['a key twice', '{"to":"+15550101234","message":"x","to":"+15550109999"}', 'invalid_json'],
      ['a huge number', '{"to":"+15550101234","message":"x","ttl":1e400}', 'invalid_request'],
      ['a fraction for ttl', { ...good, ttl: 60.5 }, 'invalid_request'],
      ['a ttl under a minute', { ...good, ttl: 59 }, 'invalid_request'],
      ['a ttl over a week', { ...good, ttl: 604_801 }, 'invalid_request'],
      ['a string for ttl', { ...good, ttl: '60' }, 'invalid_request'],
      ['an empty recipient', { ...good, to: '' }, 'invalid_recipient'],
      ['a national number', { ...good, to: '0301234567' }, 'invalid_recipient'],
      ['an empty text', { ...good, message: '' }, 'invalid_request'],
      ['a text of blanks', { ...good, message: ' \n\t ' }, 'invalid_request'],
      ['a device that is not a UUID', { ...good, device_id: 'phone-1' }, 'invalid_device'],
      ['an unknown device', { ...good, device_id: '01a1dd33-667e-7a55-8ca7-bea2dbe89140' }, 'invalid_device'],
      ['eleven segments', { ...good, message: 'a'.repeat(1_531), device_id: undefined }, 'message_too_long'],
    ]
    for (const [what, body, code] of bodies)
      test(`send: ${what} is 400 ${code}`, async () => {
        for (const path of ['/sms/send', '/message/send']) {
          const answer = await post(path, body)
          assert.deepEqual([answer.status, answer.body.code], [400, code], answer.text)
        }
      })

    const lists: [string, unknown, string][] = [
      ['no recipients', { message: 'x' }, 'invalid_request'],
      ['an empty list', { recipients: [], message: 'x' }, 'invalid_request'],
      ['a string for the list', { recipients: '+15550101234', message: 'x' }, 'invalid_request'],
      ['a number in the list', { recipients: ['+15550101234', 5], message: 'x' }, 'invalid_request'],
      [
        '101 recipients',
        { recipients: Array(101).fill('+15550101234'), message: 'x' },
        'too_many_recipients',
      ],
      ['300,000 numbers', `{"message":"x","recipients":[${'1,'.repeat(300_000)}1]}`, 'too_many_recipients'],
      ['to instead of recipients', { to: '+15550101234', message: 'x' }, 'unknown_field'],
      ['only bad numbers', { recipients: ['a', 'b'], message: 'x' }, 'no_valid_recipients'],
    ]
    for (const [what, body, code] of lists)
      test(`bulk: ${what} is 400 ${code}`, async () => {
        for (const path of ['/sms/bulk', '/message/bulk']) {
          const answer = await post(path, body)
          assert.deepEqual([answer.status, answer.body.code], [400, code], answer.text.slice(0, 500))
        }
      })

    test('a misspelt field is answered with the right one', async () => {
      const { body } = await post('/sms/send', { ...good, media_ulr: 'https://example.org/a.pdf' })
      assert.equal(body.code, 'unknown_field')
      assert.match(body.detail, /Did you mean “media_url”\?/)
      assert.deepEqual(
        body.errors.map(({ pointer }: { pointer: string }) => pointer),
        ['/media_ulr'],
      )
    })

    test('several mistakes are told at once', async () => {
      const { body } = await post('/sms/send', { to: 5, device_id: 7 })
      assert.deepEqual(body.errors.map((one: { pointer: string }) => one.pointer).sort(), [
        '/device_id',
        '/message',
        '/to',
      ])
    })

    test('message_too_long names encoding, segments and the character', async () => {
      const { body } = await post('/sms/send', { ...good, message: `${'a'.repeat(700)}😀` })
      assert.equal(body.code, 'message_too_long')
      for (const word of ['UCS-2', '11', '😀']) assert.ok(body.detail.includes(word), body.detail)
    })

    test('no_valid_recipients lists them', async () => {
      const { body } = await post('/sms/bulk', { recipients: ['a', '+1'], message: 'x' })
      assert.deepEqual(
        body.errors.map((one: { pointer: string; code: string }) => [one.pointer, one.code]),
        [
          ['/recipients/0', 'invalid_recipient'],
          ['/recipients/1', 'invalid_recipient'],
        ],
      )
    })

    for (const query of [
      'page=0',
      'page=-1',
      'page=1e9',
      'page=1.5',
      'page=',
      'page=x',
      'page=1&page=2',
      'since=yesterday',
      'until=2026-02-30',
      'since=',
      'device_id=phone',
      'pages=1',
      '__proto__=1',
      'from=%00',
    ])
      test(`received: ${query} is 400 and names the parameter`, async () => {
        for (const path of ['/messages/received', '/message/received']) {
          const { status, body } = await get(`${path}?${query}`)
          assert.equal(status, 400)
          assert.ok(body.detail.includes(query.split('=')[0]!), body.detail)
        }
      })

    test('ids that are unknown, malformed or another environment’s are the same 404', async () => {
      const foreign = await gateway.device('production')
      await gateway.fleet.refresh()
      const production = await gateway.key('production')
      const sent = await gateway.ask('POST', '/api/v1/sms/send', {
        key: production,
        body: { ...good, device_id: foreign.id },
      })
      assert.equal(sent.status, 200)
      const answers = []
      for (const id of [
        sent.body.message_id,
        '01a1dd33-667e-7a55-8ca7-bea2dbe89140',
        'x',
        '%00',
        "';--",
        'a'.repeat(150),
        'a'.repeat(5_000),
        '%zz',
        '%E0%A4%A',
      ])
        answers.push(await get(`/sms/status/${id}`))
      for (const { status, body } of answers)
        assert.deepEqual(
          [status, body.code, body.detail],
          [404, 'message_not_found', answers[0]!.body.detail],
        )
    })

    test('wrong method, content type, size and address have their own answers', async () => {
      const method = await gateway.ask('GET', '/staging/api/v1/sms/send', { key })
      assert.deepEqual(
        [method.status, method.body.code, method.headers.get('allow')],
        [405, 'method_not_allowed', 'POST'],
      )
      const list = await gateway.ask('DELETE', '/staging/api/v1/messages/received', { key })
      assert.deepEqual([list.status, list.headers.get('allow')], [405, 'GET, HEAD'])
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/xml',
        'multipart/form-data; boundary=x',
      ]) {
        const answer = await post('/sms/send', JSON.stringify(good), { 'content-type': type })
        assert.deepEqual([answer.status, answer.body.code], [415, 'unsupported_content_type'])
      }
      const large = await post('/sms/send', JSON.stringify({ ...good, message: 'x'.repeat(1_100_000) }))
      assert.deepEqual([large.status, large.body.code], [413, 'body_too_large'])
      const nowhere = await gateway.ask('GET', '/staging/api/v1/sms/sends', { key })
      assert.deepEqual([nowhere.status, nowhere.body.code], [404, 'not_found'])
      const outside = await gateway.ask('GET', '/wp-login.php')
      assert.deepEqual([outside.status, outside.body.code], [404, 'not_found'])
      for (const answer of [method, list, large, nowhere])
        assert.ok(answer.headers.has('x-ratelimit-remaining'))
    })

    test('what is not even HTTP gets a problem too', async () => {
      const raw = (text: string) =>
        new Promise<string>((resolve, reject) => {
          const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1', () => socket.write(text))
          let answer = ''
          socket.on('data', chunk => {
            answer += chunk
          })
          socket.on('close', () => resolve(answer))
          socket.on('error', reject)
        })
      const broken = await raw('NONSENSE\r\n\r\n')
      assert.match(broken, /^HTTP\/1\.1 400 /)
      assert.match(broken, /application\/problem\+json/)
      const headers = await raw(`GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`)
      assert.match(headers, /^HTTP\/1\.1 431 /)
      const smuggled = await raw(
        'POST /api/v1/sms/send HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      )
      assert.match(smuggled, /^HTTP\/1\.1 400 /)
      const url = await gateway.ask('GET', '/staging/api/v1/sms/status/%E0%A4%A', { key })
      assert.ok([400, 404].includes(url.status))
    })

    test('whatever JSON is sent, the answer is 200 or a 400 with a code, never a 500', async () => {
      const value = fc.oneof(
        fc.string(),
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom('+15550101234', 'x', 60, null),
      )
      const body = fc.dictionary(
        fc.constantFrom('to', 'message', 'device_id', 'ttl', 'sim_slot', 'recipients', 'other'),
        value,
      )
      await fc.assert(
        fc.asyncProperty(body, fc.constantFrom('/sms/send', '/message/bulk'), async (sent, path) => {
          const { status, body: answer } = await post(path, sent)
          assert.ok(
            status === 200 || (status === 400 && typeof answer.code === 'string'),
            `${status} for ${JSON.stringify(sent)}`,
          )
        }),
        { numRuns: 150 },
      )
    })

    test('after all this only what was answered with 200 is there', async () => {
      const events = await gateway.store.events(0, 100_000)
      const queued = events.filter(
        ({ type, environmentId, n }) => type === 'message.queued' && environmentId === 2 && n === 1,
      )
      const accepted = (await gateway.ask('GET', '/metrics')).text
      const count = Number(
        /basestation_messages_accepted_total\{environment="staging"\} (\d+)/.exec(accepted)?.[1] ?? 0,
      )
      assert.equal(queued.length, count)
      assert.deepEqual(
        gateway.logged.filter(({ level }) => level === 'error'),
        [],
      )
    })
  })
