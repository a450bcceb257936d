/** The pump when storage fails at the worst moment: nothing is stranded, nothing goes out twice. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pump } from '../src/core/devices/pump.ts'
import { LinkDown } from '../src/core/link.ts'
import type { Message, Receipt } from '../src/core/messages/message.ts'
import type { Store } from '../src/core/store.ts'
import { openStore } from '../src/store/open.ts'
import { emptySqlite } from './standins/databases.ts'
import { until } from './standins/gateway.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

/** A real store whose next call of a verb fails: before it is carried out, or after it was kept. */
async function world() {
  const store = await openStore(await emptySqlite(), { now: Date.now })
  const device = await store.enrol({
    environmentId: 2,
    kind: 'android',
    name: 'P',
    phone: '',
    perMinute: null,
    perDay: null,
  })
  // This test's node has the link.
  await store.beat({ node: 'here' })
  await store.takeLinks('here', [device.id])
  let isHeld = true
  const fault: { verb?: keyof Store | 'record'; kept?: boolean } = {}
  const failing =
    <Input extends unknown[], Output>(
      verb: keyof Store | 'record',
      work: (...input: Input) => Promise<Output>,
    ) =>
    async (...input: Input): Promise<Output> => {
      if (fault.verb !== verb) return work(...input)
      delete fault.verb
      if (fault.kept) await work(...input)
      throw new Error('the connection broke')
    }
  const sent: Message[] = []
  let mode: 'take' | 'down' | 'answer' | 'hang' | 'away' = 'take'
  const hanging: (() => void)[] = []
  const pump = new Pump({
    deviceId: device.id,
    lease: { epoch: 1, isHeld: () => isHeld },
    send: async message => {
      if (mode === 'down') throw new LinkDown()
      if (mode === 'hang') await new Promise<void>(resolve => hanging.push(resolve))
      sent.push(message)
      return mode === 'answer'
        ? { messageId: message.id, deviceId: device.id, outcome: 'sent', at: Date.now() }
        : undefined
    },
    isUp: () => mode !== 'away',
    store: {
      claim: failing('claim', store.claim),
      release: failing('release', store.release),
      unanswered: (...asked) => store.unanswered(...asked),
      ping: store.ping,
    },
    record: failing('record', async (receipt: Receipt) => {
      await store.record(receipt)
    }),
    claimed: () => {},
    now: Date.now,
    log,
  })
  const accept = async () => {
    const id = crypto.randomUUID()
    await store.accept([
      {
        id,
        environmentId: 2,
        batchId: null,
        deviceId: device.id,
        pinned: true,
        recipient: '+15550101234',
        text: 'x',
        mediaUrl: null,
        simSlot: null,
        parts: 1,
        expiresAt: Date.now() + 86_400_000,
      },
    ])
    return id
  }
  return {
    store,
    pump,
    sent,
    fault,
    accept,
    device,
    lapse: () => {
      isHeld = false
    },
    letGo: () => {
      for (const go of hanging.splice(0)) go()
    },
    setMode: (to: typeof mode) => {
      mode = to
    },
  }
}

for (const kept of [true, false])
  test(`a claim that failed ${kept ? 'but was kept' : 'and was not kept'} is handed over, once`, async () => {
    const { store, pump, sent, fault, accept } = await world()
    const ids = [await accept(), await accept(), await accept()]
    Object.assign(fault, { verb: 'claim', kept })
    pump.start()
    await until('handed over', () => sent.length >= 3)
    const more = await accept()
    pump.wake()
    await until('the next one too', () => sent.length >= 4)
    await pump.stop()
    assert.deepEqual(
      sent.map(({ id }) => id),
      [...ids, more],
    )
    await store.close()
  })

test('a message that hangs holds up nobody behind it', async () => {
  const { store, pump, sent, accept, setMode, letGo } = await world()
  setMode('hang')
  const first = await accept()
  pump.start()
  await until('it hangs', async () => (await store.message(2, first))!.status === 'sending')
  setMode('take')
  const second = await accept()
  pump.wake()
  await until('the next goes ahead', () => sent.length > 0)
  assert.equal(sent[0]!.id, second)
  letGo()
  await pump.stop()
  assert.deepEqual(
    sent.map(({ id }) => id),
    [second, first],
  )
  await store.close()
})

test('a message that cannot go rests, and does not come back at once', async () => {
  const { store, pump, sent, accept, setMode } = await world()
  setMode('down')
  const first = await accept()
  pump.start()
  await until('it was tried', async () => (await store.message(2, first))!.attempts > 0)
  setMode('take')
  const second = await accept()
  await until('the next goes', () => sent.length > 0)
  assert.equal(sent[0]!.id, second)
  await until('it goes too', () => sent.length === 2)
  await pump.stop()
  await store.close()
})

