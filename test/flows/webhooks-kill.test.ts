/** The gateway is killed (-9) again and again while webhooks are told: each is told of every event at least once. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hashSecret, hintOf, newSecret, scopes } from '../../src/core/access/key.ts'
import { eventIdOf } from '../../src/core/events/event.ts'
import { openStore } from '../../src/store/open.ts'
import { Catcher, verify } from '../standins/catcher.ts'
import { databases, scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { KillableGateway, untilNextKill } from '../standins/killable-gateway.ts'
import { freePort } from '../standins/port.ts'

/** More with `KILLS=100`, as npm run torture does. */
const rounds = Number(process.env.KILLS ?? 3)

for (const { name, empty } of databases)
  test(`killed ${rounds} times on ${name} while three webhooks are told, one of them failing now and then: each hears of every event`, {
    timeout: 240_000 + rounds * 10_000,
  }, async () => {
    const database = await empty()
    const port = await freePort()
    const url = `http://127.0.0.1:${port}/staging/api/v1`
    const catcher = new Catcher()
    const host = new URL(await catcher.start()).host
    // Sometimes it refuses; what it refused it must be told again.
    const heard = new Map<string, string[]>([
      ['/a', []],
      ['/b', []],
      ['/flaky', []],
    ])
    const refused = new Set<string>()
    catcher.manners = ({ path, event }) => {
      // Once only: the second retry comes after minutes.
      if (path !== '/flaky' || refused.has(event.id) || Math.random() > 0.1) return 200
      refused.add(event.id)
      return 500
    }
    catcher.onCaught = () => {}
    const store = await openStore(database, { now: Date.now })
    const staging = (await store.environments()).find(one => one.name === 'staging')!
    const draft = { environmentId: staging.id, name: 'k', scopes, rateLimit: 1_000_000, allowedIps: [] }
    const key = newSecret('staging')
    await store.addKey({ ...draft, expiresAt: null, createdBy: 'test' }, hashSecret(key), hintOf(key))
    const phone = { kind: 'simulated', name: 'P', phone: '', perMinute: null, perDay: null } as const
    await store.enrol({ environmentId: staging.id, ...phone })
    const ask = async (path: string, body: object) => {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
      return (await response.json()) as any
    }
    const gateway = new KillableGateway({
      kills: rounds,
      database,
      ledger: join(scratch(), 'air'),
      port,
      environment: { WEBHOOK_ALLOW_HOSTS: host },
    })
    await gateway.start()
    const secrets = new Map<string, string>()
    const from = await store.journalHead()
    for (const path of heard.keys())
      secrets.set(path, (await ask('/webhooks', { url: `${catcher.url}${path}` })).data.secret)
    const usual = catcher.manners
    catcher.manners = (caught, response) => {
      const answer = usual(caught, response)
      verify(secrets.get(caught.path)!, caught)
      if (answer === 200) heard.get(caught.path)!.push(caught.event.id)
      return answer
    }
    let over = false
    const sender = async () => {
      while (!over) {
        await ask('/sms/send', { to: '+15550101234', message: 'x' }).catch(() => {})
        await sleep(15)
      }
    }
    const sending = [sender(), sender()]
    try {
      for (let round = 0; round < rounds; round += 1) {
        const enough = heard.get('/a')!.length + untilNextKill(30)
        await until('more is heard', () => heard.get('/a')!.length >= enough)
        await gateway.restart()
      }
      over = true
      await Promise.all(sending)
      const told = async () => {
        const all = (await store.events(from, 1_000_000)).filter(one => one.environmentId === staging.id)
        return all.map(({ seq }) => eventIdOf(seq))
      }
      const missing = async () => {
        const ids = new Set(await told())
        return [...heard.values()].map(list => ids.difference(new Set(list)).size)
      }
      await until('each heard of everything', async () =>
        (await missing()).every(count => count === 0),
      ).catch(async error => {
        console.log('missing', await missing())
        for (const { id } of await store.allWebhooks())
          console.log(JSON.stringify(await store.deliveries(id, { limit: 5, state: 'pending' })))
        throw error
      })
      const ids = await told()
      assert.ok(ids.length > rounds * 5, `only ${ids.length} events`)
      const twice = [...heard.values()].map(list => list.length - new Set(list).size)
      console.log(
        `${name}: ${ids.length} events to 3 webhooks over ${rounds} kills; told again ${twice.join(', ')} times`,
      )
    } finally {
      over = true
      gateway.end()
      await store.close()
      catcher.stop()
    }
  })
