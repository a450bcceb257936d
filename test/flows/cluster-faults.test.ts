/**
 * Three gateways on one PostgreSQL, one of them paused, killed or cut off from the database again and again while messages
 * are under way: the others go on, nothing accepted is lost, nobody is texted twice, and who was away says nothing when it
 * comes back.
 * FAULTS and SEED choose how often, and in which order.
 */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeLeaseMs } from '../../src/core/nodes/node.ts'
import { openStore } from '../../src/store/open.ts'
import { Cable } from '../standins/cable.ts'
import { ClusterNode } from '../standins/cluster.ts'
import { scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { emptyPostgres } from '../standins/postgres.ts'
import { seeded } from '../standins/random.ts'
import { addKey, addSimulated } from '../standins/seed.ts'

/** More with `FAULTS=300`, as npm run torture does. */
const faults = Number(process.env.FAULTS ?? 3)
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6))
const devices = 6
const kinds = ['pause', 'cut off', 'kill', 'pause'] as const

test(`one of three gateways paused, killed or cut off ${faults} times: the others go on, nothing is lost, nobody is texted twice`, {
  timeout: 120_000 + faults * 60_000,
}, async () => {
  const random = seeded(seed)
  const database = await emptyPostgres()
  const ledger = join(scratch(), 'air')
  const store = await openStore(database)
  const key = await addKey(store, 'staging')
  await addSimulated(store, devices)
  const cables = await Promise.all(['a', 'b', 'c'].map(() => Cable.to(database)))
  const nodes = await Promise.all(
    cables.map((cable, n) =>
      ClusterNode.of('abc'[n]!, {
        database: cable.through(database),
        ledger,
        environment: { LOG_LEVEL: 'silent' },
      }),
    ),
  )
  const answered: string[] = []
  const failures = new Map<string, number>()
  let over = false
  let refused = 0
  /** Each sends through a node that is well, as a load balancer would. */
  const sender = async (n: number) => {
    for (let count = 0; !over; count += 1) {
      const well = nodes.filter(({ isPaused }) => !isPaused)
      const node = well[(n + count) % well.length]!
      try {
        const response = await fetch(`${node.url}/staging/api/v1/sms/send`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ to: `+1555${Math.floor(1e6 + Math.random() * 8e6)}7`, message: 'x' }),
          signal: AbortSignal.timeout(20_000),
        })
        const body = (await response.json()) as { message_id: string; code?: string }
        if (response.ok) answered.push(body.message_id)
        else failures.set(body.code ?? '', (failures.get(body.code ?? '') ?? 0) + 1)
      } catch {
        refused += 1
      }
      await sleep(10)
    }
  }
  const heldBy = async (node: string) =>
    (await store.leases()).filter(lease => lease.node === node && lease.name.startsWith('device:'))
  const times: string[] = []
  try {
    await Promise.all(nodes.map(node => node.start()))
    await until('all online', async () => (await store.allDevices()).every(({ online }) => online))
    const work = Array.from({ length: 8 }, (_, n) => sender(n))
    for (let fault = 0; fault < faults; fault += 1) {
      // The one that has the most to lose.
      const held = await Promise.all(nodes.map(async node => (await heldBy(node.node)).length))
      const victim = nodes[held.indexOf(Math.max(...held))]!
      await sleep(200 + random() * 500)
      const kind = kinds[fault % kinds.length]!
      const gone = victim.node
      const cable = cables[nodes.indexOf(victim)]!
      const begun = performance.now()
      if (kind === 'pause') victim.pause()
      // Nothing more is asked of it, as a load balancer would do.
      victim.isPaused = true
      if (kind === 'cut off') cable.cut()
      if (kind === 'kill') await victim.kill()
      await until('its devices are with others', async () => (await heldBy(gone)).length === 0)
      const takenMs = performance.now() - begun
      const air = () => (existsSync(ledger) ? readFileSync(ledger, 'utf8').split('\n').length : 0)
      const before = air()
      await until('they send again', () => air() > before + devices)
      times.push(
        `${kind} ${(takenMs / 1_000).toFixed(1)}/${((performance.now() - begun) / 1_000).toFixed(1)} s`,
      )
      await sleep(random() * nodeLeaseMs)
      if (kind === 'pause') victim.resume()
      if (kind === 'cut off') cable.mend()
      if (kind === 'kill') await victim.start()
      victim.isPaused = false
      await sleep(500 + random() * 1_500)
    }
    over = true
    await Promise.all(work)
    const open = new Set(answered)
    await until('every accepted message ends', async () => {
      // Its simulated phone may have gone with the node before it could say that a message was delivered.
      for (const id of open)
        if (['sent', 'delivered'].includes((await store.message(2, id))!.status)) open.delete(id)
      return open.size === 0
    }).catch(async error => {
      const left = await Promise.all([...open].slice(0, 5).map(id => store.message(2, id)))
      const held = JSON.stringify([left, await store.leases(), await store.nodes()], null, 1)
      throw new Error(`${open.size} have no end: ${held}`, { cause: error })
    })
    const sent = readFileSync(ledger, 'utf8')
      .split('\n')
      .filter(line => line !== '')
      .map(line => line.split(' ')[0]!)
    const twice = sent.filter((id, index) => sent.indexOf(id) !== index)
    assert.deepEqual(twice, [], 'texted twice')
    const never = new Set(answered).difference(new Set(sent))
    console.log(
      `seed ${seed}: ${answered.length} sent, ${refused} without an answer, refused ${JSON.stringify([...failures])}, claimed by a node that went before it handed them over ${never.size}; taken over/sending after ${times.join(', ')}`,
    )
  } finally {
    over = true
    for (const node of nodes) node.end()
    for (const cable of cables) cable.close()
    await store.close()
  }
})
