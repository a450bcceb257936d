/** Many listen while the gateway is killed and started again and again: none misses an event, none hears one twice. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashSecret, hintOf, newSecret, scopes } from '../../src/core/access/key.ts'
import { eventIdOf } from '../../src/core/events/event.ts'
import { openStore } from '../../src/store/open.ts'
import { databases, scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { KillableGateway, untilNextKill } from '../standins/killable-gateway.ts'
import { listen } from '../standins/listener.ts'
import { freePort } from '../standins/port.ts'

/** More with `KILLS=100`, as npm run torture does: a crowd takes processor time, and shows itself in a long run. */
const { KILLS } = process.env
const clients = KILLS === undefined ? 40 : 200
const restarts = Number(KILLS ?? 3)

for (const { name, empty } of databases)
  test(`${clients} clients of the stream on ${name}, the gateway killed and started ${restarts} times: each has the same complete, ordered sequence`, {
    timeout: 240_000,
  }, async () => {
    const database = await empty()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/staging/api/v1`
    const store = await openStore(database, { now: Date.now })
    const staging = (await store.environments()).find(one => one.name === 'staging')!
    const draft = {
      environmentId: staging.id,
      name: 'k',
      scopes,
      rateLimit: null,
      allowedIps: [],
      expiresAt: null,
    }
    const key = newSecret('staging')
    await store.addKey({ ...draft, createdBy: 'test' }, hashSecret(key), hintOf(key))
    const phone = { kind: 'simulated', name: 'P', phone: '', perMinute: null, perDay: null } as const
    await store.enrol({ environmentId: staging.id, ...phone })
    const gateway = new KillableGateway({
      kills: restarts,
      database,
      ledger: join(scratch(), 'air'),
      port,
    })
    await gateway.start()
    let over = false
    /** Comes back whenever the line is gone, with the last event it has. */
    const client = async (): Promise<string[]> => {
      const heard: string[] = []
      let last = eventIdOf(0)
      while (!over) {
        const listener = listen(`${url}/events/stream`, key, last)
        while (!listener.closed && !over) await sleep(20)
        listener.stop()
        heard.push(...listener.events.map(({ id }) => id))
        last = listener.last!
        await sleep(50)
      }
      return heard
    }
    const running = Array.from({ length: clients }, client)
    let sent = 0
    const sender = async () => {
      while (!over)
        await fetch(`${url}/sms/send`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ to: '+15550101234', message: 'x' }),
        })
          .then(response => response.text())
          .then(() => {
            sent += 1
          })
          .catch(() => {})
          .then(() => sleep(20))
    }
    const sendMore = () => {
      const enough = sent + untilNextKill(10)
      return until('more was sent', () => sent >= enough)
    }
    const sending = sender()
    let heard: string[][] = []
    try {
      for (let round = 0; round < restarts; round += 1) {
        await sendMore()
        await gateway.restart()
      }
      await sendMore()
      over = true
      await sending
      const finished = await Promise.all(running)
      // What came in the last moments is fetched like everything else that was missed.
      const ids = (await store.events(0, 1_000_000))
        .filter(({ environmentId }) => environmentId === staging.id)
        .map(({ seq }) => eventIdOf(seq))
      heard = await Promise.all(
        finished.map(async sofar => {
          const listener = listen(`${url}/events/stream`, key, sofar.at(-1) ?? eventIdOf(0))
          await until('it has all', () => sofar.length + listener.events.length >= ids.length)
          listener.stop()
          return [...sofar, ...listener.events.map(({ id }) => id)]
        }),
      )
      assert.ok(ids.length > restarts * 8, `only ${ids.length} events`)
      for (const one of heard) assert.deepEqual(one.slice(0, ids.length), ids)
      console.log(`${name}: ${clients} clients heard ${ids.length} events each`)
    } finally {
      over = true
      gateway.end()
      await store.close()
    }
  })
