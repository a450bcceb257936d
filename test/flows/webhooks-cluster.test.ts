/** Two gateways on one database: each webhook is told by one of them, and the other takes over. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scopes } from '../../src/core/access/key.ts'
import { Catcher } from '../standins/catcher.ts'
import { databases, emptySqlite, scratch } from '../standins/databases.ts'
import { startGateway, until } from '../standins/gateway.ts'
import { startStaging } from '../standins/staging.ts'

test('a stop in the middle of a slow telling: what was not told is told after the next start', {
  timeout: 240_000,
}, async () => {
  const database = await emptySqlite()
  const catcher = new Catcher()
  const settings = { WEBHOOK_ALLOW_HOSTS: new URL(await catcher.start()).host, DATA_DIR: scratch() }
  const first = await startStaging({ database, settings })
  const sent = await Promise.all(
    Array.from({ length: 30 }, () => first.ask('POST', '/sms/send', { to: '+15550101234', message: 'x' })),
  )
  assert.ok(sent.every(({ status }) => status === 200))
  const isDelivered = async ({ body }: (typeof sent)[number]) =>
    (await first.gateway.store.message(2, body.message_id))?.status === 'delivered'
  await until('all are delivered', async () => (await Promise.all(sent.map(isDelivered))).every(Boolean))
  const hook = (await first.ask('POST', '/webhooks', { url: catcher.url, types: ['message.delivered'] })).body
    .data
  // All of them are told at once; the first one hangs, and those behind it are told.
  let slow: string | undefined
  catcher.manners = ({ event }) => {
    slow ??= event.id
    return event.id === slow ? 'hang' : 200
  }
  await first.ask('POST', `/webhooks/${hook.id}/replay`, { since: '2026-01-01' })
  await until('the others were told', () => catcher.caught.length >= 5)
  await first.stop()
  catcher.manners = () => 200
  const told = new Set<string>()
  catcher.onCaught = ({ event }) => void told.add(event.data.message_id)
  for (const { event } of catcher.caught) if (event.id !== slow) told.add(event.data.message_id)
  const second = await startGateway({ database, settings })
  await until('every one was told', () => sent.every(({ body }) => told.has(body.message_id)))
  await second.stop()
  catcher.stop()
})

for (const { name, empty } of databases)
  test(`two gateways on ${name} tell a webhook of each event once, and when one stops the other goes on`, async () => {
    const database = await empty()
    const catcher = new Catcher()
    const settings = { WEBHOOK_ALLOW_HOSTS: new URL(await catcher.start()).host, DATA_DIR: scratch() }
    const [a, b] = await Promise.all(['a', 'b'].map(node => startGateway({ database, settings, node })))
    const device = await a!.device('staging')
    const key = await a!.key('staging', { scopes })
    await until('online', async () => {
      await b!.fleet.refresh()
      return b!.fleet.member(device.id)?.online === true
    })
    const ask = (gateway: typeof a, path: string, body: object) =>
      gateway!.ask('POST', `/staging/api/v1${path}`, { key, body })
    const sent: string[] = []
    const send = async (gateway: typeof a) => {
      const { status, body } = await ask(gateway, '/sms/send', { to: '+15550101234', message: 'x' })
      assert.equal(status, 200, JSON.stringify(body))
      sent.push(body.message_id)
    }
    const hooks = await Promise.all(
      ['/1', '/2', '/3'].map(path =>
        ask(a, '/webhooks', { url: `${catcher.url}${path}`, types: ['message.delivered'] }),
      ),
    )
    const told = (path: string) => catcher.caught.filter(one => one.path === path)
    const all = () =>
      ['/1', '/2', '/3'].every(path => new Set(told(path).map(one => one.event.id)).size === sent.length)
    for (let n = 0; n < 20; n += 1) await send(n % 2 === 0 ? a : b)
    await until('all were told', all)
    for (const path of ['/1', '/2', '/3'])
      assert.equal(told(path).length, sent.length, `${path} was told twice`)
    const holders = await Promise.all(hooks.map(({ body }) => a!.store.webhook(2, body.data.id)))
    assert.ok(holders.every(one => one?.heldBy === 'a' || one?.heldBy === 'b'))
    await a!.stop()
    await until('the phone is with the other', async () => {
      await b!.fleet.refresh()
      return b!.fleet.member(device.id)?.online === true
    })
    for (let n = 0; n < 5; n += 1) await send(b)
    await until('all were told', all)
    await b!.stop()
    catcher.stop()
  })
