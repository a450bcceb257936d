/** Who holds what: one node at a time, by the database's clock, and what an old lease writes does nothing. */

import assert from 'node:assert/strict'
import { randomUUID, randomUUIDv7 } from 'node:crypto'
import { describe, test } from 'node:test'
import { deviceLease, LeaseLost, loopsLease, webhookLease } from '../src/core/nodes/lease.ts'
import { nodeLeaseMs } from '../src/core/nodes/node.ts'
import type { Store } from '../src/core/store.ts'
import { openStore } from '../src/store/open.ts'
import { databases } from './standins/databases.ts'

const staging = 2

for (const { name, empty } of databases)
  describe(`leases on ${name}`, () => {
    const inWorld =
      (work: (world: { store: Store; clock: { now: number } }) => Promise<void>) => async () => {
        const clock = { now: Date.UTC(2026, 10, 17) }
        const store = await openStore(await empty(), { now: () => clock.now })
        try {
          await store.beat({ node: 'a' })
          await store.beat({ node: 'b' })
          await work({ store, clock })
        } finally {
          await store.close()
        }
      }
    const enrol = (store: Store) =>
      store.enrol({
        environmentId: staging,
        kind: 'simulated',
        name: 'P',
        phone: '',
        perMinute: null,
        perDay: null,
      })
    const accept = async (store: Store, deviceId: string) => {
      const id = randomUUID()
      await store.accept([
        {
          id,
          environmentId: staging,
          batchId: null,
          deviceId,
          pinned: true,
          recipient: '+15550101234',
          text: 'x',
          mediaUrl: null,
          simSlot: null,
          parts: 1,
          expiresAt: store.now() + 86_400_000,
        },
      ])
      return id
    }
    /** The other node takes what `a` held, because `a` has not shown itself. */
    const outlive = async (store: Store, clock: { now: number }) => {
      clock.now += nodeLeaseMs
      await store.beat({ node: 'b' })
    }

    test(
      'one node takes it; another only once that one is dead, and then under a higher epoch',
      inWorld(async ({ store, clock }) => {
        const taken = await Promise.all(['a', 'b'].map(node => store.takeLeases(node, ['loops', 'x'])))
        assert.deepEqual(
          taken.map(found => [...found]),
          [
            [
              ['loops', 1],
              ['x', 1],
            ],
            [],
          ],
        )
        clock.now += nodeLeaseMs - 1
        await store.beat({ node: 'b' })
        assert.equal((await store.takeLeases('b', ['x'])).size, 0, 'its lease has not ended')
        clock.now += 1
        assert.equal((await store.takeLeases('b', ['x'])).get('x'), 2)
        assert.equal((await store.takeLeases('a', ['x'])).size, 0, 'it comes too late')
      }),
    )

    test(
      'a node that renewed too late takes what it held anew, under a higher epoch, if nobody else did',
      inWorld(async ({ store, clock }) => {
        await store.takeLeases('a', ['x'])
        clock.now += 10 * nodeLeaseMs
        await store.beat({ node: 'a' })
        assert.equal((await store.takeLeases('a', ['x'])).get('x'), 2)
      }),
    )

    test(
      'what is given back, left or belonged to the dead is free for the next',
      inWorld(async ({ store, clock }) => {
        await store.takeLeases('a', ['x', 'y', 'z'])
        await store.letGo('b', ['x'])
        assert.equal((await store.takeLeases('b', ['x'])).size, 0, 'another’s lease cannot be given back')
        await store.letGo('a', ['x'])
        assert.equal((await store.takeLeases('b', ['x'])).get('x'), 2)
        await store.buryNode('a', false)
        assert.equal((await store.takeLeases('b', ['y'])).size, 0, 'it is not dead')
        await outlive(store, clock)
        await store.buryNode('a', false)
        assert.deepEqual(
          (await store.nodes()).map(({ name }) => name),
          ['b'],
        )
        assert.equal((await store.takeLeases('b', ['y'])).get('y'), 2)
      }),
    )

    test(
      'a beat takes along what the node wants and nobody holds, and says that it was asked to drain',
      inWorld(async ({ store }) => {
        const first = await store.beat({ node: 'a', wants: [loopsLease] })
        assert.deepEqual([first.held.get(loopsLease), first.isDraining], [1, false])
        assert.equal((await store.beat({ node: 'b', wants: [loopsLease] })).held.size, 0)
        assert.equal(await store.drainNode('a'), true)
        assert.equal(await store.drainNode('nobody'), false)
        assert.equal((await store.beat({ node: 'a' })).isDraining, true)
      }),
    )

    test(
      'a claim under an old lease gets nothing',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        await accept(store, device.id)
        const old = (await store.takeLinks('a', [device.id])).get(device.id)!
        await outlive(store, clock)
        const epoch = (await store.takeLinks('b', [device.id])).get(device.id)!
        assert.ok(epoch > old)
        assert.equal((await store.allDevices())[0]!.heldBy, 'b')
        assert.deepEqual((await store.claim(device.id, 10, { epoch: old })).messages, [])
        assert.equal((await store.claim(device.id, 10, { epoch })).messages.length, 1)
      }),
    )

    test(
      'a receipt under an old lease moves what that lease took, and nothing that a newer one took',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        const old = (await store.takeLinks('a', [device.id])).get(device.id)!
        const first = await accept(store, device.id)
        await store.claim(device.id, 10, { epoch: old })
        await outlive(store, clock)
        const epoch = (await store.takeLinks('b', [device.id])).get(device.id)!
        const second = await accept(store, device.id)
        await store.claim(device.id, 10, { epoch })
        const receipt = (messageId: string, from: number) =>
          store.record({ messageId, deviceId: device.id, outcome: 'sent', at: clock.now, epoch: from })
        assert.equal(await receipt(first, old), true, 'it says what it did itself')
        assert.equal(await receipt(second, old), false)
        assert.equal(await receipt(second, epoch), true)
      }),
    )

    test(
      'what the next holder offers to the device again is neither given back nor answered for by the one before',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        const old = (await store.takeLinks('a', [device.id])).get(device.id)!
        const ids = [await accept(store, device.id), await accept(store, device.id)]
        const [kept, adopted] = (await store.claim(device.id, 10, { epoch: old })).messages
        await store.release(kept!)
        assert.equal((await store.message(staging, ids[0]!))!.status, 'queued', 'nobody else has it')
        await outlive(store, clock)
        const epoch = (await store.takeLinks('b', [device.id])).get(device.id)!
        await store.adopt(device.id, old)
        await store.adopt(device.id, epoch)
        await store.release(adopted!)
        assert.equal((await store.message(staging, ids[1]!))!.status, 'sending')
        const receipt = { messageId: ids[1]!, deviceId: device.id, outcome: 'failed', at: clock.now } as const
        assert.equal(await store.record({ ...receipt, epoch: old }), false)
        assert.equal(await store.record({ ...receipt, epoch }), true)
      }),
    )

    test(
      'session keys are not written under an old lease, and presence is not told',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        const old = (await store.takeLinks('a', [device.id])).get(device.id)!
        const entry = (value: string) => [{ type: 't', id: 'k', value }]
        await store.vaultWrite(device.id, entry('first'), old)
        await store.presence(device.id, 'a', true, { epoch: old })
        await outlive(store, clock)
        const epoch = (await store.takeLinks('b', [device.id])).get(device.id)!
        await store.vaultWrite(device.id, entry('second'), epoch)
        await assert.rejects(store.vaultWrite(device.id, entry('third'), old), LeaseLost)
        await assert.rejects(store.vaultForget(device.id, { type: 't' }, old), LeaseLost)
        assert.deepEqual(await store.vaultRead(device.id, 't', ['k']), [{ id: 'k', value: 'second' }])
        assert.equal(await store.presence(device.id, 'a', false, { epoch: old }), false)
        assert.equal((await store.allDevices())[0]!.online, true, 'a link that changes hands stays online')
      }),
    )

    test(
      'deliveries are not settled under an old lease',
      inWorld(async ({ store, clock }) => {
        const webhook = await store.addWebhook({
          id: randomUUIDv7(),
          environmentId: staging,
          url: 'https://example.org/',
          types: null,
          deviceId: null,
          visibility: { messages: true, received: true },
          secret: 's',
        })
        const lease = webhookLease(webhook.id)
        const old = (await store.takeLeases('a', [lease])).get(lease)!
        await outlive(store, clock)
        const epoch = (await store.takeLeases('b', [lease])).get(lease)!
        const settle = (from: number, position: number) =>
          store.settle({
            id: webhook.id,
            epoch: from,
            url: webhook.url,
            position,
            deliveries: [],
            restsUntil: null,
          })
        assert.equal(await settle(old, 7), undefined)
        assert.equal((await settle(epoch, 5))?.position, 5)
        assert.equal((await store.webhook(staging, webhook.id))?.heldBy, 'b')
      }),
    )

    test(
      'a lease of a device is told with its epoch and its node',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        await store.takeLinks('a', [device.id])
        assert.deepEqual(
          (await store.leases()).map(({ name, node, epoch }) => [name, node, epoch]),
          [[deviceLease(device.id), 'a', 1]],
        )
      }),
    )
  })