test('while the line is down nothing is taken from the queue', async () => {
  const { store, pump, accept, setMode, sent } = await world()
  setMode('away')
  const id = await accept()
  pump.start()
  await pump.stop()
  assert.equal((await store.message(2, id))!.attempts, 0)
  setMode('take')
  pump.start()
  await until('handed over', () => sent.length === 1)
  await pump.stop()
  await store.close()
})

test('what could not be given back to the queue is given back later, and goes out once', async () => {
  const { store, pump, sent, fault, accept, setMode } = await world()
  const id = await accept()
  setMode('down')
  Object.assign(fault, { verb: 'release', kept: false })
  pump.start()
  await until('it failed', () => fault.verb === undefined)
  setMode('take')
  await until('handed over', () => sent.length > 0)
  await pump.stop()
  assert.deepEqual(
    sent.map(message => message.id),
    [id],
  )
  await store.close()
})

test('a receipt that could not be stored is stored later', async () => {
  const { store, pump, fault, accept, setMode } = await world()
  const id = await accept()
  setMode('answer')
  Object.assign(fault, { verb: 'record', kept: false })
  pump.start()
  await until('stored', async () => (await store.message(2, id))!.status === 'sent')
  await pump.stop()
  await store.close()
})

test('a claim in doubt hands over nothing that another node has claimed since', async () => {
  const { store, pump, sent, fault, accept, device } = await world()
  const first = await accept()
  // The claim is not kept; before anything else is done, this process sleeps and another node takes the link.
  const { promise, resolve } = Promise.withResolvers<void>()
  const unanswered = store.unanswered
  Object.assign(store, {
    unanswered: async (...asked: Parameters<Store['unanswered']>) => {
      await promise
      return await unanswered(...asked)
    },
  })
  Object.assign(fault, { verb: 'claim', kept: false })
  pump.start()
  await until('the claim failed', () => fault.verb === undefined)
  await store.leave('here')
  await store.beat({ node: 'there' })
  const epoch = (await store.takeLinks('there', [device.id])).get(device.id)!
  const { messages } = await store.claim(device.id, 10, { epoch })
  assert.deepEqual(
    messages.map(({ id }) => id),
    [first],
  )
  resolve()
  const second = await accept()
  pump.wake()
  await sleep(1_500)
  await pump.stop()
  assert.deepEqual(sent, [], 'the other node sends the first')
  assert.equal((await store.message(2, second))!.status, 'queued', 'and claims the second')
  await store.close()
})

test('what was claimed before the lease ended and has not left is given back, not sent', async () => {
  const { store, pump, sent, accept, lapse, letGo, setMode } = await world()
  setMode('hang')
  const first = await accept()
  pump.start()
  await until('it is claimed', async () => (await store.message(2, first))!.status === 'sending')
  lapse()
  letGo()
  await until('this one had left', () => sent.length === 1)
  const second = await accept()
  pump.wake()
  await sleep(1_500)
  await pump.stop()
  assert.equal((await store.message(2, second))!.status, 'queued')
  assert.equal(sent.length, 1)
  await store.close()
})

test('what was handed over stays handed over when a later claim is in doubt, whatever the clocks say', async () => {
  const { store, pump, sent, fault, accept } = await world()
  const ids = [await accept(), await accept(), await accept()]
  pump.start()
  await until('handed over', () => sent.length === 3)
  // The link has them, and has not reported yet.
  Object.assign(fault, { verb: 'claim', kept: false })
  ids.push(await accept())
  pump.wake()
  await until('the next one too', () => sent.length >= 4)
  await pump.stop()
  assert.deepEqual(
    sent.map(({ id }) => id),
    ids,
  )
  await store.close()
})

test('a lost link gives back what it claimed and never handed over, and pays what it owes', async () => {
  const { store, pump, sent, fault, accept, lapse, setMode } = await world()
  setMode('answer')
  const told = await accept()
  Object.assign(fault, { verb: 'record', kept: false })
  pump.start()
  await until('its receipt could not be stored', () => fault.verb === undefined && sent.length === 1)
  setMode('away')
  await until('paid', async () => (await store.message(2, told))!.status === 'sent')
  setMode('take')
  const doubtful = await accept()
  Object.assign(fault, { verb: 'claim', kept: true })
  pump.wake()
  await until('the claim seemed to fail', () => fault.verb === undefined)
  lapse()
  await pump.abandon()
  assert.equal((await store.message(2, doubtful))!.status, 'queued')
  assert.deepEqual(
    sent.map(({ id }) => id),
    [told],
  )
  await store.close()
})
