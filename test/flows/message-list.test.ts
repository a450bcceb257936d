/** Looking messages up: lists by what one knows of them, and the story of one. */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { databases } from '../standins/databases.ts'
import { type TestGateway, until } from '../standins/gateway.ts'
import { type Staging, startStaging } from '../standins/staging.ts'

for (const { name, empty } of databases)
  describe(`messages on ${name}`, () => {
    let gateway: TestGateway
    let ask: Staging['ask']
    let deviceId: string
    const sent: string[] = []
    before(async () => {
      ;({ gateway, ask, deviceId } = await startStaging({ database: await empty() }, { name: 'Pretend' }))
      for (let n = 0; n < 30; n += 1) {
        const { body } = await ask('POST', '/sms/send', {
          to: `+1555010${1000 + (n % 3)}`,
          message: `n ${n}`,
        })
        sent.push(body.message_id)
      }
      const fails = await ask('POST', '/sms/send', { to: '+15550100001', message: 'fails' })
      sent.push(fails.body.message_id)
      await until('all ended', async () => (await list('status=delivered&limit=100')).body.data.length === 30)
    })
    after(() => gateway.stop())
    const list = (query: string) => ask('GET', `/messages?${query}`)
    const all = async (query: string) => {
      const ids: string[] = []
      let cursor = ''
      for (;;) {
        const { status, body } = await list(`${query}${cursor}`)
        assert.equal(status, 200, JSON.stringify(body))
        ids.push(...body.data.map((one: { message_id: string }) => one.message_id))
        if (body.next_cursor === null) return ids
        cursor = `&cursor=${body.next_cursor}`
      }
    }
    const newestFirst = () => sent.toReversed()

    test('a walk through the pages meets every message once, newest first', async () => {
      assert.deepEqual(await all('limit=7'), newestFirst())
      assert.deepEqual(await all('limit=31'), newestFirst())
      assert.deepEqual(await all(''), newestFirst())
    })
    test('by state, device, recipient and batch, also together', async () => {
      assert.deepEqual(await all('status=failed'), [sent[30]])
      assert.deepEqual(await all('status=delivered&limit=4'), newestFirst().slice(1))
      assert.deepEqual(await all(`device_id=${deviceId}&limit=10`), newestFirst())
      assert.deepEqual(await all(`device_id=${randomUUID()}`), [])
      const third = newestFirst().filter((_, n) => n > 0 && (30 - n) % 3 === 1)
      assert.deepEqual(await all('to=%2B15550101001&limit=4'), third)
      // An unencoded + arrives as a blank.
      assert.deepEqual(await all('to=+15550101001'), third)
      assert.deepEqual(await all(`to=%2B15550101001&status=delivered&device_id=${deviceId}&limit=3`), third)
      assert.deepEqual(await all('to=%2B15550101001&status=failed'), [])
      const bulk = await ask('POST', '/sms/bulk', {
        recipients: ['+15550102001', '+15550102002'],
        message: 'b',
      })
      const { body } = await ask('GET', `/messages/${bulk.body.message_ids[0]}`)
      assert.deepEqual(
        await all(`batch_id=${body.data.batch_id}&limit=1`),
        bulk.body.message_ids.toReversed(),
      )
      sent.push(...bulk.body.message_ids)
    })
    test('by time, both ends included', async () => {
      const { body } = await list('limit=100')
      const [first, last] = [body.data[25], body.data[5]]
      const ids = await all(`since=${first.created_at}&until=${last.created_at}&limit=6`)
      const expected = body.data
        .filter(
          (one: { created_at: string }) =>
            one.created_at >= first.created_at && one.created_at <= last.created_at,
        )
        .map((one: { message_id: string }) => one.message_id)
      assert.deepEqual(ids, expected)
      assert.deepEqual(await all('until=2020-01-01'), [])
      assert.deepEqual(await all('since=2099-01-01'), [])
    })
    test('what is not a filter is refused, naming it', async () => {
      for (const [query, pointer] of [
        ['status=lost', '/status'],
        ['limit=0', '/limit'],
        ['limit=101', '/limit'],
        ['to=nobody', '/to'],
        ['device_id=x', '/device_id'],
        ['since=soon', '/since'],
        ['cursor=x', '/cursor'],
        ['cursor=eyJhIjoxfQ', '/cursor'],
        ['colour=red', '/colour'],
      ] as const) {
        const { status, body } = await list(query)
        assert.equal(status, 400, query)
        assert.equal(body.errors[0].pointer, pointer)
      }
    })
    test('another environment sees none of them', async () => {
      const other = await gateway.key('production')
      const listed = await gateway.ask('GET', '/api/v1/messages', { key: other })
      assert.deepEqual(listed.body.data, [])
      const one = await gateway.ask('GET', `/api/v1/messages/${sent[0]}`, { key: other })
      assert.equal(one.body.code, 'message_not_found')
    })
    test('the story of a message: why this device, each hand-over, each receipt with both times', async () => {
      const { body } = await ask('GET', `/messages/${sent[0]}`)
      const { timeline, ...record } = body.data
      assert.equal(record.status, 'delivered')
      assert.equal(record.message, 'n 0')
      assert.deepEqual(
        timeline.map((one: { sequence: number; status: string }) => [one.sequence, one.status]),
        [
          [1, 'queued'],
          [2, 'sending'],
          [3, 'sent'],
          [4, 'delivered'],
        ],
      )
      assert.equal(timeline[0].chosen.code, 'only_one')
      assert.equal(timeline[1].attempt, 1)
      assert.deepEqual(timeline[1].device, { id: deviceId, name: 'Pretend' })
      assert.equal(timeline[3].device_at, record.delivered_at)
      assert.ok(Date.parse(timeline[3].at))
    })
    test('the story tells which devices were passed over and why, and what an error means', async () => {
      const paused = await gateway.device('staging', { name: 'Paused' })
      await gateway.store.change(paused, { paused: true })
      const away = await gateway.device('staging', { name: 'Away', kind: 'android' })
      await gateway.store.presence(away.id, 'elsewhere', false)
      await until('the pause is seen', async () => {
        await gateway.fleet.refresh()
        return gateway.fleet.member(paused.id)?.device.paused === true
      })
      const { body: failed } = await ask('POST', '/sms/send', { to: '+15550100001', message: 'x' })
      await until(
        'it failed',
        async () => (await ask('GET', `/messages/${failed.message_id}`)).body.data.status === 'failed',
      )
      const { timeline, error } = (await ask('GET', `/messages/${failed.message_id}`)).body.data
      const passed = timeline[0].chosen.passed_over as {
        device: { name: string }
        code: string
        detail: string
      }[]
      assert.ok(
        passed.some(({ device, code }) => device.name === 'Paused' && ['paused', 'offline'].includes(code)),
      )
      assert.ok(passed.every(({ detail }) => detail.endsWith('.')))
      assert.equal(error.code, 'network_rejected')
      const last = timeline.at(-1)
      assert.equal(last.error.code, 'network_rejected')
      assert.equal(last.error.detail, 'The phone network refused the message.')
      assert.equal(last.error.retryable, true)
      const named = await ask('POST', '/sms/send', { to: '+15550101234', message: 'x', device_id: deviceId })
      const story = (await ask('GET', `/messages/${named.body.message_id}`)).body.data.timeline
      assert.equal(story[0].chosen.code, 'named')
    })
    test('a few that wait behind thousands that have ended are on the first page', async () => {
      const slow = await gateway.device('staging', { name: 'Slow', perMinute: 1 })
      await gateway.fleet.refresh()
      const send = async (to: string) =>
        (await ask('POST', '/sms/send', { to, message: 'slow', device_id: slow.id })).body.message_id
      const first = await send('+15550107001')
      const waiting = [await send('+15550107002'), await send('+15550107003')]
      const recipients = Array.from({ length: 100 }, (_, n) => `+1555011${1000 + n}`)
      for (let n = 0; n < 25; n += 1)
        await ask('POST', '/sms/bulk', { recipients, message: 'quick', device_id: deviceId })
      await until('they have ended', async () => (await all('status=queued&limit=100')).length === 2)
      const { body } = await list('status=queued&limit=100')
      assert.deepEqual(
        [body.data.map((one: { message_id: string }) => one.message_id), body.next_cursor],
        [waiting.toReversed(), null],
      )
      assert.ok(!(await all('status=sending')).includes(first))
    })
  })
