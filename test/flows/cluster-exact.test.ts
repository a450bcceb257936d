/** Three gateways on one PostgreSQL behave as one: limits and promises hold over all of them, whatever their clocks say. */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeviceDraft } from '../../src/core/devices/device-draft.ts'
import type { Store } from '../../src/core/store.ts'
import { openStore } from '../../src/store/open.ts'
import { ClusterNode } from '../standins/cluster.ts'
import { scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { emptyPostgres } from '../standins/postgres.ts'
import { addKey } from '../standins/seed.ts'

/** One node's clock is an hour ahead, another's an hour behind. */
const skews = [0, 3_600_000, -3_600_000]

describe('three gateways whose clocks differ by hours', () => {
  const ledger = join(scratch(), 'air')
  let store: Store
  let nodes: ClusterNode[] = []
  let key: string
  before(async () => {
    const database = await emptyPostgres()
    store = await openStore(database)
    nodes = await Promise.all(
      skews.map((skew, n) =>
        ClusterNode.of(`n${n}`, { database, ledger, environment: { CLOCK_SKEW_MS: String(skew) } }),
      ),
    )
    await Promise.all(nodes.map(node => node.start()))
    key = await addKey(store, 'staging')
  })
  after(async () => {
    for (const node of nodes) node.end()
    await store.close()
  })

  const addDevice = async (more: Partial<DeviceDraft> = {}) => {
    const draft = { kind: 'simulated', name: 'P', phone: '', perMinute: null, perDay: null } as const
    const device = await store.enrol({ environmentId: 2, ...draft, ...more })
    await until('online', async () =>
      (await store.allDevices()).some(({ id, online }) => id === device.id && online),
    )
    await sleep(600)
    return device
  }
  const ask = async (
    n: number,
    method: string,
    path: string,
    {
      body,
      headers,
      secret = key,
    }: { body?: object; headers?: Record<string, string>; secret?: string } = {},
  ) => {
    const response = await fetch(`${nodes[n % nodes.length]!.url}/staging/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${secret}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const aired = () => {
    try {
      return readFileSync(ledger, 'utf8').split('\n')
    } catch {
      return []
    }
  }

  test('a scheduled message goes out at its time, through whichever node it was asked for', async () => {
    const device = await addDevice()
    const due = Date.now() + 3_000
    const answers = await Promise.all(
      [0, 1, 2].map(n =>
        ask(n, 'POST', '/sms/send', {
          body: {
            to: `+1555010123${n}`,
            message: 'later',
            device_id: device.id,
            send_at: new Date(due).toISOString(),
          },
        }),
      ),
    )
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.code]),
      [
        [200, undefined],
        [200, undefined],
        [200, undefined],
      ],
    )
    const ids = answers.map(({ body }) => body.message_id as string)
    await until('they went out', async () => ids.every(id => aired().some(line => line.startsWith(id))))
    for (const id of ids) {
      const { handedAt, createdAt } = (await store.message(2, id))!
      assert.ok(handedAt! >= due, `${due - handedAt!} ms early`)
      assert.ok(Math.abs(createdAt - Date.now()) < 60_000, 'the time of the database')
    }
  })

  test('times of events never go back, and none is from another hour', async () => {
    const device = await addDevice()
    await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        ask(n, 'POST', '/sms/send', { body: { to: '+15550101237', message: 'x', device_id: device.id } }),
      ),
    )
    const times = (await store.events(0, 10_000)).map(({ at }) => at)
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    )
    assert.ok(times.every(at => Math.abs(at - Date.now()) < 300_000))
  })

  test('a rate limit holds over all nodes exactly', async () => {
    await addDevice()
    const secret = await addKey(store, 'staging', { rateLimit: 20 })
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        ask(n, 'POST', '/sms/send', { body: { to: '+15550101237', message: 'x' }, secret }),
      ),
    )
    const counts = Map.groupBy(answers, ({ status }) => status)
    assert.deepEqual([counts.get(200)?.length, counts.get(429)?.length], [20, 40])
  })

  test('a device is handed no more than its pace, whichever node it is asked through', async () => {
    const device = await addDevice({ perDay: 7 })
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const body = { to: '+15550101237', message: 'x', device_id: device.id }
        return (await ask(n, 'POST', '/sms/send', { body })).body.message_id as string
      }),
    )
    const handed = async () =>
      (await Promise.all(ids.map(id => store.message(2, id)))).filter(message => message!.status !== 'queued')
    await until('seven are handed over', async () => (await handed()).length === 7)
    await sleep(1_500)
    assert.equal((await handed()).length, 7)
  })

  test('a request repeated at other nodes under its Idempotency-Key has one effect', async () => {
    const device = await addDevice()
    const headers = { 'idempotency-key': randomUUID() }
    const body = { to: '+15550101237', message: 'once', device_id: device.id }
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, n) => ask(n, 'POST', '/sms/send', { body, headers })),
    )
    const again = await ask(1, 'POST', '/sms/send', { body, headers })
    const ids = new Set([...answers, again].flatMap(one => (one.status === 200 ? [one.body.message_id] : [])))
    assert.equal(ids.size, 1)
    assert.ok(
      answers.every(one => one.status === 200 || one.body.code === 'idempotency_in_progress'),
      JSON.stringify(answers.map(one => one.body)),
    )
    assert.equal(again.status, 200)
  })

  test('an opt-out at one node holds at the others at once', async () => {
    await addDevice()
    for (let n = 0; n < 6; n += 1) {
      const number = `+1555010${5_000 + n}`
      assert.equal((await ask(n, 'POST', '/opt-outs', { body: { number } })).status, 201)
      const refused = await ask(n + 1, 'POST', '/sms/send', { body: { to: number, message: 'x' } })
      assert.equal(refused.body.code, 'recipient_opted_out')
    }
  })

  test('a message canceled at one node while another hands it over is either canceled or sent, never both', async () => {
    const device = await addDevice()
    const ids = await Promise.all(
      Array.from({ length: 30 }, async (_, n) => {
        const body = { to: '+15550101237', message: 'x', device_id: device.id }
        const { body: sent } = await ask(n, 'POST', '/sms/send', { body })
        void ask(n + 1, 'POST', `/messages/${sent.message_id}/cancel`)
        return sent.message_id as string
      }),
    )
    await until('all have ended', async () => {
      const found = await Promise.all(ids.map(id => store.message(2, id)))
      return found.every(message => !['queued', 'sending'].includes(message!.status))
    })
    for (const id of ids) {
      const { status } = (await store.message(2, id))!
      const isAired = aired().some(line => line.startsWith(id))
      assert.equal(isAired, status !== 'canceled', `${id} is ${status}`)
    }
  })
})
