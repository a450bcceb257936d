/** A backup put back in the place of what is there. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { scopes } from '../../src/core/key.ts'
import { backup, restore } from '../../src/store/backup.ts'
import { openStore } from '../../src/store/open.ts'
import { Catcher } from '../standins/catcher.ts'
import { databases, scratch } from '../standins/databases.ts'
import { startGateway, until } from '../standins/gateway.ts'

for (const { name, empty } of databases)
  test(`a restore on ${name} keeps opt-outs and webhooks, holds what was scheduled, and never gives an event's number twice`, async () => {
    const database = await empty()
    const catcher = new Catcher()
    const settings = { WEBHOOK_ALLOW_HOSTS: new URL(await catcher.start()).host }
    const gateway = await startGateway({ database, settings })
    const device = await gateway.device('staging')
    const key = await gateway.key('staging', { scopes })
    const ask = (path: string, body: object) => gateway.ask('POST', `/staging/api/v1${path}`, { key, body })
    await gateway.fleet.refresh()
    await ask('/opt-outs', { number: '+15550101111' })
    const hook = (await ask('/webhooks', { url: `${catcher.url}/x` })).body.data
    const send_at = new Date(Date.now() + 2_000).toISOString()
    const { body } = await ask('/sms/send', { to: '+15550102222', message: 'x', send_at })
    const file = join(scratch(), `${name}.restore`)
    await backup(database, file, Date.now)
    // What is there now must not get in the way: secrets of links, and what webhooks answered.
    await gateway.store.vaultWrite(device.id, [{ type: 't', id: 'i', value: 'v' }])
    await until('the webhook was told', () => catcher.caught.length > 0)
    const head = await gateway.store.journalHead()
    await gateway.stop()
    const { held } = await restore(database, file, Date.now)
    assert.equal(held, 1)
    const store = await openStore(database, { now: Date.now })
    assert.ok((await store.journalHead()) > head + 1_000_000)
    assert.deepEqual(await store.optedOut(2, ['+15550101111', '+15550103333']), new Set(['+15550101111']))
    assert.equal((await store.webhook(2, hook.id))!.url, `${catcher.url}/x`)
    assert.deepEqual(await store.fallDue(100), [])
    assert.equal((await store.message(2, body.message_id))!.status, 'scheduled')
    assert.deepEqual(await store.unhold(100), { queued: 1, taken: 0 })
    await until('its time has come', async () => (await store.fallDue(100)).length === 1)
    await store.close()
    catcher.stop()
  })
