/** People: opting out and in, being forgotten, and what is forgotten by itself. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { scopes } from '../../src/core/access/key.ts'
import { databases } from '../standins/databases.ts'
import { type TestGateway, until } from '../standins/gateway.ts'
import { type Staging, startStaging } from '../standins/staging.ts'

const day = 24 * 3_600_000

for (const { name, empty } of databases)
  describe(`people on ${name}`, () => {
    let gateway: TestGateway
    let ask: Staging['ask']
    let deviceId: string
    before(async () => {
      const german = { phone: '+491701234567' }
      ;({ gateway, ask, deviceId } = await startStaging({ database: await empty() }, german))
    })
    after(() => gateway.stop())
    const send = (to: string, more: object = {}) =>
      ask('POST', '/sms/send', { to, message: 'hello', ...more })
    const status = async (id: string) => (await ask('GET', `/sms/status/${id}`)).body.data.status
    const receive = (sender: string, text: string, more: object = {}) =>
      gateway.reception.receive({
        deviceId,
        sender,
        text,
        type: 'sms',
        metadata: {},
        externalId: null,
        ...more,
      })
    const later = () => new Date(Date.now() + 3_600_000).toISOString()
    const list = async () =>
      (await ask('GET', '/opt-outs?limit=100')).body.data.map((one: { number: string }) => one.number)

    test('a STOP ends it: what waits is canceled, sends are refused; a START begins again', async () => {
      const number = '+15550107001'
      const scheduled = (await send(number, { send_at: later() })).body.message_id
      await receive(number, ' Stop\n')
      assert.equal(await status(scheduled), 'canceled')
      const refused = await send(number)
      assert.equal(refused.status, 400)
      assert.equal(refused.body.code, 'recipient_opted_out')
      const kept = async () =>
        (await ask('GET', '/messages?to=%2B15550107001')).body.data.map(
          (one: { message_id: string }) => one.message_id,
        )
      assert.deepEqual(await kept(), [scheduled], 'what was refused was kept')
      const bulk = await ask('POST', '/sms/bulk', {
        recipients: ['+15550107002', number, 'x'],
        message: 'hi',
      })
      assert.deepEqual(bulk.body.stats, { total: 3, valid: 2, invalid: 1, queued: 1 })
      assert.deepEqual(
        bulk.body.rejected.map((one: { index: number; code: string }) => [one.index, one.code]),
        [
          [1, 'recipient_opted_out'],
          [2, 'invalid_recipient'],
        ],
      )
      const none = await ask('POST', '/sms/bulk', { recipients: [number], message: 'hi' })
      assert.equal(none.body.code, 'no_valid_recipients')
      assert.equal(none.body.errors[0].code, 'recipient_opted_out')
      assert.deepEqual(await kept(), [scheduled], 'what was refused was kept')
      const preview = await ask('POST', '/messages/preview', { to: number, message: 'hi' })
      assert.equal(preview.body.data.rejected[0].code, 'recipient_opted_out')
      const story = (await ask('GET', `/messages/${scheduled}`)).body.data.timeline
      assert.equal(story.at(-1).reason.code, 'opted_out')
      await receive(number, 'START')
      assert.equal((await send(number)).status, 200)
    })
    test('the simulated phone whose recipient answers STOP is opted out', async () => {
      assert.equal((await send('+15550100006')).status, 200)
      await until('it is on the list', async () => (await list()).includes('+15550100006'))
      assert.equal((await send('+15550100006')).body.code, 'recipient_opted_out')
    })
    test('a sender in national format is completed with the country of the device', async () => {
      await receive('0171 2345678', 'STOP')
      assert.ok((await list()).includes('+491712345678'))
      assert.equal((await send('+491712345678')).body.code, 'recipient_opted_out')
      const { body } = await ask('GET', '/messages/received?from=%2B491712345678')
      assert.equal(body.data[0].from, '+491712345678')
      // Short codes stay as they are.
      await receive('72404', 'STOP')
      assert.equal((await ask('GET', '/messages/received?from=72404')).body.pagination.total, 1)
    })
    test('the list over the API: add, look up, page through, take off', async () => {
      const added = await ask('POST', '/opt-outs', { number: '+1 555 010 7010' })
      assert.equal(added.status, 201)
      assert.equal(added.body.data.number, '+15550107010')
      assert.equal(added.body.data.source, 'api')
      assert.equal((await ask('GET', '/opt-outs?number=%2B15550107010')).body.data.length, 1)
      assert.equal((await ask('GET', '/opt-outs?number=%2B15550107099')).body.data.length, 0)
      const all = await list()
      const paged: string[] = []
      let cursor = ''
      do {
        const { body } = await ask('GET', `/opt-outs?limit=2${cursor}`)
        paged.push(...body.data.map((one: { number: string }) => one.number))
        cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`
      } while (cursor !== '')
      assert.deepEqual(paged, all)
      assert.equal((await ask('DELETE', '/opt-outs/+15550107010')).status, 200)
      assert.equal((await ask('DELETE', '/opt-outs/+15550107010')).body.code, 'opt_out_not_found')
      assert.equal((await ask('POST', '/opt-outs', { number: 'nobody' })).status, 400)
      assert.equal((await send('+15550107010')).status, 200)
      const production = await gateway.key('production', { scopes })
      const other = await gateway.ask('GET', '/api/v1/opt-outs', { key: production })
      assert.deepEqual(other.body.data, [])
    })
    test('words can be set, and a word cannot mean both', async () => {
      const before = (await ask('GET', '/settings')).body.data
      assert.ok(before.opt_out_words.includes('stop'))
      assert.equal((await ask('PATCH', '/settings', { opt_out_words: ['Ende', 'ENDE '] })).status, 200)
      await receive('+15550107020', 'STOP')
      await receive('+15550107021', 'ende')
      const now = await list()
      assert.ok(!now.includes('+15550107020') && now.includes('+15550107021'))
      assert.equal((await ask('PATCH', '/settings', { opt_in_words: ['ende'] })).status, 400)
      assert.equal((await ask('PATCH', '/settings', { opt_out_words: [' '] })).status, 400)
      await ask('PATCH', '/settings', { opt_out_words: before.opt_out_words })
    })
    test('forgetting a person blanks texts and numbers, keeps totals, pages and the opt-out, and is journalled', async () => {
      const number = '+15550108000'
      const ids = [(await send(number)).body.message_id, (await send(number)).body.message_id]
      await until('delivered', async () => (await status(ids[1])) === 'delivered')
      const waiting = (await send(number, { send_at: later() })).body.message_id
      await ask('POST', '/sms/send', { to: number, message: 'keyed' }, { 'idempotency-key': 'erased' })
      const file = '0190a000-0000-7000-8000-000000000001'
      await receive(number, 'my secret', {
        externalId: '15550108000/ABC',
        media: [{ id: file, mime: 'image/png', size: 1, filename: 'x.png' }],
        metadata: { media: [{ id: file, kind: 'image', mime: 'image/png', size: 1, filename: 'x.png' }] },
      })
      await receive(number, 'STOP')
      await receive('+15550108001', 'other')
      const pages = (await ask('GET', '/messages/received')).body.pagination.total
      const listed = (await ask('GET', '/messages?limit=100')).body.data.length
      const { status: code, body } = await ask('DELETE', `/people/${number}`)
      assert.equal(code, 200)
      assert.deepEqual(body.data, { messages: 4, received: 2, files: 1 })
      assert.equal((await ask('GET', '/messages/received')).body.pagination.total, pages)
      assert.equal((await ask('GET', '/messages?limit=100')).body.data.length, listed)
      const one = (await ask('GET', `/messages/${ids[0]}`)).body.data
      assert.deepEqual([one.to, one.message, one.status], ['', '', 'delivered'])
      assert.equal(await status(waiting), 'canceled')
      assert.equal((await ask('GET', `/messages/received?from=%2B15550108000`)).body.pagination.total, 0)
      const everything = JSON.stringify([
        (await ask('GET', '/messages/received')).body,
        (await ask('GET', '/messages?limit=100')).body,
        (await ask('GET', '/events?limit=500')).body,
        (await ask('GET', '/opt-outs?limit=100')).body,
        await gateway.store.events(0, 100_000),
      ])
      assert.ok(!everything.includes('15550108000'), 'the number is still told somewhere')
      assert.ok(!everything.includes('my secret'))
      assert.equal((await ask('GET', `/media/${file}`)).status, 404)
      // Its own id is recognised still, and held no more.
      await receive(number, 'my secret', { externalId: '15550108000/ABC' })
      assert.equal((await ask('GET', '/messages/received')).body.pagination.total, pages)
      // A repetition of a request does not send again.
      const repeated = await ask(
        'POST',
        '/sms/send',
        { to: number, message: 'keyed' },
        { 'idempotency-key': 'erased' },
      )
      assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
      assert.ok(!repeated.text.includes('15550108000'))
      // The opt-out stays.
      assert.equal((await send(number)).body.code, 'recipient_opted_out')
      const told = (await gateway.store.events(0, 100_000)).filter(({ type }) => type === 'person.erased')
      assert.deepEqual(told.at(-1)!.data, { messages: 4, received: 2, files: 1 })
      // Again: nothing is left. Two forgotten people do not get into each other's way.
      assert.deepEqual((await ask('DELETE', `/people/${number}`)).body.data, {
        messages: 0,
        received: 0,
        files: 0,
      })
      assert.equal((await ask('DELETE', '/people/+15550108001')).body.data.received, 1)
      assert.equal((await ask('DELETE', '/people/nobody')).status, 400)
    })
    test('what a device has of a forgotten person and has not answered for is not offered again', async () => {
      const number = '+15550110003'
      const { body } = await send(number)
      await until('the phone has it', async () => (await status(body.message_id)) === 'sending')
      assert.equal((await ask('DELETE', `/people/${number}`)).body.data.messages, 1)
      assert.equal(await status(body.message_id), 'unknown')
      const story = (await ask('GET', `/messages/${body.message_id}`)).body.data.timeline
      assert.equal(story.at(-1).reason.code, 'erased')
    })
    test('texts are forgotten, and later whole messages, when the environment wants it; what is unfinished stays', async () => {
      const number = '+15550109000'
      const old = (await send(number)).body.message_id
      await until('delivered', async () => (await status(old)) === 'delivered')
      await receive(number, 'an old text')
      assert.equal(
        (await ask('PATCH', '/settings', { forget_texts_after_days: 10, remove_after_days: 20 })).status,
        200,
      )
      const total = (await ask('GET', '/messages/received')).body.pagination.total
      const now = Date.now()
      gateway.clock.real = false
      gateway.clock.now = now + 9 * day
      await gateway.erasure.tidy()
      assert.equal((await ask('GET', `/messages/${old}`)).body.data.message, 'hello')
      gateway.clock.now = now + 11 * day
      const waiting = (await send(number, { send_at: new Date(gateway.clock.now + 30 * day).toISOString() }))
        .body.message_id
      while ((await gateway.erasure.tidy()) === 0);
      const blank = (await ask('GET', `/messages/${old}`)).body.data
      assert.deepEqual([blank.message, blank.to, blank.status], ['', number, 'delivered'])
      assert.equal((await ask('GET', '/messages/received')).body.data[0].message, '')
      assert.equal((await ask('GET', '/messages/received')).body.pagination.total, total)
      gateway.clock.now = now + 21 * day
      while ((await gateway.erasure.tidy()) === 0);
      assert.equal((await ask('GET', `/messages/${old}`)).body.code, 'message_not_found')
      assert.equal((await ask('GET', '/messages/received')).body.pagination.total, 0)
      // What is not finished is passed over, and does not hold up what comes behind it.
      let behind = ''
      // After so long a jump of the clock the phone counts as gone, until its link says that it is there.
      await until('it is accepted', async () => {
        behind = (await send('+15550109001')).body.message_id ?? ''
        return behind !== ''
      })
      await until('delivered', async () => (await status(behind)) === 'delivered')
      const text = async (id: string) => (await ask('GET', `/messages/${id}`)).body.data?.message
      gateway.clock.now += 11 * day
      while ((await gateway.erasure.tidy()) === 0);
      assert.equal(await text(behind), '')
      assert.equal(await text(waiting), 'hello')
      gateway.clock.now = now + 41 * day + 60_000
      await until('it was sent at last', async () => (await status(waiting)) === 'delivered')
      while ((await gateway.erasure.tidy()) === 0);
      assert.equal(await text(waiting), undefined)
      await receive(number, 'new')
      assert.equal((await ask('GET', '/messages/received')).body.pagination.total, 1)
      await ask('PATCH', '/settings', { forget_texts_after_days: null, remove_after_days: null })
      gateway.clock.real = true
    })
  })
