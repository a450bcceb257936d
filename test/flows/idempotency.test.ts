/** `Idempotency-Key`: one effect, one answer, however often a client asks. */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { hintOf, scopes } from '../../src/core/access/key.ts'
import { databases } from '../standins/databases.ts'
import { startGateway, type TestGateway } from '../standins/gateway.ts'

const send = '/api/v1/sms/send'
const draft = { to: '+15550101234', message: 'hello' }

for (const { name, empty } of databases)
  describe(`idempotency on ${name}`, () => {
    let gateway: TestGateway
    let key: string
    let database: string
    before(async () => {
      database = await empty()
      gateway = await startGateway({ database })
      await gateway.device('production')
      key = await gateway.key('production', { scopes })
      await gateway.fleet.refresh()
    })
    after(() => gateway.stop())
    const ask = (body: unknown, idempotencyKey: string, path = send) =>
      gateway.ask('POST', path, { key, body, headers: { 'idempotency-key': idempotencyKey } })
    const count = async () =>
      (await gateway.store.events(0, 100_000)).filter(({ type, n }) => type === 'message.queued' && n === 1)
        .length

    test('the same request again gets the same answer, byte for byte, and sends nothing', async () => {
      const id = randomUUID()
      const was = await count()
      const first = await ask(draft, id)
      assert.equal(first.status, 200)
      assert.equal(first.headers.get('idempotent-replayed'), null)
      const second = await ask({ message: 'hello', to: '+15550101234' }, id)
      assert.equal(second.status, 200)
      assert.equal(second.headers.get('idempotent-replayed'), 'true')
      assert.match(second.headers.get('content-type')!, /^application\/json/)
      assert.equal(second.text, first.text)
      // The other path is the same operation.
      assert.equal((await ask(draft, id, '/api/v1/message/send')).text, first.text)
      assert.equal(await count(), was + 1)
    })
    test('another request under the same key is refused and sends nothing', async () => {
      const id = randomUUID()
      await ask(draft, id)
      const was = await count()
      const other = await ask({ ...draft, message: 'other' }, id)
      assert.equal(other.status, 422)
      assert.equal(other.body.code, 'idempotency_key_reused')
      assert.equal(await count(), was)
      // Another operation has keys of its own.
      const bulk = await ask({ recipients: [draft.to], message: 'hello' }, id, '/api/v1/sms/bulk')
      assert.equal(bulk.status, 200)
    })
    test('a refusal leaves the key free', async () => {
      const id = randomUUID()
      assert.equal((await ask({ ...draft, to: 'nobody' }, id)).status, 400)
      assert.equal((await ask(draft, id)).status, 200)
    })
    test('a key that is empty, too long or not printable is refused', async () => {
      for (const bad of ['', 'x'.repeat(256), 'ä'])
        assert.equal((await ask(draft, bad)).body.code, 'invalid_request', bad)
      assert.equal((await ask(draft, 'x'.repeat(255))).status, 200)
    })
    test('after a day the key stands for a new request', async () => {
      const id = randomUUID()
      const first = await ask(draft, id)
      gateway.clock.real = false
      gateway.clock.now = Date.now() + 24 * 3_600_000 + 1
      const later = await ask({ ...draft, message: 'a day later' }, id)
      assert.equal(later.status, 200)
      assert.notEqual(later.body.message_id, first.body.message_id)
      assert.equal((await ask({ ...draft, message: 'a day later' }, id)).text, later.text)
      assert.ok((await gateway.store.forgetAnswers(1_000)) >= 1)
      assert.equal((await ask({ ...draft, message: 'a day later' }, id)).text, later.text)
      gateway.clock.real = true
    })
    test('1,000 parallel sends with 100 keys, 10 each: 100 messages, and each key has one answer', async () => {
      const was = await count()
      const keys = Array.from({ length: 100 }, () => randomUUID())
      const answers = await Promise.all(
        Array.from({ length: 1_000 }, async (_, n) => {
          const answer = await ask({ ...draft, message: `n ${n % 100}` }, keys[n % 100]!)
          return { key: n % 100, ...answer }
        }),
      )
      assert.equal(await count(), was + 100)
      for (const { status, body } of answers)
        if (status !== 200) assert.equal(body.code, 'idempotency_in_progress')
      const good = Map.groupBy(
        answers.filter(({ status }) => status === 200),
        one => one.key,
      )
      assert.equal(good.size, 100)
      for (const same of good.values()) assert.equal(new Set(same.map(({ text }) => text)).size, 1)
    })
    test('of two gateways on one database only one carries a request out', async t => {
      const other = await startGateway({ database })
      t.after(() => other.stop())
      const was = await count()
      const keys = Array.from({ length: 50 }, () => randomUUID())
      const answers = await Promise.all(
        keys.flatMap(id =>
          [gateway, other].map(one =>
            one.ask('POST', send, { key, body: draft, headers: { 'idempotency-key': id } }),
          ),
        ),
      )
      assert.equal(await count(), was + 50)
      for (const { status, body } of answers)
        if (status !== 200) assert.equal(body.code, 'idempotency_in_progress')
    })
    test('every POST takes a key: cancel, preview, devices and their secrets', async () => {
      const { body } = await ask(
        { ...draft, send_at: new Date(Date.now() + 3_600_000).toISOString() },
        randomUUID(),
      )
      const id = randomUUID()
      const cancel = `/api/v1/messages/${body.message_id}/cancel`
      const canceled = await ask(undefined, id, cancel)
      assert.equal(canceled.status, 200, canceled.text)
      assert.equal((await ask(undefined, id, cancel)).text, canceled.text)

      const preview = await ask(draft, id, '/api/v1/messages/preview')
      assert.equal((await ask(draft, id, '/api/v1/messages/preview')).text, preview.text)

      const device = { kind: 'android', name: 'Twice' }
      const added = await ask(device, id, '/api/v1/devices')
      assert.equal(added.status, 201)
      const again = await ask(device, id, '/api/v1/devices')
      assert.equal(again.status, 201)
      assert.equal(again.text, added.text)
      const { token } = added.body.data.enrolment
      const keyId = (await gateway.store.allKeys()).find(one => one.hint === hintOf(key))!.id
      const kept = await gateway.store.keptAnswer({
        environmentId: (await gateway.environment('production')).id,
        operation: `addDevice by ${keyId}`,
        key: id,
      })
      assert.ok(!kept!.body.includes(token), 'a secret lies open in the database')
      assert.equal((await gateway.store.allDevices()).filter(one => one.name === 'Twice').length, 1)
    })
  })
