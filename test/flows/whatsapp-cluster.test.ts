/**
 * A WhatsApp number on three gateways, the one that has it paused or killed again and again: it is logged in once at a
 * time, changes hands within seconds, and every message that was sent can be read. FAULTS chooses how often.
 */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { deviceLease } from '../../src/core/nodes/lease.ts'
import { openSealer } from '../../src/secrets/secret-key.ts'
import { openStore } from '../../src/store/open.ts'
import { linkNumber } from '../../src/wiring/link-number.ts'
import { ClusterNode } from '../standins/cluster.ts'
import { scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { emptyPostgres } from '../standins/postgres.ts'
import { addKey } from '../standins/seed.ts'
import { WhatsAppStandin } from '../standins/whatsapp/server.ts'
import { noSafety } from '../standins/whatsapp/world.ts'

/** More with `FAULTS=300`, as npm run torture does. */
const faults = Number(process.env.FAULTS ?? 2)
const log = { debug() {}, info() {}, warn() {}, error() {} }

test(`a WhatsApp number on three gateways, the one that has it paused or killed ${faults} times: one login at a time, and every message is read`, {
  timeout: 180_000 + faults * 60_000,
}, async () => {
  const server = new WhatsAppStandin()
  const url = await server.start()
  const account = server.add({ phone: '15550001000', lid: '900000000001', name: 'Shop' })
  const contact = server.add({ phone: '15550002000', lid: '900000000100', name: 'Contact' })
  const database = await emptyPostgres()
  const folder = scratch()
  const store = await openStore(database)
  const key = await addKey(store, 'production')
  const config = readConfig({ DATABASE_URL: database, DATA_DIR: folder, WHATSAPP_WS_URL: url })
  const steps = linkNumber(
    {
      store,
      config,
      sealer: await openSealer(store, config),
      log,
      now: Date.now,
      signal: AbortSignal.timeout(90_000),
    },
    { environmentId: 1, name: 'Shop' },
    false,
  )
  for await (const step of steps) {
    if (step.step === 'qr') server.scan(step.qr, account)
    if (step.step === 'linked') await store.change(step.device, { safety: noSafety })
  }
  const [device] = await store.allDevices()
  let logins = 0
  server.on('login', () => {
    logins += 1
  })
  const nodes = await Promise.all(
    ['a', 'b', 'c'].map(name =>
      ClusterNode.of(name, {
        database,
        ledger: join(folder, 'ledger'),
        environment: { WHATSAPP_WS_URL: url },
      }),
    ),
  )
  const answered: string[] = []
  const times: string[] = []
  let over = false
  const sender = async () => {
    for (let count = 0; !over; count += 1) {
      const well = nodes.filter(({ isPaused }) => !isPaused)
      const response = await fetch(`${well[count % well.length]!.url}/api/v1/sms/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to: `+${contact.phone}`, message: `out ${count}` }),
        signal: AbortSignal.timeout(20_000),
      }).catch(() => undefined)
      if (response?.ok) answered.push(((await response.json()) as { message_id: string }).message_id)
      await sleep(50)
    }
  }
  const holder = async () => (await store.leases()).find(({ name }) => name === deviceLease(device!.id))?.node
  try {
    await Promise.all(nodes.map(node => node.start()))
    await until('logged in', () => logins > 0)
    await until('its keys are known', () => account.companions.get(1)?.signedKey !== undefined)
    await sleep(2_000)
    assert.equal(logins, 1, 'all of them logged in')
    const work = sender()
    for (let fault = 0; fault < faults; fault += 1) {
      const sofar = server.outgoing.length
      await until('messages are on their way', () => server.outgoing.length > sofar + 5)
      const held = await holder()
      const victim = nodes.find(({ node }) => node === held)!
      const isPause = fault % 2 === 0
      const before: number = logins
      const begun = performance.now()
      if (isPause) victim.pause()
      else {
        victim.isPaused = true
        await victim.kill()
      }
      await until('another has the number', () => logins > before)
      const took = performance.now() - begun
      const out = server.outgoing.length
      await until('it sends', () => server.outgoing.length > out)
      times.push(
        `${isPause ? 'pause' : 'kill'} ${(took / 1_000).toFixed(1)}/${((performance.now() - begun) / 1_000).toFixed(1)} s`,
      )
      if (isPause) victim.resume()
      else await victim.start()
      await sleep(3_000)
      assert.equal(logins, before + 1, `${victim.node} logged in when it came back`)
    }
    over = true
    await work
    const open = new Set(answered)
    await until('every accepted message ends', async () => {
      for (const id of open) {
        const { status } = (await store.message(1, id))!
        if (status !== 'queued' && status !== 'sending') open.delete(id)
      }
      return open.size === 0
    })
    const messages = await Promise.all(answered.map(id => store.message(1, id)))
    const read = Map.groupBy(
      contact.received,
      ({ message }) => message.extendedTextMessage?.text ?? message.conversation ?? '',
    )
    const never = messages.filter(message => !read.has(message!.text))
    assert.deepEqual(
      never.map(message => [message!.text, message!.status]),
      [],
      'never read',
    )
    const twice = [...read].filter(([, copies]) => new Set(copies.map(({ id }) => id)).size > 1)
    assert.deepEqual(
      twice.map(([text]) => text),
      [],
      'read twice',
    )
    console.log(`${answered.length} sent and read; logged in/sending at another after ${times.join(', ')}`)
  } finally {
    over = true
    for (const node of nodes) node.end()
    await store.close()
    server.stop()
  }
})
