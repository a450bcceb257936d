/** What any store must do, whichever database is behind it. */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Device } from '../src/core/devices/device.ts'
import type { DeviceDraft } from '../src/core/devices/device-draft.ts'
import { codeMs, codeTriesOfAll } from '../src/core/devices/phone.ts'
import { defaultSettings } from '../src/core/environment.ts'
import type { Incoming } from '../src/core/inbox/received.ts'
import type { Message, NewMessage, Outcome } from '../src/core/messages/message.ts'
import { mayMove } from '../src/core/messages/message.ts'
import type { Store } from '../src/core/store.ts'
import { openStore } from '../src/store/open.ts'

type World = { store: Store; clock: { now: number }; url: string; commits: number[] }

export function storeContract(name: string, empty: () => Promise<string>): void {
  const staging = 2
  const start = Date.UTC(2026, 10, 15, 12)

  const inWorld = (work: (world: World) => Promise<void>) => async () => {
    const clock = { now: start }
    const url = await empty()
    const commits: number[] = []
    const store = await openStore(url, { now: () => clock.now, onCommit: calls => commits.push(calls) })
    try {
      await work({ store, clock, url, commits })
    } finally {
      await store.close()
    }
  }
  const enrol = (store: Store, draft: Partial<DeviceDraft> = {}): Promise<Device> =>
    store.enrol({
      environmentId: staging,
      kind: 'android',
      name: 'Phone',
      phone: '+15550100000',
      perMinute: null,
      perDay: null,
      ...draft,
    })
  const draft = (device: Device, more: Partial<NewMessage> = {}): NewMessage => ({
    id: randomUUID(),
    environmentId: staging,
    batchId: null,
    deviceId: device.id,
    pinned: false,
    recipient: '+15550101234',
    text: 'Grüße 😀 “quoted”, back\\slash, {braces}, "plain", NULL',
    mediaUrl: null,
    simSlot: null,
    parts: 1,
    expiresAt: start + 86_400_000,
    ...more,
  })
  const accepted = async (
    store: Store,
    device: Device,
    more: Partial<NewMessage> = {},
  ): Promise<NewMessage> => {
    const message = draft(device, more)
    await store.accept([message])
    return message
  }
  const statusOf = async (store: Store, { id }: { id: string }) => (await store.message(staging, id))?.status
  const loadOf = async (store: Store, device: Device) =>
    (await store.loads()).find(load => load.deviceId === device.id)!
  const eventsOf = async (store: Store, message: { id: string }) => {
    const found = (await store.message(staging, message.id)) as Message
    return (await store.events(0, 10_000)).filter(event => event.messageSeq === found.seq)
  }
  const incoming = (device: Device, more: Partial<Incoming> = {}): Incoming => ({
    deviceId: device.id,
    sender: '+15550101234',
    text: 'hello',
    type: 'sms',
    metadata: { sim_slot: 1 },
    externalId: null,
    ...more,
  })

  describe(`a store on ${name}`, { concurrency: 4 }, () => {
    test(
      'keeps every field of a message as it was given',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const given = await accepted(store, device, {
          batchId: randomUUID(),
          pinned: true,
          mediaUrl: 'https://example.org/a',
          simSlot: 2,
          parts: 3,
        })
        const kept = (await store.message(staging, given.id))!
        for (const [field, value] of Object.entries(given))
          assert.deepEqual(kept[field as keyof Message], value, field)
        assert.equal(kept.status, 'queued')
        assert.equal(kept.createdAt, start)
      }),
    )

    test(
      'does not show what belongs to another environment',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const message = await accepted(store, device)
        assert.equal(await store.message(1, message.id), undefined)
        await store.receive(incoming(device))
        assert.equal((await store.inbox(1, { page: 1 })).total, 0)
        assert.equal((await store.inbox(1, { page: 1, deviceId: device.id })).total, 0)
        assert.equal(await store.lastDevice(1, message.recipient, 0), undefined)
      }),
    )

    test(
      'writers that come together share a commit',
      inWorld(async ({ store, commits }) => {
        const device = await enrol(store)
        commits.length = 0
        await Promise.all(Array.from({ length: 50 }, () => store.accept([draft(device)])))
        assert.ok(commits.length <= 2, `50 writers took ${commits.length} commits`)
        assert.equal(
          commits.reduce((sum, calls) => sum + calls, 0),
          50,
        )
      }),
    )

    test(
      'one bad writer does not spoil the others that share its commit',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const good = Array.from({ length: 5 }, () => draft(device))
        const twin = { ...draft(device), id: good[0]!.id }
        const results = await Promise.allSettled(
          [...good.slice(0, 3), twin, ...good.slice(3)].map(message => store.accept([message])),
        )
        assert.equal(results.filter(({ status }) => status === 'rejected').length, 1)
        for (const message of good) assert.equal(await statusOf(store, message), 'queued')
        assert.equal((await loadOf(store, device)).waiting, 5)
      }),
    )

    test(
      'a request of many messages is kept whole or not at all',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const batch = Array.from({ length: 30 }, () => draft(device))
        await assert.rejects(store.accept([...batch, batch[0]!]))
        for (const message of batch) assert.equal(await store.message(staging, message.id), undefined)
        assert.equal((await loadOf(store, device)).waiting, 0)
      }),
    )

    test(
      'hands out the oldest first, and each once',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const given: NewMessage[] = []
        for (let n = 0; n < 7; n += 1) given.push(await accepted(store, device))
        const claims = await Promise.all([
          store.claim(device.id, 3),
          store.claim(device.id, 3),
          store.claim(device.id, 3),
        ])
        const handed = claims.flatMap(({ messages }) => messages)
        assert.deepEqual(new Set(handed.map(({ id }) => id)), new Set(given.map(({ id }) => id)))
        assert.equal(handed.length, 7)
        assert.deepEqual(
          claims[0]!.messages.map(({ id }) => id),
          given.slice(0, 3).map(({ id }) => id),
        )
        assert.ok(
          handed.every(
            ({ status, attempts, handedAt }) => status === 'sending' && attempts === 1 && handedAt === start,
          ),
        )
        assert.deepEqual((await store.claim(device.id, 3)).messages, [])
      }),
    )

    test(
      'gives a paused or removed device nothing',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        await accepted(store, device)
        await store.change(device, { paused: true })
        assert.equal((await store.claim(device.id, 5)).messages.length, 0)
        await store.change(device, { paused: false })
        await store.retire(device)
        assert.equal((await store.claim(device.id, 5)).messages.length, 0)
      }),
    )

    test(
      'never hands out what is past its validity',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        await accepted(store, device, { expiresAt: start + 60_000 })
        clock.now = start + 60_000
        assert.equal((await store.claim(device.id, 5)).messages.length, 0)
      }),
    )

    test(
      'keeps to the pace of a device, also over restarts',
      inWorld(async ({ store, clock, url }) => {
        const device = await enrol(store, { perMinute: 5, perDay: 8 })
        for (let n = 0; n < 12; n += 1) await accepted(store, device)
        const first = await store.claim(device.id, 100)
        assert.equal(first.messages.length, 5)
        const again = await openStore(url, { now: () => clock.now })
        const second = await again.claim(device.id, 100)
        assert.equal(second.messages.length, 0)
        assert.ok(second.retryAt! > clock.now && second.retryAt! <= clock.now + 61_000)
        clock.now = second.retryAt!
        const third = await again.claim(device.id, 100)
        assert.equal(third.messages.length, 3, 'the day has eight')
        assert.equal(third.retryAt, Date.UTC(2026, 10, 16))
        await again.close()
      }),
    )

    test(
      'a receipt moves a message forward and notes the first time of each state',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const message = await accepted(store, device)
        await store.claim(device.id, 1)
        const report = (outcome: Outcome, at: number) =>
          store.record({ messageId: message.id, deviceId: device.id, outcome, at })
        assert.equal(await report('delivered', 200), true)
        assert.equal(await report('sent', 100), false, 'late')
        assert.equal(await report('delivered', 300), false, 'repeated')
        assert.equal(await report('read', 400), true)
        const { status, sentAt, deliveredAt, readAt } = (await store.message(staging, message.id))!
        assert.deepEqual([status, sentAt, deliveredAt, readAt], ['read', 200, 200, 400])
      }),
    )

    test(
      'receipts for one message that come in the same commit count in their order',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const message = await accepted(store, device)
        await store.claim(device.id, 1)
        const moved = await Promise.all(
          (['sent', 'sent', 'delivered', 'sent', 'read'] as const).map(outcome =>
            store.record({ messageId: message.id, deviceId: device.id, outcome, at: start }),
          ),
        )
        assert.deepEqual(moved, [true, false, true, false, true])
        assert.deepEqual(
          (await eventsOf(store, message)).map(({ type, n }) => [type, n]),
          [
            ['message.queued', 1],
            ['message.sending', 2],
            ['message.sent', 3],
            ['message.delivered', 4],
            ['message.read', 5],
          ],
        )
      }),
    )

    test(
      'a message of any state obeys the table of moves',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const outcome = fc.constantFrom<Outcome>('sent', 'delivered', 'read', 'failed', 'canceled')
        await fc.assert(
          fc.asyncProperty(fc.array(outcome, { maxLength: 6 }), async receipts => {
            const message = await accepted(store, device)
            await store.claim(device.id, 100)
            let expected: Message['status'] = 'sending'
            for (const one of receipts) {
              const moved = await store.record({
                messageId: message.id,
                deviceId: device.id,
                outcome: one,
                at: start,
              })
              assert.equal(moved, mayMove(expected, one))
              if (moved) expected = one
            }
            assert.equal(await statusOf(store, message), expected)
          }),
          { numRuns: 25 },
        )
      }),
    )

    test(
      'only the device that has a message can say what became of it',
      inWorld(async ({ store }) => {
        const [device, other] = [await enrol(store), await enrol(store)]
        const message = await accepted(store, device)
        await store.claim(device.id, 1)
        assert.equal(
          await store.record({ messageId: message.id, deviceId: other.id, outcome: 'delivered', at: start }),
          false,
        )
        assert.equal(
          await store.record({
            messageId: randomUUID(),
            deviceId: device.id,
            outcome: 'delivered',
            at: start,
          }),
          false,
        )
        assert.equal(await statusOf(store, message), 'sending')
      }),
    )

    test(
      'a claim that never left can be taken back, once, and is handed out again',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        await accepted(store, device)
        const [first] = (await store.claim(device.id, 1)).messages
        await store.release(first!)
        await store.release(first!)
        assert.equal((await loadOf(store, device)).waiting, 1)
        const [second] = (await store.claim(device.id, 1)).messages
        assert.equal(second!.attempts, 2)
        await store.release(first!)
        assert.equal(await statusOf(store, second!), 'sending', 'an old claim cannot undo a newer one')
      }),
    )

    test(
      'a device that sent what we thought was waiting is believed, so that it is not sent twice',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        await accepted(store, device)
        const [message] = (await store.claim(device.id, 1)).messages
        await store.release(message!)
        assert.equal(
          await store.record({ messageId: message!.id, deviceId: device.id, outcome: 'sent', at: start }),
          true,
        )
        assert.equal((await store.claim(device.id, 1)).messages.length, 0)
        assert.equal((await loadOf(store, device)).waiting, 0)
      }),
    )

    test(
      'past its validity a queued message is expired and one that a device has is unknown',
      inWorld(async ({ store, clock }) => {
        const [device, silent] = [await enrol(store), await enrol(store)]
        const queued = await accepted(store, device, { expiresAt: start + 60_000 })
        const taken = await accepted(store, silent, { expiresAt: start + 60_000 })
        const later = await accepted(store, device, { expiresAt: start + 120_000 })
        await store.claim(silent.id, 1)
        assert.equal(await store.expire(10), 0)
        clock.now = start + 60_000
        assert.equal(await store.expire(10), 2)
        assert.equal(await statusOf(store, queued), 'expired')
        assert.equal(await statusOf(store, taken), 'unknown')
        assert.equal(await statusOf(store, later), 'queued')
        assert.equal((await store.message(staging, queued.id))!.errorCode, 'expired')
        assert.equal((await loadOf(store, device)).waiting, 1)
        assert.equal(
          await store.record({ messageId: taken.id, deviceId: silent.id, outcome: 'delivered', at: start }),
          true,
          'a late receipt',
        )
        assert.equal(await store.expire(10), 0)
      }),
    )

    test(
      'ends a large backlog step by step',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        await store.accept(Array.from({ length: 25 }, () => draft(device, { expiresAt: start + 1 })))
        clock.now = start + 2
        assert.deepEqual(
          [await store.expire(10), await store.expire(10), await store.expire(10)],
          [10, 10, 5],
        )
      }),
    )

    test(
      'a queued message goes to another device, but not a named one, nor one that a device has',
      inWorld(async ({ store }) => {
        const [from, to] = [await enrol(store), await enrol(store)]
        const free = await accepted(store, from, { parts: 2 })
        const pinned = await accepted(store, from, { pinned: true })
        const taken = await accepted(store, from)
        assert.deepEqual(
          (await store.movable(from.id, 10)).map(({ id }) => id),
          [free.id, taken.id],
        )
        const transfers = [free, pinned, taken].map(({ id, parts }) => ({
          messageId: id,
          from: from.id,
          to: to.id,
          oldParts: parts,
          parts: 1,
          reason: 'offline',
        }))
        const all = await store.claim(from.id, 3)
        for (const message of all.messages.slice(0, 2)) await store.release(message)
        await store.transfer(transfers)
        const deviceOf = async ({ id }: { id: string }) => (await store.message(staging, id))!.deviceId
        assert.deepEqual(
          [await deviceOf(free), await deviceOf(pinned), await deviceOf(taken)],
          [to.id, from.id, from.id],
        )
        const [one, other] = [await loadOf(store, from), await loadOf(store, to)]
        assert.deepEqual([one.waiting, one.waitingParts, one.movable], [1, 1, 0])
        assert.deepEqual([other.waiting, other.waitingParts, other.movable], [1, 1, 1])
        assert.equal((await eventsOf(store, free)).at(-1)!.data.from, from.id)
      }),
    )

    test(
      'what waits by name for a removed device fails, what it had is unknown',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const had = await accepted(store, device)
        await store.claim(device.id, 1)
        const pinned = await accepted(store, device, { pinned: true })
        const free = await accepted(store, device)
        await store.retire(device)
        assert.equal(await store.abandon(device.id, 10), 2)
        assert.deepEqual(
          [await statusOf(store, had), await statusOf(store, pinned), await statusOf(store, free)],
          ['unknown', 'failed', 'queued'],
        )
        assert.equal((await store.message(staging, pinned.id))!.errorCode, 'device_removed')
      }),
    )

    test(
      'knows after a restart what a device has not answered for',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const given = [
          await accepted(store, device),
          await accepted(store, device),
          await accepted(store, device),
        ]
        await store.claim(device.id, 3)
        await store.record({ messageId: given[1]!.id, deviceId: device.id, outcome: 'sent', at: start })
        const open = await store.unanswered(device.id, 0, 10)
        assert.deepEqual(
          open.map(({ id }) => id),
          [given[0]!.id, given[2]!.id],
        )
        assert.deepEqual(
          (await store.unanswered(device.id, open[0]!.seq, 10)).map(({ id }) => id),
          [given[2]!.id],
        )
      }),
    )

    test(
      'remembers which device last exchanged messages with a number',
      inWorld(async ({ store, clock }) => {
        const [a, b] = [await enrol(store), await enrol(store)]
        const lastDevice = () => store.lastDevice(staging, '+15550101234', clock.now - 1_000)
        assert.equal(await lastDevice(), undefined)
        await accepted(store, a)
        assert.equal(await lastDevice(), a.id)
        await store.receive(incoming(b))
        assert.equal(await lastDevice(), b.id)
        const message = await accepted(store, a)
        assert.equal(await lastDevice(), a.id)
        await store.claim(a.id, 5)
        await store.record({
          messageId: message.id,
          deviceId: a.id,
          outcome: 'failed',
          at: start,
          error: { code: 'network_rejected' },
        })
        assert.equal(await lastDevice(), b.id, 'a failed message is no exchange')
        clock.now += 2_000
        assert.equal(await lastDevice(), undefined, 'too long ago')
      }),
    )

    test(
      'the load of every device is the sum of its queued messages',
      inWorld(async ({ store, clock }) => {
        const list = [await enrol(store), await enrol(store)]
        const step = fc.record({
          kind: fc.constantFrom('accept', 'claim', 'release', 'record', 'expire'),
          device: fc.constantFrom(0, 1),
          parts: fc.integer({ min: 1, max: 5 }),
          pinned: fc.boolean(),
        })
        await fc.assert(
          fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async steps => {
            const held: Message[] = []
            await Promise.all(
              steps.map(async ({ kind, device: index, parts, pinned }) => {
                const device = list[index]!
                if (kind === 'accept')
                  await accepted(store, device, { parts, pinned, expiresAt: clock.now + parts * 1_000 })
                else if (kind === 'claim') held.push(...(await store.claim(device.id, 2)).messages)
                else if (kind === 'release' && held.length > 0) await store.release(held.pop()!)
                else if (kind === 'record' && held.length > 0) {
                  const message = held.pop()!
                  await store.record({
                    messageId: message.id,
                    deviceId: message.deviceId,
                    outcome: 'sent',
                    at: clock.now,
                  })
                } else if (kind === 'expire') {
                  clock.now += 1_000
                  await store.expire(100)
                }
              }),
            )
            for (const device of list) {
              const queued: Message[] = []
              const events = await store.events(0, 100_000)
              const ids = new Set(
                events
                  .filter(event => event.deviceId === device.id && event.messageSeq !== null)
                  .map(event => event.messageSeq),
              )
              const free = await store.movable(device.id, 10_000)
              const load = await loadOf(store, device)
              assert.equal(load.movable, free.length)
              assert.ok(load.waiting >= load.movable && load.waiting <= ids.size + queued.length)
              assert.ok(load.waitingParts >= load.waiting)
            }
          }),
          { numRuns: 10 },
        )
        // Everything that still waits can be taken, and then nothing is left.
        for (const device of list) {
          const load = await loadOf(store, device)
          const { messages } = await store.claim(device.id, 10_000)
          const expired = load.waiting - messages.length
          clock.now += 10_000_000
          await store.expire(10_000)
          const rest = await loadOf(store, device)
          assert.ok(expired >= 0)
          assert.deepEqual([rest.waiting, rest.waitingParts, rest.movable], [0, 0, 0])
        }
      }),
    )

    test(
      'what comes and goes in one commit does not blur which of the waiting may move',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        await accepted(store, device, { pinned: true })
        await Promise.all([store.claim(device.id, 1), store.accept([draft(device)])])
        const load = await loadOf(store, device)
        assert.deepEqual([load.waiting, load.movable], [1, (await store.movable(device.id, 10)).length])
      }),
    )

    test(
      'a number with very many failed messages costs no more than any other',
      inWorld(async ({ store }) => {
        const [device, other] = [await enrol(store), await enrol(store)]
        await accepted(store, other)
        await store.accept(Array.from({ length: 60 }, () => draft(device)))
        await store.claim(device.id, 100)
        const taken = await store.unanswered(device.id, 0, 100)
        await Promise.all(
          taken.map(({ id }) =>
            store.record({ messageId: id, deviceId: device.id, outcome: 'failed', at: start }),
          ),
        )
        assert.equal(
          await store.lastDevice(staging, '+15550101234', 0),
          undefined,
          'nobody looks back that far',
        )
      }),
    )

    test(
      'a node that ends lets its devices go',
      inWorld(async ({ store }) => {
        const [mine, foreign] = [await enrol(store), await enrol(store)]
        await store.presence(mine.id, 'me', true)
        await store.presence(foreign.id, 'other', true)
        await store.beat({ node: 'me' })
        await store.leave('me')
        const found = await store.allDevices()
        assert.deepEqual(
          found.map(({ online, heldBy }) => [online, heldBy]),
          [
            [false, null],
            [true, 'other'],
          ],
        )
        assert.deepEqual(await store.nodes(), [])
      }),
    )

    test(
      'numbers the journal without gaps, in the order of commits, one event for each change',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        await Promise.all(Array.from({ length: 20 }, () => store.accept([draft(device)])))
        await Promise.all([
          store.claim(device.id, 10),
          store.receive(incoming(device)),
          store.change(device, { name: 'New' }),
        ])
        await store.change(device, { paused: true })
        await store.change(device, { paused: true })
        await store.presence(device.id, 'node', true)
        await store.presence(device.id, 'node', true)
        await store.retire(device)
        await store.retire(device)
        const events = await store.events(0, 1_000)
        assert.deepEqual(
          events.map(({ seq }) => seq),
          events.map((_, index) => index + 1),
        )
        const count = (type: string) => events.filter(event => event.type === type).length
        assert.deepEqual(
          [
            'device.added',
            'message.queued',
            'message.sending',
            'message.received',
            'device.changed',
            'device.paused',
            'device.online',
            'device.removed',
          ].map(count),
          [1, 20, 10, 1, 1, 1, 1, 1],
        )
        assert.deepEqual(
          (await store.events(30, 5)).map(({ seq }) => seq),
          [31, 32, 33, 34, 35],
        )
      }),
    )

    test(
      'several processes on one database number the journal together',
      inWorld(async ({ store, url }) => {
        const device = await enrol(store)
        const others = [await openStore(url, { now: Date.now }), await openStore(url, { now: Date.now })]
        await Promise.all(
          [store, ...others].flatMap(one => Array.from({ length: 30 }, () => one.accept([draft(device)]))),
        )
        const events = await store.events(0, 1_000)
        assert.deepEqual(
          events.map(({ seq }) => seq),
          Array.from({ length: 91 }, (_, index) => index + 1),
        )
        assert.equal((await loadOf(store, device)).waiting, 90)
        const claims = await Promise.all([store, ...others].map(one => one.claim(device.id, 100)))
        const ids = claims.flatMap(({ messages }) => messages.map(({ id }) => id))
        assert.equal(ids.length, 90)
        assert.equal(new Set(ids).size, 90, 'none was handed out twice')
        for (const other of others) await other.close()
      }),
    )

    test(
      'keeps a received message once, however often the phone hands it over',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const [first, second] = await Promise.all([
          store.receive(incoming(device, { externalId: 'x' })),
          store.receive(incoming(device, { externalId: 'x' })),
        ])
        const third = await store.receive(incoming(device, { externalId: 'x' }))
        assert.equal(first!.id, second!.id)
        assert.equal(first!.id, third.id)
        assert.equal((await store.inbox(staging, { page: 1 })).total, 1)
      }),
    )

    test(
      'the time of receipt never decreases in order of arrival, even when the clock is set back',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        const times: number[] = []
        for (const step of [0, 1_000, -5_000, 10, 8_000]) {
          clock.now += step
          times.push((await store.receive(incoming(device))).receivedAt)
        }
        assert.deepEqual(
          times,
          [...times].sort((a, b) => a - b),
        )
      }),
    )

    test(
      'pages and totals of every filter are those of a plain list',
      inWorld(async ({ store, clock }) => {
        const list = [
          await enrol(store, { name: 'A', phone: '+15550100001' }),
          await enrol(store, { name: 'B', phone: '' }),
        ]
        const senders = ['+15550109999', 'ACME', '+15550108888']
        const all: { device: string; sender: string; at: number; text: string }[] = []
        for (let n = 0; n < 130; n += 1) {
          const [device, sender] = [list[n % 7 === 0 ? 1 : 0]!, senders[(n * n) % 3]!]
          if (n % 3 === 0) clock.now += 1_000
          await store.receive(incoming(device, { sender, text: `n${n}` }))
          all.unshift({ device: device.id, sender, at: clock.now, text: `n${n}` })
        }
        const time = fc.option(fc.integer({ min: start - 2_000, max: start + 46_000 }), { nil: undefined })
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 7 }),
            fc.option(fc.constantFrom(...list.map(({ id }) => id), randomUUID()), { nil: undefined }),
            fc.option(fc.constantFrom(...senders, 'nobody'), { nil: undefined }),
            time,
            time,
            async (page, deviceId, from, since, until) => {
              const expected = all.filter(
                one =>
                  (deviceId === undefined || one.device === deviceId) &&
                  (from === undefined || one.sender === from) &&
                  (since === undefined || one.at >= since) &&
                  (until === undefined || one.at <= until),
              )
              const filter = {
                page,
                ...(deviceId && { deviceId }),
                ...(from && { from }),
                ...(since && { since }),
                ...(until && { until }),
              }
              const found = await store.inbox(staging, filter)
              assert.equal(found.total, expected.length)
              assert.deepEqual(
                found.items.map(({ text }) => text),
                expected.slice((page - 1) * 25, page * 25).map(({ text }) => text),
              )
            },
          ),
          { numRuns: 120 },
        )
        const [newest] = (await store.inbox(staging, { page: 1 })).items
        assert.deepEqual(
          [newest!.deviceName, newest!.devicePhone, newest!.metadata],
          ['A', '+15550100001', { sim_slot: 1 }],
        )
      }),
    )

    test(
      'a node that lost a link cannot say that the device is offline',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        await store.presence(device.id, 'old', true)
        await store.presence(device.id, 'new', true)
        await store.presence(device.id, 'old', false)
        const [found] = await store.allDevices()
        assert.deepEqual([found!.online, found!.heldBy], [true, 'new'])
      }),
    )

    test(
      'of two nodes that open a link at once, one has it; that of a node that ended can be taken over',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const took = await Promise.all([
          store.presence(device.id, 'a', true, { insteadOf: null }),
          store.presence(device.id, 'b', true, { insteadOf: null }),
        ])
        assert.deepEqual(took, [true, false])
        assert.equal((await store.allDevices())[0]!.heldBy, 'a')
        assert.equal(await store.presence(device.id, 'b', true, { insteadOf: 'a' }), true)
        assert.equal((await store.allDevices())[0]!.heldBy, 'b')
      }),
    )

    test(
      'keys are found by their hash, revoked once and for all, and touched',
      inWorld(async ({ store, clock }) => {
        const key = await store.addKey(
          {
            environmentId: staging,
            name: 'k',
            scopes: ['messages:send'],
            rateLimit: 7,
            allowedIps: ['10.0.0.0/8'],
            expiresAt: null,
            createdBy: 'me',
          },
          'hash',
          'hint',
        )
        assert.deepEqual(await store.key('hash'), key)
        assert.equal(key.environment, 'staging')
        assert.equal(await store.key('other'), undefined)
        clock.now += 5
        await store.touchKey(key.id)
        const revoked = await store.revokeKey(key)
        clock.now += 5
        assert.equal((await store.revokeKey(key))!.revokedAt, revoked!.revokedAt)
        assert.equal((await store.key('hash'))!.lastUsedAt, start + 5)
        assert.equal(await store.revokeKey({ ...key, id: randomUUID() }), undefined)
      }),
    )

    test(
      'what belongs to one environment is listed, changed and ended in no other',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const key = await store.addKey(
          {
            environmentId: staging,
            name: 'k',
            scopes: [],
            rateLimit: null,
            allowedIps: [],
            expiresAt: null,
            createdBy: 'me',
          },
          'hash of it',
          'hint',
        )
        const other = 1
        assert.notEqual(other, staging)
        const names = (list: readonly { id: string }[]) => list.map(({ id }) => id)
        assert.deepEqual(names(await store.devices(device.environmentId)), [device.id])
        assert.deepEqual(names(await store.devices(other)), [])
        assert.deepEqual(names(await store.keys(staging)), [key.id])
        assert.deepEqual(names(await store.keys(other)), [])
        assert.deepEqual(await store.webhooks(other), [])
        const elsewhere = { environmentId: other, id: device.id }
        assert.equal(await store.change(elsewhere, { name: 'Stolen' }), undefined)
        assert.equal(await store.retire(elsewhere), undefined)
        assert.equal(await store.revokeKey({ environmentId: other, id: key.id }), undefined)
        const rotation = { id: key.id, hash: 'h', hint: 'h', until: 0, createdBy: 'me' }
        assert.equal(await store.rotateKey({ ...rotation, environmentId: other }), undefined)
        assert.equal((await store.allDevices())[0]!.name, device.name)
        assert.equal((await store.key('hash of it'))!.revokedAt, null)
      }),
    )

    test(
      'settings of an environment are its own',
      inWorld(async ({ store }) => {
        await store.configure(staging, { ...defaultSettings, numberCheck: 'plan' })
        assert.deepEqual(
          (await store.environments()).map(({ name, settings }) => [name, settings.numberCheck]),
          [
            ['production', 'shape'],
            ['staging', 'plan'],
          ],
        )
      }),
    )

    test(
      'what was written is there after closing and opening again',
      inWorld(async ({ url, store }) => {
        const device = await enrol(store)
        const message = await accepted(store, device)
        await store.close()
        const again = await openStore(url, { now: Date.now })
        assert.equal(await statusOf(again, message), 'queued')
        await again.close()
      }),
    )

    test(
      'a phone is let in by its token, again and again, each time with a fresh one',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        assert.equal(await store.invite(device.id, { tokenHash: 'a' }), true)
        assert.equal(await store.invite(randomUUID(), { tokenHash: 'b' }), false)
        assert.equal(await store.admit({ tokenHash: 'wrong' }, 't0'), undefined)
        const first = await store.admit({ tokenHash: 'a' }, 't1')
        assert.deepEqual([first?.device.id, first?.tokenHash, first?.registeredAt], [device.id, 't1', start])
        clock.now += 1_000
        const second = await store.admit({ tokenHash: 'a' }, 't2')
        assert.equal(second?.registration, first!.registration + 1)
        assert.equal(await store.mayAdmit({ tokenHash: 'a' }), true)
        assert.equal(await store.mayAdmit({ tokenHash: 'wrong' }), false)
        assert.equal(await store.phoneByToken('t1'), undefined)
        assert.equal((await store.phoneByToken('t2'))?.registeredAt, start + 1_000)
        assert.equal((await store.phoneByHook(first!.hook))?.device.id, device.id)
        await store.retire(device)
        assert.equal(await store.phoneByToken('t2'), undefined)
        assert.equal(await store.phoneByHook(first!.hook), undefined)
        assert.equal(await store.admit({ tokenHash: 'a' }, 't3'), undefined)
        assert.deepEqual(await store.phones(), [])
      }),
    )

    test(
      'a code lets one phone in once, ends by time, by a new token, and by too many wrong tries of all',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        const code = (hash: string) =>
          store.invite(device.id, { code: { hash, expiresAt: clock.now + codeMs } })
        assert.equal(await store.mayAdmit({ codeHash: 'c1' }), false, 'no code is open')
        await code('c1')
        assert.equal(await store.mayAdmit({ codeHash: 'any' }), true)
        assert.ok(await store.admit({ codeHash: 'c1' }, 't1'))
        assert.equal(await store.admit({ codeHash: 'c1' }, 't2'), undefined)
        await code('c2')
        clock.now += codeMs
        assert.equal(await store.admit({ codeHash: 'c2' }, 't3'), undefined)
        await code('c3')
        await store.invite(device.id, { tokenHash: 'a' })
        assert.equal(await store.admit({ codeHash: 'c3' }, 't4'), undefined)
        await code('c4')
        const guesses = (count: number) =>
          Promise.all(Array.from({ length: count }, () => store.admit({ codeHash: 'x' }, 't')))
        await guesses(codeTriesOfAll - 1)
        assert.ok(await store.admit({ codeHash: 'c4' }, 't5'), 'so many wrong ones are forgiven')
        await code('c5')
        await guesses(codeTriesOfAll)
        assert.equal(await store.admit({ codeHash: 'c5' }, 't6'), undefined)
      }),
    )

    test(
      'for whoever guessed too often, codes that were open then do not count; newer ones do',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        const code = (hash: string) =>
          store.invite(device.id, { code: { hash, expiresAt: clock.now + codeMs } })
        await code('c1')
        clock.now += 1_000
        const issuedAfter = clock.now
        assert.equal(await store.admit({ codeHash: 'c1', issuedAfter }, 't1'), undefined)
        clock.now += 1_000
        await code('c2')
        assert.ok(await store.admit({ codeHash: 'c2', issuedAfter }, 't2'))
      }),
    )

    test(
      'what a phone has not acknowledged is shown to it again, but not to one that was let in since',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        await store.invite(device.id, { tokenHash: 'a' })
        const { registration } = (await store.admit({ tokenHash: 'a' }, 't1'))!
        const [one, two, three] = [
          await accepted(store, device),
          await accepted(store, device),
          await accepted(store, device, { expiresAt: start + 5_000 }),
        ]
        const shown = async (of = registration) =>
          (await store.unacknowledged(device.id, of, 10)).map(({ id }) => id)
        assert.deepEqual(await shown(), [], 'nothing was handed over yet')
        const pulled = await store.pull(device.id, registration, 10)
        assert.deepEqual(
          pulled?.messages.map(({ id }) => id),
          [one.id, two.id, three.id],
        )
        assert.deepEqual(await shown(), [one.id, two.id, three.id])
        assert.deepEqual(await store.slowToAcknowledge(start - 1), [])
        assert.deepEqual(await store.slowToAcknowledge(start + 10), [device.id])
        const taken = { deviceId: device.id, outcome: 'taken', at: start, times: { taken: start } } as const
        await store.record({ ...taken, messageId: one.id })
        assert.deepEqual(await shown(), [two.id, three.id])
        clock.now += 5_000
        assert.deepEqual(await shown(), [two.id], 'past its validity it is not shown')
        // Whatever the clock says.
        clock.now = start + 3_600_000
        const again = (await store.admit({ tokenHash: 'a' }, 't2'))!
        clock.now = start
        assert.deepEqual(await shown(again.registration), [])
        assert.deepEqual(await store.slowToAcknowledge(start + 10), [])
        const four = await accepted(store, device)
        assert.equal(await store.pull(device.id, registration, 10), undefined, 'the predecessor gets nothing')
        assert.equal((await store.message(staging, four.id))?.status, 'queued')
        await store.pull(device.id, again.registration, 10)
        assert.deepEqual(await shown(again.registration), [four.id])
      }),
    )

    test(
      'a phone replaced in the same commit in which it asks gets nothing that its successor is given',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        await store.invite(device.id, { tokenHash: 'a' })
        const { registration } = (await store.admit({ tokenHash: 'a' }, 't1'))!
        await accepted(store, device)
        const [old, next] = await Promise.all([
          store.pull(device.id, registration, 10),
          store.admit({ tokenHash: 'a' }, 't2'),
        ])
        const shown = await store.unacknowledged(device.id, next!.registration, 10)
        const given = await store.pull(device.id, next!.registration, 10)
        assert.equal((old?.messages.length ?? 0) + shown.length + (given?.messages.length ?? 0), 1)
      }),
    )

    test(
      'each message is handed to a phone with a later time than all before it, though the clock is set back',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        await store.invite(device.id, { tokenHash: 'a' })
        const { registration } = (await store.admit({ tokenHash: 'a' }, 't1'))!
        const times: number[] = []
        for (const step of [0, 3, -60_000, 0, 90_000]) {
          clock.now += step
          await store.accept(Array.from({ length: 10 }, () => draft(device)))
          const { messages } = (await store.pull(device.id, registration, 10))!
          times.push(...messages.map(({ handedAt }) => handedAt!))
          const [first] = await store.unacknowledged(device.id, registration, 1)
          assert.equal(first?.handedAt, times[0], 'the same at every listing')
        }
        assert.ok(times.every((at, index) => index === 0 || at > times[index - 1]!))
      }),
    )

    test(
      'who is let in again has a new address and key; the old ones are good for two days; unused ones stay',
      inWorld(async ({ store, clock }) => {
        const device = await enrol(store)
        await store.invite(device.id, { tokenHash: 'a' })
        const first = (await store.admit({ tokenHash: 'a' }, 't1'))!
        const twin = (await store.admit({ tokenHash: 'a' }, 't2'))!
        assert.deepEqual([twin.hook, twin.signingKey], [first.hook, first.signingKey], 'nobody used them yet')
        await store.notePhone(device.id, { keyAt: clock.now })
        const next = (await store.admit({ tokenHash: 'a' }, 't3'))!
        assert.notEqual(next.hook, first.hook)
        assert.notEqual(next.signingKey, first.signingKey)
        assert.equal(next.keyAt, null)
        const old = await store.phoneByHook(first.hook)
        assert.deepEqual([old?.signingKey, old?.keyAt !== null], [first.signingKey, true])
        assert.equal((await store.phoneByHook(next.hook))?.signingKey, next.signingKey)
        clock.now += 48 * 3_600_000
        assert.equal(await store.phoneByHook(first.hook), undefined)
      }),
    )

    test(
      'a stream of an earlier registration says nothing about this one',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        await store.invite(device.id, { tokenHash: 'a' })
        const first = (await store.admit({ tokenHash: 'a' }, 't1'))!
        await store.notePhone(device.id, { streamAt: 5, registration: first.registration })
        assert.equal((await store.phoneByToken('t1'))?.streamAt, 5)
        await store.admit({ tokenHash: 'a' }, 't2')
        await store.notePhone(device.id, { streamAt: 6, registration: first.registration })
        assert.equal((await store.phoneByToken('t2'))?.streamAt, null)
      }),
    )

    test(
      'the device’s own times are kept, the earliest of each, and only on its own messages',
      inWorld(async ({ store }) => {
        const [device, other] = [await enrol(store), await enrol(store)]
        const { id } = await accepted(store, device)
        await store.claim(device.id, 1)
        const report = (deviceId: string, outcome: 'taken' | 'sent' | 'delivered', times: object) =>
          store.record({ messageId: id, deviceId, outcome, at: start, times })
        assert.equal(await report(device.id, 'taken', { taken: 5, processed: 9 }), false)
        const moved = await Promise.all([
          report(device.id, 'delivered', { sent: 20, delivered: 30 }),
          report(device.id, 'sent', { sent: 10, processed: 8, taken: 7 }),
          report(other.id, 'sent', { sent: 1 }),
        ])
        assert.deepEqual(moved, [true, false, false])
        const message = await store.message(staging, id)
        assert.deepEqual(message?.reported, { taken: 5, processed: 8, sent: 10, delivered: 30 })
        assert.equal(message?.status, 'delivered')
      }),
    )

    test(
      'a waiting message is canceled; of one that a device has, only the wish is kept',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const [one, two] = [await accepted(store, device), await accepted(store, device)]
        assert.equal(await store.cancel(1, one.id, true), undefined, 'not another environment’s')
        assert.equal(await store.cancel(staging, one.id, true), 'canceled')
        assert.equal((await store.loads())[0]?.waiting, 1)
        await store.claim(device.id, 10)
        assert.equal(await store.cancel(staging, two.id, false), 'sending')
        assert.equal((await store.message(staging, two.id))?.cancelAsked, false)
        assert.equal(await store.cancel(staging, two.id, true), 'sending')
        assert.equal((await store.message(staging, two.id))?.cancelAsked, true)
        assert.deepEqual(
          (await store.toCancel(10)).map(({ id }) => id),
          [two.id],
        )
        assert.deepEqual(await store.unacknowledged(device.id, 0, 10), [], 'it is not shown as one to send')
        const word = { messageId: two.id, deviceId: device.id, outcome: 'taken', at: start } as const
        await store.record({ ...word, times: { taken: start } })
        assert.equal((await store.toCancel(10)).length, 1, 'that it has it is no answer')
        await store.record({ ...word, times: { processed: start } })
        assert.deepEqual(await store.toCancel(10), [], 'that it is being sent is one')
        await store.cancel(staging, two.id, true)
        const canceled = { messageId: two.id, deviceId: device.id, outcome: 'canceled', at: start } as const
        assert.equal(await store.record(canceled), true)
        assert.equal(await store.cancel(staging, two.id, true), 'canceled')
        assert.equal(await store.cancel(staging, randomUUID(), true), undefined)
      }),
    )

    test(
      'what a device says about itself is kept, and attention is journalled when it changes',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        await store.describe(device.id, { about: { appVersion: '1.0' }, seenAt: 5 })
        await store.describe(device.id, { about: { model: 'x' }, attention: ['battery_low'], seenAt: 3 })
        await store.describe(device.id, { attention: ['battery_low'] })
        const [found] = await store.allDevices()
        assert.deepEqual(found?.about, { appVersion: '1.0', model: 'x' })
        assert.deepEqual([found?.attention, found?.seenAt], [['battery_low'], 5])
        const events = await store.events(0, 100)
        assert.equal(events.filter(({ type }) => type === 'device.attention').length, 1)
      }),
    )

    test(
      'a received message is kept once by what it says too, and its files belong to its environment',
      inWorld(async ({ store }) => {
        const device = await enrol(store)
        const file = { id: randomUUID(), mime: 'image/png', size: 3, filename: 'ä.png' }
        const incoming = (externalId: string): Incoming => ({
          deviceId: device.id,
          sender: '+15550100001',
          text: 'x',
          type: 'mms',
          metadata: {},
          externalId,
          fingerprint: 'f',
          media: [file],
        })
        const [a, b] = await Promise.all([store.receive(incoming('1')), store.receive(incoming('2'))])
        assert.equal(a.id, b.id)
        assert.deepEqual(await store.media(staging, file.id), file)
        assert.equal(await store.media(1, file.id), undefined)
      }),
    )
  })
}
