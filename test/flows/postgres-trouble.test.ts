/** PostgreSQL loses connections, stops for a while, is killed, is full, or another server takes its place: the gateways come back by themselves. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openStore } from '../../src/store/open.ts'
import { ClusterNode } from '../standins/cluster.ts'
import { scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { PostgresServer } from '../standins/postgres-server.ts'
import { addKey, addSimulated } from '../standins/seed.ts'

/** Two gateways under load; `trouble` is made meanwhile. */
async function underLoad(database: string, trouble: (world: World) => Promise<void>): Promise<void> {
  const store = await openStore(database)
  const key = await addKey(store, 'staging')
  await addSimulated(store, 3)
  await store.close()
  const ledger = join(scratch(), `air-${Math.random()}`)
  // Trouble is what this is about: it need not be read.
  const environment = { LOG_LEVEL: 'silent' }
  const nodes = await Promise.all(
    ['a', 'b'].map(name => ClusterNode.of(name, { database, ledger, environment })),
  )
  const answered: string[] = []
  const refused = new Map<string, number>()
  let [over, slowest] = [false, 0]
  const sender = async (n: number) => {
    for (let count = n; !over; count += 1) {
      const begun = performance.now()
      const response = await fetch(`${nodes[count % 2]!.url}/staging/api/v1/sms/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to: `+1555${Math.floor(1e6 + Math.random() * 8e6)}7`, message: 'x' }),
      })
      slowest = Math.max(slowest, performance.now() - begun)
      const body = (await response.json()) as { message_id: string; code: string }
      if (response.ok) answered.push(body.message_id)
      else {
        // A 503 of another kind says that the device went with its node.
        assert.equal(response.status, 503, JSON.stringify(body))
        assert.ok(response.headers.has('retry-after'), JSON.stringify(body))
        refused.set(body.code, (refused.get(body.code) ?? 0) + 1)
      }
      await sleep(10)
    }
  }
  const more = async () => {
    const enough = answered.length + 30
    await until('sends are accepted again', () => answered.length >= enough)
  }
  try {
    await Promise.all(nodes.map(node => node.start()))
    const work = Array.from({ length: 6 }, (_, n) => sender(n))
    await more()
    await trouble({ more, nodes })
    await more()
    over = true
    await Promise.all(work)
    const after = await openStore(database)
    const open = new Set(answered)
    await until('every accepted message ends', async () => {
      for (const id of open) {
        const message = await after.message(2, id)
        assert.ok(message, `${id} was accepted and is gone`)
        if (['sent', 'delivered'].includes(message.status)) open.delete(id)
      }
      return open.size === 0
    })
    await after.close()
    const sent = readFileSync(ledger, 'utf8')
      .split('\n')
      .flatMap(line => line.split(' ')[0] || [])
    assert.equal(sent.length, new Set(sent).size, 'texted twice')
    console.log(
      `${answered.length} accepted, refused ${JSON.stringify([...refused])}, slowest answer ${(slowest / 1_000).toFixed(1)} s`,
    )
  } finally {
    over = true
    for (const node of nodes) node.end()
  }
}
type World = { more: () => Promise<void>; nodes: readonly ClusterNode[] }

const readiness = async ({ url }: ClusterNode) => (await fetch(`${url}/readyz`)).status

describe('trouble with PostgreSQL', () => {
  test('connections that are ended at random cost no more than the requests that were being committed', {
    timeout: 120_000,
  }, async () => {
    const server = await PostgresServer.start()
    try {
      await underLoad(server.url, async ({ more }) => {
        for (let n = 0; n < 15; n += 1) {
          await server.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'basestation' AND random() < 0.5`,
          )
          await sleep(100)
        }
        await more()
      })
    } finally {
      await server.remove()
    }
  })

  test('a server that stops for a while, or is killed: 503 in time, not ready, and all goes on when it is back', {
    timeout: 180_000,
  }, async () => {
    const server = await PostgresServer.start()
    try {
      await underLoad(server.url, async ({ more, nodes }) => {
        server.pause()
        await until('not ready', async () => (await readiness(nodes[0]!)) === 503)
        await sleep(8_000)
        server.resume()
        await more()
        await until('ready', async () => (await readiness(nodes[0]!)) === 200)
        await server.kill()
        await until('not ready', async () => (await readiness(nodes[0]!)) === 503)
        await server.start()
        await more()
      })
    } finally {
      await server.remove()
    }
  })

  test('a server without a free connection is waited for', { timeout: 120_000 }, async () => {
    const server = await PostgresServer.start('max_connections=25')
    const hogs: pg.Client[] = []
    try {
      await underLoad(server.url, async () => {
        for (;;) {
          const hog = new pg.Client({ connectionString: server.url })
          hog.on('error', () => {})
          try {
            await hog.connect()
            hogs.push(hog)
          } catch {
            break
          }
        }
        await server
          .query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'basestation'`,
          )
          .catch(() => {})
        await sleep(3_000)
        for (const hog of hogs.splice(0)) await hog.end()
      })
    } finally {
      for (const hog of hogs) hog.end().catch(() => {})
      await server.remove()
    }
  })

  test('while a standby is away that commits must wait for: 503 in time, not ready, and all goes on when it is back', {
    timeout: 180_000,
  }, async () => {
    const server = await PostgresServer.start()
    const standbys = async (names: string) => {
      await server.query(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`)
      await server.query('SELECT pg_reload_conf()')
    }
    try {
      await underLoad(server.url, async ({ more, nodes }) => {
        await standbys('nobody')
        await until('not ready', async () => (await readiness(nodes[0]!)) === 503)
        await sleep(3_000)
        await standbys('')
        await more()
        await until('ready', async () => (await readiness(nodes[0]!)) === 200)
      })
    } finally {
      await server.remove()
    }
  })

  test('when a standby takes the place of its primary, the gateways find it and nothing is lost', {
    timeout: 180_000,
  }, async () => {
    const primary = await PostgresServer.start('wal_level=replica', 'max_wal_senders=5')
    const standby = await primary.standby('second')
    try {
      await primary.query("ALTER SYSTEM SET synchronous_standby_names = 'second'")
      await primary.query('SELECT pg_reload_conf()')
      const hosts = `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`
      const url = `postgres://postgres:postgres@${hosts}/postgres?target_session_attrs=read-write`
      await underLoad(url, async ({ more }) => {
        await primary.kill()
        await sleep(1_000)
        await standby.query('SELECT pg_promote()')
        await more()
      })
    } finally {
      await primary.remove()
      await standby.remove()
    }
  })
})
