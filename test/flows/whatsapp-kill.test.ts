/** The gateway is killed (-9) again and again while a WhatsApp number sends and receives. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { hashSecret, hintOf, newSecret, sendAndRead } from '../../src/core/access/key.ts'
import { pageSize } from '../../src/core/inbox/received.ts'
import type { Store } from '../../src/core/store.ts'
import { whatsappIdOf } from '../../src/links/whatsapp/linked/outbox.ts'
import { openSealer } from '../../src/secrets/secret-key.ts'
import { openStore } from '../../src/store/open.ts'
import { linkNumber } from '../../src/wiring/link-number.ts'
import { databases, scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { KillableGateway, untilNextKill } from '../standins/killable-gateway.ts'
import { freePort } from '../standins/port.ts'
import { WhatsAppStandin } from '../standins/whatsapp/server.ts'
import { noSafety } from '../standins/whatsapp/world.ts'

/** More with `KILLS=100`, as npm run torture does. */
const rounds = Number(process.env.KILLS ?? 3)
/** What came while the gateway was down takes its time, the more of it the longer. */
const drainMs = 60_000 + rounds * 8_000
const mostBacklog = 500
const log = { debug() {}, info() {}, warn() {}, error() {} }

async function everythingReceived(store: Store): Promise<string[]> {
  const texts: string[] = []
  for (let page = 1; ; page += 1) {
    const { items } = await store.inbox(1, { page })
    texts.push(...items.map(({ text }) => text))
    if (items.length < pageSize) return texts
  }
}

for (const { name, empty } of databases)
  test(`killed ${rounds} times on ${name} while a WhatsApp number sends and receives: every accepted message ends, none goes out under two ids, every text is received once`, {
    timeout: 2 * drainMs + rounds * 5_000,
  }, async () => {
    const server = new WhatsAppStandin()
    const url = await server.start()
    const account = server.add({ phone: '15550001000', lid: '900000000001', name: 'Shop' })
    const contacts = Array.from({ length: 5 }, (_, n) =>
      server.add({ phone: `1555000200${n}`, lid: `90000000010${n}`, name: `Contact ${n}` }),
    )
    const database = await empty()
    const folder = scratch()
    const port = await freePort()
    const store = await openStore(database, { now: Date.now })
    const key = newSecret('production')
    const draft = { name: 'k', scopes: sendAndRead, allowedIps: [], expiresAt: null, createdBy: 'test' }
    await store.addKey({ ...draft, environmentId: 1, rateLimit: 1_000_000 }, hashSecret(key), hintOf(key))
    const config = readConfig({ DATABASE_URL: database, DATA_DIR: folder, WHATSAPP_WS_URL: url })
    const signal = AbortSignal.timeout(90_000)
    const steps = linkNumber(
      { store, config, sealer: await openSealer(store, config), log, now: Date.now, signal },
      { environmentId: 1, name: 'Shop' },
      false,
    )
    for await (const step of steps) {
      if (step.step === 'qr') server.scan(step.qr, account)
      if (step.step === 'linked') await store.change(step.device, { safety: noSafety })
    }

    const gateway = new KillableGateway({
      kills: rounds,
      database,
      ledger: join(folder, 'ledger'),
      port,
      environment: { WHATSAPP_WS_URL: url },
    })
    await gateway.start()
    try {
      await until('its keys are known', () => account.companions.get(1)?.signedKey !== undefined)
      const answered: string[] = []
      const written: string[] = []
      let over = false
      const sender = async () => {
        while (!over)
          try {
            const to = `+${contacts[answered.length % contacts.length]!.phone}`
            const response = await fetch(`http://127.0.0.1:${port}/api/v1/sms/send`, {
              method: 'POST',
              headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
              body: JSON.stringify({ to, message: `out ${answered.length}` }),
            })
            const body = (await response.json()) as { message_id: string }
            if (response.ok) answered.push(body.message_id)
            await sleep(40)
          } catch {
            await sleep(20)
          }
      }
      /** A gateway that is up for a second at a time may fall behind; nobody has thousands of unread messages. */
      const backlog = () =>
        Math.max(0, ...[...account.companions.values()].map(({ pending }) => pending.size))
      const writer = async () => {
        while (!over) {
          if (backlog() > mostBacklog) {
            await sleep(100)
            continue
          }
          const text = `in ${written.length}`
          written.push(text)
          await server.write(contacts[written.length % contacts.length]!, account, { conversation: text })
          await sleep(40)
        }
      }
      const work = [sender(), sender(), writer()]
      for (let round = 0; round < rounds; round += 1) {
        const enough = server.outgoing.length + untilNextKill(8)
        await until('more went out', () => server.outgoing.length >= enough)
        await gateway.restart()
      }
      over = true
      await Promise.all(work)
      const open = new Set(answered)
      const failed: string[] = []
      const states = async () => {
        for (const id of open) {
          const { status, errorCode } = (await store.message(1, id))!
          if (status === 'queued' || status === 'sending') continue
          open.delete(id)
          if (status === 'failed' || status === 'unknown') failed.push(`${status} ${errorCode}`)
        }
        return open.size === 0
      }
      await until('every accepted message ends', states, drainMs).catch(async error => {
        for (const id of [...open].slice(0, 5)) console.log(open.size, await store.message(1, id))
        throw error
      })
      assert.deepEqual(failed, [])
      let missing = new Set(written)
      const arrived = async () => {
        missing = missing.difference(new Set(await everythingReceived(store)))
        return missing.size === 0
      }
      await until('every text is received', arrived, drainMs).catch(error => {
        const waiting = [...account.companions.values()].map(({ pending }) => pending.size)
        console.log(`${missing.size} of ${written.length} are missing`, [...missing].slice(0, 10), {
          waiting,
        })
        throw error
      })
      const received = await everythingReceived(store)
      assert.equal(received.length, new Set(received).size, 'a text was received twice')
      const read = contacts.flatMap(contact => contact.received)
      const ids = Map.groupBy(
        read,
        ({ message }) => message.extendedTextMessage?.text ?? message.conversation ?? '',
      )
      const twice = [...ids].filter(([, copies]) => new Set(copies.map(({ id }) => id)).size > 1)
      assert.ok(answered.length > rounds * 4, `only ${answered.length} were answered`)
      console.log(
        `${name}: ${answered.length} sent (${server.outgoing.length} stanzas), ${written.length} received`,
      )
      // Two sends that were never answered may bear the same number; what was answered never does.
      const texts = new Set(twice.map(([text]) => text))
      for (const id of answered) {
        const message = (await store.message(1, id))!
        const copies = ids.get(message.text) ?? []
        const why = server.unreadable.filter(one => one.id === whatsappIdOf(id))
        assert.ok(
          copies.length > 0 || texts.has(message.text),
          `${message.text} was never read: ${JSON.stringify(why)}`,
        )
      }
    } finally {
      gateway.end()
      await store.close()
      server.stop()
    }
  })
