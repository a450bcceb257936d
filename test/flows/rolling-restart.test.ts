/** Three gateways behind a load balancer are restarted one after the other while everybody goes on sending: no request fails. */

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventIdOf } from '../../src/core/events/event.ts'
import { openStore } from '../../src/store/open.ts'
import { ClusterNode } from '../standins/cluster.ts'
import { scratch } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { Haproxy, hasHaproxy } from '../standins/haproxy.ts'
import { listen } from '../standins/listener.ts'
import { emptyPostgres } from '../standins/postgres.ts'
import { addKey, addSimulated } from '../standins/seed.ts'

/** Longer than the load balancer takes to notice. */
const drainSeconds = 5

test('a rolling restart behind HAProxy fails no request, and devices and streams go on at other nodes', {
  skip: !hasHaproxy() && 'haproxy is not installed',
  timeout: 240_000,
}, async () => {
  const database = await emptyPostgres()
  const folder = scratch()
  const store = await openStore(database)
  const key = await addKey(store, 'staging')
  await addSimulated(store, 3)
  const environment = { DRAIN_SECONDS: String(drainSeconds) }
  const nodes = await Promise.all(
    ['a', 'b', 'c'].map(name => ClusterNode.of(name, { database, ledger: join(folder, 'air'), environment })),
  )
  await Promise.all(nodes.map(node => node.start()))
  const balancer = await Haproxy.start(
    folder,
    nodes.map(({ port }) => `127.0.0.1:${port}`),
  )
  const base = `${balancer.url}/staging/api/v1`
  const answered: string[] = []
  const failed: string[] = []
  const handedOver: number[] = []
  let over = false
  const sender = async () => {
    while (!over) {
      try {
        const response = await fetch(`${base}/sms/send`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ to: '+15550101237', message: 'x' }),
        })
        const body = (await response.json()) as { message_id: string }
        if (response.ok) answered.push(body.message_id)
        else failed.push(`${response.status} ${JSON.stringify(body)}`)
      } catch (error) {
        failed.push(String((error as Error).cause ?? error))
      }
      await sleep(5)
    }
  }
  /** Follows the stream over all restarts. */
  const follower = async (): Promise<string[]> => {
    const heard: string[] = []
    let last = eventIdOf(0)
    while (!over) {
      const listener = listen(`${base}/events/stream`, key, last)
      while (!listener.closed && !over) await sleep(20)
      listener.stop()
      heard.push(...listener.events.map(({ id }) => id))
      last = listener.last ?? last
    }
    return heard
  }
  try {
    await until('online', async () => (await store.allDevices()).every(({ online }) => online))
    const work = Array.from({ length: 12 }, sender)
    const following = follower()
    for (const node of nodes) {
      await sleep(1_000)
      const before = node.node
      const begun = performance.now()
      const stopped = node.stop()
      const held = async () => (await store.leases()).some(lease => lease.node === before)
      await until('another has its leases', async () => !(await held()))
      await until('they are held', async () => (await store.leases()).every(lease => lease.node !== null))
      handedOver.push(performance.now() - begun)
      await stopped
      await node.start()
      await until('it is ready', async () => (await fetch(`${node.url}/readyz`)).status === 200)
    }
    await sleep(1_000)
    over = true
    await Promise.all(work)
    assert.deepEqual(failed, [])
    const open = new Set(answered)
    await until('every accepted message ends', async () => {
      for (const id of open)
        if (['sent', 'delivered'].includes((await store.message(2, id))!.status)) open.delete(id)
      return open.size === 0
    })
    const heard = await following
    const ids = (await store.events(0, 1_000_000))
      .filter(({ environmentId }) => environmentId === 2)
      .map(({ seq }) => eventIdOf(seq))
    assert.ok(heard.length > answered.length, 'the stream fell silent')
    assert.deepEqual(heard, ids.slice(0, heard.length), 'the stream missed or repeated an event')
    assert.ok(
      (await store.events(0, 1_000_000)).every(({ type }) => type !== 'device.offline'),
      'a device was told to be offline',
    )
    console.log(
      `${answered.length} sends over three restarts, none failed; leases were with another after ${handedOver.map(ms => `${Math.round(ms)} ms`).join(', ')}`,
    )
  } finally {
    over = true
    balancer.stop()
    for (const node of nodes) node.end()
    await store.close()
  }
})
