/** Webhooks: every event reaches every address that wants it, signed, at least once. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ajv } from 'ajv'
import { scopes } from '../../src/core/access/key.ts'
import { Catcher, verify } from '../standins/catcher.ts'
import { databases } from '../standins/databases.ts'
import { type TestGateway, until } from '../standins/gateway.ts'
import { type Staging, startStaging } from '../standins/staging.ts'

const hour = 3_600_000

const document = join(import.meta.dirname, '../../openapi.json')

for (const { name, empty } of databases)
  describe(`webhooks on ${name}`, () => {
    let gateway: TestGateway
    let ask: Staging['ask']
    let deviceId: string
    const catcher = new Catcher()
    before(async () => {
      const url = await catcher.start()
      const settings = { WEBHOOK_ALLOW_HOSTS: new URL(url).host }
      ;({ gateway, ask, deviceId } = await startStaging({ database: await empty(), settings }))
    })
    after(async () => {
      await gateway.stop()
      catcher.stop()
    })
    const send = async (to = '+15550101234') =>
      (await ask('POST', '/sms/send', { to, message: 'hello' })).body.message_id as string
    const add = async (path: string, more: object = {}) => {
      const { status, body } = await ask('POST', '/webhooks', { url: `${catcher.url}${path}`, ...more })
      assert.equal(status, 201, JSON.stringify(body))
      return body.data as { id: string; secret: string }
    }
    const caught = (path: string) => catcher.caught.filter(one => one.path === path)
    const at = (ms: number) => {
      gateway.clock.real = false
      gateway.clock.now = ms
    }

    test('every event of a message comes, signed so that the published library agrees', async () => {
      const { id, secret } = await add('/all')
      assert.match(secret, /^whsec_[A-Za-z0-9+/]+=*$/)
      const message = await send()
      const mine = () => caught('/all').filter(({ event }) => event.data.message_id === message)
      await until('all four came', () => mine().length === 4)
      assert.deepEqual(
        mine()
          .map(({ event }) => [event.sequence, event.type])
          .sort(),
        [
          [1, 'message.queued'],
          [2, 'message.sending'],
          [3, 'message.sent'],
          [4, 'message.delivered'],
        ],
      )
      await ask('POST', `/webhooks/${id}/test`)
      assert.ok(caught('/all').some(({ event }) => event.type === 'webhook.test'))
      const documented = JSON.parse(readFileSync(document, 'utf8')).webhooks.event.post
      const ajv = new Ajv({ strict: false, validateFormats: false })
      ajv.addSchema(JSON.parse(readFileSync(document, 'utf8')), 'openapi')
      const place = 'webhooks/event/post/requestBody/content/application~1json/schema'
      const fits = ajv.compile({ $ref: `openapi#/${place}` })
      for (const one of caught('/all')) {
        verify(secret, one)
        assert.equal(one.headers['webhook-id'], one.event.id)
        for (const { name } of documented.parameters) assert.ok(one.headers[name], name)
        assert.ok(fits(one.event), JSON.stringify(fits.errors))
        assert.throws(() => verify(`whsec_${Buffer.alloc(32, 7).toString('base64')}`, one))
      }
      // The same rows under the same ids as in the list.
      const { body } = await ask('GET', '/events?types=message.delivered&limit=500')
      const listed = body.data.find(
        (one: { data: { message_id: string } }) => one.data.message_id === message,
      )
      assert.deepEqual(mine().find(({ event }) => event.type === 'message.delivered')!.event, listed)
      assert.equal((await ask('GET', `/webhooks/${id}`)).body.data.secret, undefined)
      await ask('DELETE', `/webhooks/${id}`)
    })
    test('only the types and the device that it wants', async () => {
      const { id } = await add('/some', {
        types: ['message.delivered', 'message.failed'],
        device_id: deviceId,
      })
      const other = await add('/none', {
        device_id: (await gateway.device('staging', { name: 'Other' })).id,
        types: ['message.delivered'],
      })
      const message = await send()
      await until('it came', () => caught('/some').length === 1)
      assert.equal(caught('/some')[0]!.event.data.message_id, message)
      await sleep(100)
      assert.equal(caught('/none').length, 0)
      for (const one of [id, other.id]) await ask('DELETE', `/webhooks/${one}`)
    })
    test('what is not an address, a type or a device is refused, and nothing is added', async () => {
      const bad: [object, string][] = [
        [{ url: 'nonsense' }, 'invalid_request'],
        [{ url: 'ftp://example.org/' }, 'invalid_request'],
        [{ url: 'http://example.org/' }, 'invalid_request'],
        [{ url: 'https://user:secret@example.org/' }, 'invalid_request'],
        [{ url: 'https://127.0.0.1/' }, 'webhook_url_blocked'],
        [{ url: 'https://2130706433/' }, 'webhook_url_blocked'],
        [{ url: 'https://[::ffff:10.0.0.1]/' }, 'webhook_url_blocked'],
        [{ url: 'https://localhost/' }, 'webhook_url_blocked'],
        [{ url: catcher.url, types: [] }, 'invalid_request'],
        [{ url: catcher.url, types: ['message.lost'] }, 'invalid_request'],
        [{ url: catcher.url, device_id: '00000000-0000-4000-8000-000000000000' }, 'invalid_device'],
        [{ url: catcher.url, colour: 'red' }, 'unknown_field'],
        [{}, 'invalid_request'],
      ]
      for (const [body, code] of bad) {
        const answer = await ask('POST', '/webhooks', body)
        assert.equal(answer.status, 400, JSON.stringify(body))
        assert.equal(answer.body.code, code, JSON.stringify(body))
      }
      assert.deepEqual((await ask('GET', '/webhooks')).body.data, [])
      const other = await gateway.key('production', { scopes })
      const { id } = await add('/mine')
      assert.equal(
        (await gateway.ask('GET', `/api/v1/webhooks/${id}`, { key: other })).body.code,
        'webhook_not_found',
      )
      await ask('DELETE', `/webhooks/${id}`)
      assert.equal((await ask('GET', `/webhooks/${id}`)).body.code, 'webhook_not_found')
    })
    test('a new secret: both sign for a while, then the new one alone', async () => {
      const { id, secret } = await add('/rotate', { types: ['message.delivered'] })
      const { body } = await ask('POST', `/webhooks/${id}/rotate`, { overlap_hours: 1 })
      assert.notEqual(body.data.secret, secret)
      await send()
      await until('it came', () => caught('/rotate').length === 1)
      verify(secret, caught('/rotate')[0]!)
      verify(body.data.secret, caught('/rotate')[0]!)
      await ask('POST', `/webhooks/${id}/rotate`, { overlap_hours: 0 })
      await send()
      await until('it came', () => caught('/rotate').length === 2)
      assert.throws(() => verify(secret, caught('/rotate')[1]!))
      assert.throws(() => verify(body.data.secret, caught('/rotate')[1]!))
      await ask('DELETE', `/webhooks/${id}`)
    })
    test('a failure is tried again after 5 s, 5 min, 30 min … ten times in all, under the same id; the log tells it', async () => {
      const { id } = await add('/fails', { types: ['message.delivered'] })
      catcher.manners = ({ path }) => (path === '/fails' ? 500 : 200)
      let now = Date.now()
      at(now)
      await send()
      await until('the first came', () => caught('/fails').length === 1)
      const gaps = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
      for (const [index, seconds] of gaps.entries()) {
        const tried = index + 1
        await until('it is noted', async () => (await log(id))?.attempts === tried)
        const due = Date.parse((await log(id)).next_attempt_at)
        assert.ok(due >= now + seconds * 1_000, `${tried}: too early`)
        assert.ok(due <= now + seconds * 1_200 + 1, `${tried}: too late`)
        // Not a moment earlier.
        at(due - 1)
        await sleep(30)
        assert.equal(caught('/fails').length, tried)
        now = due
        at(now)
        await until(`attempt ${tried + 1}`, () => caught('/fails').length === tried + 1)
      }
      await until('it is given up', async () => (await log(id)).state === 'failed')
      const told = await log(id)
      assert.equal(told.next_attempt_at, null)
      assert.equal(told.log.length, 10)
      assert.equal(told.log[0].status, 500)
      assert.equal(told.log[0].answer, 'thanks')
      assert.equal(told.log[0].url, `${catcher.url}/fails`)
      assert.equal(new Set(catcher.ids('/fails')).size, 1)
      assert.equal(told.event_type, 'message.delivered')
      const one = await ask('GET', `/webhooks/${id}/deliveries/${told.event_id}`)
      assert.deepEqual(one.body.data.event, caught('/fails')[0]!.event)
      // Somebody mended it, and replays the one that was lost.
      catcher.manners = () => 200
      assert.equal((await ask('POST', `/webhooks/${id}/deliveries/${told.event_id}/replay`)).status, 200)
      await until('it is delivered', async () => (await log(id)).state === 'delivered')
      assert.equal(caught('/fails').length, 11)
      await ask('DELETE', `/webhooks/${id}`)
      gateway.clock.real = true
    })
    const log = async (id: string) => (await ask('GET', `/webhooks/${id}/deliveries`)).body.data[0]

    test('Retry-After is obeyed, redirects are failures, 410 ends it with an event', async () => {
      const watcher = await add('/watcher', { types: ['webhook.disabled'] })
      const { id } = await add('/odd', { types: ['message.delivered'] })
      catcher.manners = ({ path }, response) => {
        if (path !== '/odd') return 200
        response.setHeader('retry-after', '600')
        return 503
      }
      await send()
      await until('it is noted', async () => (await log(id))?.attempts === 1)
      const asked = await log(id)
      assert.ok(Date.parse(asked.next_attempt_at) >= Date.parse(asked.last_attempt_at) + 600_000)
      const { rests_until } = (await ask('GET', `/webhooks/${id}`)).body.data
      assert.ok(Date.parse(rests_until) > Date.now() + 500_000)
      // A changed address is tried at once.
      catcher.manners = ({ path }, response) => {
        if (path !== '/moved') return 200
        response.setHeader('location', '/elsewhere')
        return 302
      }
      await ask('PATCH', `/webhooks/${id}`, { url: `${catcher.url}/moved` })
      await send()
      await until('it came', () => caught('/moved').length > 0)
      await until('it is noted', async () => (await log(id)).log.at(-1)?.status === 302)
      assert.match((await log(id)).log.at(-1).error, /redirects are not followed/)
      assert.equal(caught('/elsewhere').length, 0)
      catcher.manners = ({ path }) => (path === '/gone' ? 410 : 200)
      await ask('PATCH', `/webhooks/${id}`, { url: `${catcher.url}/gone` })
      await send()
      await until('it is off', async () => (await ask('GET', `/webhooks/${id}`)).body.data.enabled === false)
      assert.equal((await ask('GET', `/webhooks/${id}`)).body.data.disabled_reason, 'gone')
      await until('others are told', () => caught('/watcher').length === 1)
      assert.deepEqual(caught('/watcher')[0]!.event.data, { id, url: catcher.url, reason: 'gone' })
      const was = caught('/gone').length
      await send()
      await sleep(200)
      assert.equal(caught('/gone').length, was)
      // Switched on again it hears what is new.
      catcher.manners = () => 200
      await ask('PATCH', `/webhooks/${id}`, { enabled: true, url: `${catcher.url}/back` })
      const message = await send()
      await until('it hears again', () =>
        caught('/back').some(({ event }) => event.data.message_id === message),
      )
      for (const one of [id, watcher.id]) await ask('DELETE', `/webhooks/${one}`)
    })
    test('a short Retry-After rests for that long, whatever step the event is at', async () => {
      const { id } = await add('/busy', { types: ['message.delivered'] })
      catcher.manners = ({ path }, response) => {
        if (path !== '/busy') return 200
        response.setHeader('retry-after', '1')
        return 503
      }
      let now = Date.now()
      at(now)
      await send()
      for (let tried = 1; tried <= 4; tried += 1) {
        await until('it is noted', async () => (await log(id))?.attempts === tried)
        const { rests_until } = (await ask('GET', `/webhooks/${id}`)).body.data
        assert.equal(Date.parse(rests_until), now + 1_000)
        now = Date.parse((await log(id)).next_attempt_at)
        at(now)
      }
      gateway.clock.real = true
      await ask('DELETE', `/webhooks/${id}`)
      catcher.manners = () => 200
    })
    test('what an address answers that was changed meanwhile does not end the new one', async () => {
      const { id } = await add('/old', { types: ['message.delivered'] })
      let answer = () => {}
      catcher.manners = ({ path }, response) => {
        if (path !== '/old') return 200
        answer = () => response.writeHead(410).end()
        return 'own'
      }
      await send()
      await until('it was asked', () => caught('/old').length === 1)
      await ask('PATCH', `/webhooks/${id}`, { url: `${catcher.url}/new` })
      answer()
      const message = await send()
      await until('the new one hears', () =>
        caught('/new').some(({ event }) => event.data.message_id === message),
      )
      assert.equal((await ask('GET', `/webhooks/${id}`)).body.data.enabled, true)
      await ask('DELETE', `/webhooks/${id}`)
      catcher.manners = () => 200
    })
    test('one that is switched off is not replayed to, and ids that are none are not found', async () => {
      const { id } = await add('/off')
      await ask('PATCH', `/webhooks/${id}`, { enabled: false })
      assert.equal((await ask('POST', `/webhooks/${id}/replay`, { since: '2026-01-01' })).status, 400)
      for (const bad of ['x', '%00', '..%2f', id.slice(1)])
        assert.equal((await ask('GET', `/webhooks/${bad}`)).status, 404, bad)
      await ask('DELETE', `/webhooks/${id}`)
      await until('its log is cleared', async () => (await gateway.store.clearRemoved(100)) === 0)
    })
    test('five days of nothing but failures switch it off, with an event; one success in between does not', async () => {
      const { id } = await add('/dead', { types: ['message.delivered'] })
      const enabled = async () => (await ask('GET', `/webhooks/${id}`)).body.data
      catcher.manners = ({ path }) => (path === '/dead' ? 500 : 200)
      const start = Date.now()
      at(start)
      await send()
      await until('it fails', async () => (await enabled()).failing_since !== null)
      at(start + 100 * hour)
      await send()
      await until('it fails again', () => new Set(catcher.ids('/dead')).size === 2)
      assert.equal((await enabled()).enabled, true)
      at(start + 121 * hour)
      await send()
      await until('it is off', async () => (await enabled()).disabled_reason === 'failing')
      const told = (await gateway.store.events(0, 100_000)).filter(({ type }) => type === 'webhook.disabled')
      assert.deepEqual(told.at(-1)!.data, { id, url: catcher.url, reason: 'failing' })
      await ask('DELETE', `/webhooks/${id}`)
      catcher.manners = () => 200
      gateway.clock.real = true
    })
    test('one that hangs and one that is dead delay no other', async () => {
      catcher.manners = ({ path }) => (path === '/hangs' ? 'hang' : path === '/broken' ? 500 : 200)
      const ids = [await add('/hangs'), await add('/broken'), await add('/well')].map(one => one.id)
      const messages = await Promise.all(Array.from({ length: 30 }, () => send()))
      await until('the healthy one has all', () => {
        const delivered = caught('/well').filter(({ event }) => event.type === 'message.delivered')
        return messages.every(id => delivered.some(({ event }) => event.data.message_id === id))
      })
      for (const id of ids) await ask('DELETE', `/webhooks/${id}`)
      catcher.manners = () => 200
    })
    test('a replay tells everything of a time once more, under the same ids', async () => {
      const { id } = await add('/replay', { types: ['message.delivered'] })
      const messages = [await send(), await send(), await send()]
      await until('they came', () => caught('/replay').length === 3)
      const first = new Set(catcher.ids('/replay'))
      const since = new Date(Date.parse(caught('/replay')[0]!.event.created_at) - 1_000).toISOString()
      assert.equal((await ask('POST', `/webhooks/${id}/replay`, { since })).status, 200)
      await until('they came again', () =>
        messages.every(
          message => caught('/replay').filter(({ event }) => event.data.message_id === message).length === 2,
        ),
      )
      assert.ok([...first].every(one => catcher.ids('/replay').filter(other => other === one).length === 2))
      assert.equal((await ask('POST', `/webhooks/${id}/replay`, { since: 'soon' })).status, 400)
      await ask('DELETE', `/webhooks/${id}`)
    })
    test('a test event says what came back', async () => {
      const { id, secret } = await add('/test')
      const good = await ask('POST', `/webhooks/${id}/test`)
      assert.equal(good.body.data.status, 200)
      assert.equal(good.body.data.error, null)
      const tested = caught('/test').find(({ event }) => event.type === 'webhook.test')!
      verify(secret, tested)
      await ask('PATCH', `/webhooks/${id}`, { url: 'https://name-that-does-not-exist.invalid/' })
      const bad = await ask('POST', `/webhooks/${id}/test`)
      assert.equal(bad.body.data.status, null)
      assert.ok(bad.body.data.error.length > 0)
      await ask('DELETE', `/webhooks/${id}`)
    })
  })
