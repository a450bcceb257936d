/** A backup put back in the place of what is there. */

import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { scopes } from '../../src/core/access/key.ts'
import { backup, restore } from '../../src/store/backup.ts'
import { openStore } from '../../src/store/open.ts'
import { Catcher } from '../standins/catcher.ts'
import { databases, scratch } from '../standins/databases.ts'
import { startGateway, until } from '../standins/gateway.ts'
import { freePort } from '../standins/port.ts'
import { Program } from '../standins/program.ts'

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
    const send_at = new Date(Date.now() + 6_000).toISOString()
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

test('a restore without its secret key is said at once, not by every webhook later on', async () => {
  const folder = mkdtempSync(join(scratch(), 'key-'))
  const place = (name: string) => join(folder, name)
  const port = String(await freePort())
  const on = (name: string) => new Program({ DATA_DIR: place(name), PORT: port })
  const serveAndStop = async (program: Program) => {
    const gateway = await program.serve()
    gateway.kill('SIGTERM')
    await new Promise(resolve => gateway.once('exit', resolve))
  }
  await serveAndStop(on('old'))
  await on('old').json('webhooks add --url https://example.org/x')
  await on('old').json(`backup ${place('backup.db')}`)
  const restored = await on('new').json(`restore ${place('backup.db')}`)
  assert.equal(restored.secret_key, 'missing')
  assert.match(restored.warning, /secret\.key[\s\S]*secrets reset/)
  assert.ok(!existsSync(join(place('new'), 'secret.key')), 'a key was made that fits nothing')
  const refused = await on('new').run('serve')
  assert.equal(refused.code, 2)
  assert.match(
    refused.error,
    /SECRET_KEY: the secrets in the database were sealed with a key that is not there/,
  )
  const findings = await on('new').json('doctor')
  assert.ok(
    findings.some(
      ({ check, result }: { check: string; result: string }) => check === 'secret key' && result === 'broken',
    ),
  )

  copyFileSync(join(place('old'), 'secret.key'), join(place('new'), 'secret.key'))
  await serveAndStop(on('new'))

  // Another key than the right one is as bad as none; and who has lost it can go on.
  mkdirSync(place('lost'), { recursive: true })
  const wrong = new Program({ DATA_DIR: place('lost'), PORT: port, SECRET_KEY: 'sixteen characters' })
  assert.equal((await wrong.json(`restore ${place('backup.db')}`)).secret_key, 'wrong')
  assert.equal((await wrong.run('serve')).code, 2)
  assert.equal((await wrong.run('secrets reset')).code, 4)
  const { webhooks } = await wrong.json('secrets reset --yes')
  assert.match(webhooks[0].secret, /^whsec_/)
  await serveAndStop(wrong)

  // Nobody else on the machine reads any of it.
  for (const file of ['old/basestation.db', 'old/secret.key', 'backup.db', 'lost/basestation.db'])
    assert.equal(statSync(place(file)).mode & 0o077, 0, file)
})
