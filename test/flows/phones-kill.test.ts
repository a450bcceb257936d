/** The gateway is killed (-9) again and again while phones send and receive over a network that loses things. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashSecret, hintOf, newSecret, sendAndRead } from '../../src/core/access/key.ts'
import { inviteAndExplain } from '../../src/core/devices/enrolment.ts'
import { pageSize } from '../../src/core/inbox/received.ts'
import type { Store } from '../../src/core/store.ts'
import { Crowd } from '../../src/simulator/crowd.ts'
import { usual } from '../../src/simulator/trouble.ts'
import { openStore } from '../../src/store/open.ts'
import { databases, scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { KillableGateway, untilNextKill } from '../standins/killable-gateway.ts'
import { freePort } from '../standins/port.ts'

/** More with `KILLS=100`, as npm run torture does: a crowd takes processor time, and shows itself in a long run. */
const { KILLS } = process.env
const rounds = Number(KILLS ?? 3)
const phones = KILLS === undefined ? 12 : 50

async function prepare(store: Store, url: string) {
  const staging = (await store.environments()).find(({ name }) => name === 'staging')!
  const key = newSecret('staging')
  await store.addKey(
    {
      environmentId: staging.id,
      name: 'k',
      scopes: sendAndRead,
      rateLimit: 1_000_000,
      allowedIps: [],
      expiresAt: null,
      createdBy: 'test',
    },
    hashSecret(key),
    hintOf(key),
  )
  const seats = await Promise.all(
    Array.from({ length: phones }, async (_, n) => {
      const device = await store.enrol({
        environmentId: staging.id,
        kind: 'android',
        name: `Phone ${n}`,
        phone: '',
        perMinute: null,
        perDay: null,
      })
      const { url: address, token } = await inviteAndExplain(
        { store, publicUrl: url, now: Date.now() },
        device,
        false,
      )
      return { url: address, enrolmentToken: token, name: device.name }
    }),
  )
  return { staging, key, seats }
}

async function everythingReceived(store: Store, environmentId: number): Promise<string[]> {
  const texts: string[] = []
  for (let page = 1; ; page += 1) {
    const { items } = await store.inbox(environmentId, { page })
    texts.push(...items.map(({ text }) => text))
    if (items.length < pageSize) return texts
  }
}

for (const { name, empty } of databases)
  test(`killed ${rounds} times on ${name} while ${phones} phones send and receive: every accepted message ends, every taken SMS is listed once, nobody is texted twice`, {
    timeout: 200_000 + rounds * 10_000,
  }, async () => {
    const database = await empty()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const store = await openStore(database, { now: Date.now })
    const { staging, key, seats } = await prepare(store, url)
    const gateway = new KillableGateway({ database, ledger: join(scratch(), 'none'), port, kills: rounds })
    await gateway.start()
    const crowd = new Crowd({ trouble: { ...usual, retryMs: 200 } })
    try {
      await Promise.all(seats.map(seat => crowd.join(seat)))
      await until('all online', () => crowd.tally.online === phones)
      const answered: string[] = []
      const taken: string[] = []
      const arriving: Promise<void>[] = []
      let over = false
      const sender = async () => {
        while (!over)
          try {
            const response = await fetch(`${url}/staging/api/v1/sms/send`, {
              method: 'POST',
              headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
              body: JSON.stringify({
                to: `+1555${Math.floor(1e6 + Math.random() * 8e6)}7`,
                message: 'x',
              }),
            })
            const body = (await response.json()) as { message_id: string; code?: string }
            if (response.ok) answered.push(body.message_id)
            else assert.equal(response.status, 503, JSON.stringify(body))
            await sleep(5)
          } catch (error) {
            if (error instanceof assert.AssertionError) throw error
            await sleep(20)
          }
      }
      const receiver = async () => {
        while (!over) {
          const text = `text ${arriving.length}`
          const phone = crowd.phones[Math.floor(Math.random() * phones)]!
          arriving.push(phone.receive('+15550100199', text).then(() => void taken.push(text)))
          await sleep(15)
        }
      }
      const work = [...Array.from({ length: 4 }, sender), receiver()]
      for (let round = 0; round < rounds; round += 1) {
        const enough = [answered.length + untilNextKill(20), taken.length + untilNextKill(10)] as const
        await until(
          'more was sent and received',
          () => answered.length >= enough[0] && taken.length >= enough[1],
        )
        await gateway.restart()
      }
      over = true
      await Promise.all(work)
      const open = new Set(answered)
      await until('every accepted message ends', async () => {
        for (const id of open)
          if ((await store.message(staging.id, id))?.status === 'delivered') open.delete(id)
        return open.size === 0
      })
      await Promise.all(arriving)
      const listed = await everythingReceived(store, staging.id)
      assert.equal(listed.length, new Set(listed).size, 'a received SMS is listed twice')
      const missing = new Set(taken).difference(new Set(listed))
      assert.deepEqual([...missing], [], 'a received SMS that was taken is not listed')
      assert.equal(crowd.tally.twice, 0, 'a message went on the air twice')
      console.log(
        `${name}: ${answered.length} sent, ${taken.length} received, ${crowd.tally.triedAgain} calls tried again`,
      )
    } finally {
      crowd.stop()
      gateway.end()
      await store.close()
    }
  })
