/** How carefully a WhatsApp number is handed messages, on both databases. */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Device } from '../../src/core/devices/device.ts'
import { Fleet } from '../../src/core/devices/fleet.ts'
import type { Safety } from '../../src/core/devices/sending-safety.ts'
import { Sweeper } from '../../src/core/messages/sweeper.ts'
import type { Store } from '../../src/core/store.ts'
import { openStore } from '../../src/store/open.ts'
import { databases } from '../standins/databases.ts'

const start = Date.UTC(2026, 10, 15, 12)
const dayMs = 86_400_000
const free: Safety = { gapLeast: 0, gapMost: 0, newChatsPerDay: null, warmUpDays: 0 }
const numberOf = (person: number) => `+1555010${String(person).padStart(4, '0')}`

type World = { store: Store; clock: { now: number }; device: Device }

for (const { name, empty } of databases)
  describe(`a careful number on ${name}`, () => {
    const inWorld = (safety: Partial<Safety>, work: (world: World) => Promise<void>) => async () => {
      const clock = { now: start }
      const store = await openStore(await empty(), { now: () => clock.now })
      const draft = { environmentId: 1, kind: 'whatsapp' as const, name: 'Shop', phone: '+15550001000' }
      const device = await store.enrol({ ...draft, perMinute: null, perDay: null })
      await store.change(device, { safety: { ...free, ...safety } })
      try {
        await work({ store, clock, device })
      } finally {
        await store.close()
      }
    }
    /** Queues a message to each of these people. */
    const queue = async ({ store, device }: World, ...people: number[]) => {
      for (const person of people)
        await store.accept([
          {
            id: randomUUID(),
            environmentId: 1,
            batchId: null,
            deviceId: device.id,
            pinned: false,
            recipient: numberOf(person),
            text: 'x',
            mediaUrl: null,
            simSlot: null,
            parts: 1,
            expiresAt: start + 30 * dayMs,
          },
        ])
    }
    const claimed = async ({ store, device }: World, limit = 100) => {
      const { messages, retryAt } = await store.claim(device.id, limit)
      return { people: messages.map(({ recipient }) => Number(recipient.slice(-4))), retryAt, messages }
    }
    const people = async (world: World, limit?: number) => (await claimed(world, limit)).people
    const written = ({ store, device }: World, person: number) =>
      store.receive({
        deviceId: device.id,
        sender: numberOf(person),
        text: 'hi',
        type: 'whatsapp',
        metadata: {},
        externalId: null,
      })

    test(
      'between two messages lies a time that varies within its bounds',
      inWorld({ gapLeast: 3, gapMost: 8 }, async world => {
        await queue(world, ...Array.from({ length: 20 }, () => 1))
        const gaps = new Set<number>()
        for (let round = 0; round < 15; round += 1) {
          const { people, retryAt } = await claimed(world)
          assert.deepEqual(people, [1], 'one at a time')
          const gap = retryAt! - world.clock.now
          assert.ok(gap >= 3_000 && gap <= 8_000, `${gap} ms`)
          gaps.add(gap)
          world.clock.now += gap - 1
          assert.deepEqual(await claimed(world), { people: [], retryAt: world.clock.now + 1, messages: [] })
          world.clock.now += 1
        }
        assert.ok(gaps.size > 5, 'they are not all alike')
      }),
    )
    test(
      'no more strangers a day than allowed; people it knows go ahead of them',
      inWorld({ newChatsPerDay: 2 }, async world => {
        await written(world, 9)
        await queue(world, 1, 2, 3, 1, 9, 4)
        const { people: first, retryAt } = await claimed(world)
        assert.deepEqual(first, [1, 2, 1, 9])
        assert.equal(retryAt, Date.UTC(2026, 10, 16))
        assert.deepEqual(await people(world), [])
        world.clock.now = Date.UTC(2026, 10, 16)
        assert.deepEqual(await people(world), [3, 4])
      }),
    )
    test(
      'a friend far behind many strangers does not wait for them',
      inWorld({ newChatsPerDay: 1 }, async world => {
        await written(world, 99)
        await queue(world, 1, 2, 3, 4, 5, 99)
        assert.deepEqual(await people(world, 1), [1])
        assert.deepEqual(await people(world, 2), [99])
        assert.deepEqual(await people(world, 2), [])
      }),
    )
    test(
      'while WhatsApp forbids new chats, answers pass and strangers wait until it ends',
      inWorld({}, async world => {
        const { store, device, clock } = world
        await written(world, 9)
        await store.describe(device.id, { restrictedUntil: clock.now + 3_600_000 })
        await queue(world, 1, 9)
        const { people: passed, retryAt } = await claimed(world)
        assert.deepEqual([passed, retryAt], [[9], clock.now + 3_600_000])
        clock.now += 3_600_000
        assert.deepEqual(await people(world), [1])
      }),
    )
    test(
      'a number that rests is handed nothing, not even answers, until the rest ends or is lifted',
      inWorld({}, async world => {
        const { store, device, clock } = world
        await written(world, 9)
        await store.describe(device.id, { restsUntil: clock.now + 3_600_000 })
        await queue(world, 1, 9)
        assert.deepEqual(await claimed(world).then(({ people, retryAt }) => [people, retryAt]), [
          [],
          clock.now + 3_600_000,
        ])
        await store.describe(device.id, { restsUntil: null })
        assert.deepEqual(await people(world), [1, 9])
      }),
    )
    test(
      'messages for strangers leave a restricted number for one that may write to them, and never go to and fro',
      inWorld({}, async world => {
        const { store, device, clock } = world
        const draft = { environmentId: 1, kind: 'whatsapp' as const, name: 'Second', phone: '+15550002000' }
        const second = await store.enrol({ ...draft, perMinute: null, perDay: null })
        const fleet = new Fleet(store, () => clock.now)
        const log = { debug() {}, info() {}, warn() {}, error() {} }
        const sweeper = new Sweeper({
          store,
          fleet,
          wake() {},
          offlineGraceMs: 30_000,
          now: () => clock.now,
          log,
        })
        await store.beat({ node: 'node' })
        for (const { id } of [device, second]) {
          await store.presence(id, 'node', true)
          await store.describe(id, { restrictedUntil: clock.now + 3_600_000 })
        }
        await written(world, 9)
        await queue(world, 1, 9, 2)
        const where = async () =>
          (await store.messages(1, { limit: 10 })).items.map(({ recipient, deviceId }) => [
            recipient,
            deviceId === device.id ? 'first' : 'second',
          ])
        const before = await store.journalHead()
        for (let n = 0; n < 3; n += 1) {
          await fleet.refresh()
          await sweeper.sweep()
          clock.now += 6_000
          await store.beat({ node: 'node' })
        }
        assert.equal(await store.journalHead(), before, 'nothing moved: both are held back')
        await store.describe(second.id, { restrictedUntil: null })
        await fleet.refresh()
        await sweeper.sweep()
        assert.deepEqual((await where()).sort(), [
          [numberOf(1), 'second'],
          [numberOf(2), 'second'],
          [numberOf(9), 'first'],
        ])
      }),
    )
    test(
      'what moves on from a restricted number is what is for strangers',
      inWorld({}, async world => {
        const { store, device } = world
        await written(world, 9)
        await queue(world, 1, 9, 2)
        const to = async (onlyStrangers: boolean) =>
          (await store.movable(device.id, 10, onlyStrangers)).map(({ recipient }) => recipient)
        assert.deepEqual(await to(true), [numberOf(1), numberOf(2)])
        assert.deepEqual(await to(false), [numberOf(1), numberOf(9), numberOf(2)])
      }),
    )
    test(
      'a person is known once WhatsApp took a message for them, and not by a message that failed',
      inWorld({ newChatsPerDay: 1 }, async world => {
        const { store, device, clock } = world
        await queue(world, 1, 2)
        const { messages } = await claimed(world)
        assert.equal(messages.length, 1)
        const report = { messageId: messages[0]!.id, deviceId: device.id, at: clock.now }
        await store.record({ ...report, outcome: 'failed', error: { code: 'whatsapp_refused' } })
        await queue(world, 1)
        assert.deepEqual(await people(world), [])
        clock.now += dayMs
        const [second] = (await claimed(world)).messages
        await store.record({ messageId: second!.id, deviceId: device.id, at: clock.now, outcome: 'sent' })
        await queue(world, 2)
        assert.deepEqual(await people(world), [2])
      }),
    )
    test(
      'what never left costs nobody a new chat',
      inWorld({ newChatsPerDay: 1 }, async world => {
        await queue(world, 1)
        const [message] = (await claimed(world)).messages
        await world.store.release(message!)
        assert.deepEqual(await people(world), [1])
      }),
    )
    test(
      'two messages to one stranger are given back as one new chat',
      inWorld({ newChatsPerDay: 2 }, async world => {
        await queue(world, 1, 1, 2, 3)
        const { messages } = await claimed(world)
        const given = messages.slice(0, 2)
        await Promise.all(given.map(message => world.store.release(message)))
        assert.deepEqual(await people(world), [1, 1])
      }),
    )
    test(
      'one that rests lets others pass',
      inWorld({ gapLeast: 1, gapMost: 1 }, async world => {
        await queue(world, 1, 2)
        const [first] = (await claimed(world)).messages
        await world.store.release(first!)
        world.clock.now += 1_000
        const { messages } = await world.store.claim(world.device.id, 100, { except: [first!.seq] })
        assert.deepEqual(
          messages.map(({ recipient }) => recipient),
          [numberOf(2)],
        )
      }),
    )
    test(
      'a new number sends little on its first day, more on the second, and as usual after its warm-up',
      inWorld({ warmUpDays: 7 }, async world => {
        const crowd = Array.from({ length: 900 }, () => 1)
        await queue(world, ...crowd.slice(0, 100))
        assert.equal((await people(world, 1_000)).length, 20)
        world.clock.now += dayMs
        assert.equal((await people(world, 1_000)).length, 32)
        world.clock.now += 6 * dayMs
        assert.equal((await people(world, 1_000)).length, 48)
      }),
    )
  })
