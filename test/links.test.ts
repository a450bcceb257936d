import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { simulatedPhones } from '../src/links/simulated.ts'
import { linkContract, type OtherSide } from './link.contract.ts'
import { App } from './standins/app.ts'
import { GraphStandin } from './standins/cloud/graph.ts'
import { startGateway, until } from './standins/gateway.ts'
import { listen, messageTo } from './standins/link.ts'
import { whatsappWorld } from './standins/whatsapp/world.ts'

/** Says it again until the gateway has it, as phones and Meta do. */
const insist = (what: string, tell: () => Promise<number>) => until(what, async () => (await tell()) < 300)

linkContract('a simulated phone', async (database): Promise<OtherSide> => {
  // Slow deliveries take 30 seconds: here 0.9.
  const gateway = await startGateway({ database, pace: 0.03 })
  const { id: deviceId } = await gateway.device('staging')
  return {
    gateway,
    deviceId,
    environment: 'staging',
    recipient: '+15550101234',
    slowRecipient: '+15550100004',
    taken: async () => gateway.onAir.map(({ message }) => message.text),
    // It does by itself.
    deliver: async () => {},
    stop: () => gateway.stop(),
  }
})

linkContract('an Android phone', async (database): Promise<OtherSide> => {
  const gateway = await startGateway({ database, appPhones: true })
  const app = await App.enrol(gateway)
  await app.stream()
  const ids = new Map<string, string>()
  const taken: string[] = []
  return {
    gateway,
    deviceId: app.device.id,
    environment: 'production',
    recipient: '+15550101234',
    async taken() {
      for (const { id, textMessage } of await app.list()) {
        // What it is shown again it knows by its id.
        if (![...ids.values()].includes(id)) taken.push(textMessage.text)
        ids.set(textMessage.text, id)
      }
      return taken
    },
    deliver: text =>
      insist('the report is kept', async () => (await app.report(ids.get(text)!, 'Delivered')).status),
    async write(message) {
      const payload = { sender: '+15550100199', message, receivedAt: new Date().toISOString() }
      const [key, path, id] = [await app.signingKey(), await app.hookPath(), message]
      for (let n = 0; n < 2; n += 1)
        await insist(
          'the SMS is kept',
          async () => (await app.post('sms:received', payload, { key, path, id })).status,
        )
    },
    async stop() {
      app.hangUp()
      await gateway.stop()
    },
  }
})

linkContract('a linked WhatsApp number', async (database): Promise<OtherSide> => {
  const { gateway, server, account, bob, device, stop } = await whatsappWorld({ database })
  server.policy.deliver = false
  const textOf = (one: (typeof bob.received)[number]) => one.message.extendedTextMessage?.text ?? ''
  return {
    gateway,
    deviceId: device.id,
    environment: 'production',
    recipient: '+15550002000',
    taken: async () => bob.received.map(textOf),
    async deliver(text) {
      const { id } = bob.received.find(one => textOf(one) === text)!
      server.receipt(account, { id, to: bob.phoneJid })
    },
    async write(text) {
      server.repeat(account, await server.write(bob, account, { conversation: text }))
    },
    stop,
  }
})

linkContract('a number of WhatsApp’s official API', async (database): Promise<OtherSide> => {
  const graph = new GraphStandin()
  graph.behaviour = { statuses: [] }
  const gateway = await startGateway({ database, settings: { WHATSAPP_GRAPH_URL: await graph.start() } })
  const key = await gateway.key('production', { scopes: ['devices:read', 'devices:manage'] })
  const added = await gateway.ask('POST', '/api/v1/devices', {
    key,
    body: {
      kind: 'whatsapp',
      driver: 'cloud',
      name: 'Official',
      cloud: { phone_number_id: graph.phoneNumberId, access_token: graph.token, app_secret: graph.appSecret },
    },
  })
  graph.webhook = added.body.data.webhook.url
  return {
    gateway,
    deviceId: added.body.data.id,
    environment: 'production',
    recipient: '+15550002000',
    taken: async () => graph.taken.map(({ text }) => text.body),
    async deliver(text) {
      const message = graph.taken.find(one => one.text.body === text)!
      await insist('the status is kept', () => graph.status(message, 'delivered'))
    },
    async write(body) {
      for (let n = 0; n < 2; n += 1)
        await insist('the text is kept', () =>
          graph.write({ id: `wamid.${body}`, type: 'text', text: { body } }),
        )
    },
    async stop() {
      graph.stop()
      await gateway.stop()
    },
  }
})

test('a simulated phone tells nothing more once it is closed', async () => {
  const { link, receipts } = listen(simulatedPhones({ now: Date.now }))
  await link.send!(messageTo('+15550101234'))
  await link.close()
  const before = receipts.length
  await sleep(300)
  assert.equal(receipts.length, before)
})

/** Delays shrunk to a hundredth, so that thirty seconds are a third of one; their order stays. */
const quick = simulatedPhones({ now: Date.now, pace: 0.01 })

const told = async (recipient: string) => {
  const { link, receipts, received } = listen(quick)
  await link.send!(messageTo(recipient))
  await sleep(120)
  const early = receipts.map(({ outcome, error }) => (error ? `${outcome} ${error.code}` : outcome))
  await sleep(300)
  await link.close()
  return {
    early,
    // Sorted: at this pace the two may come in the same moment.
    late: receipts.map(({ outcome }) => outcome).toSorted(),
    texts: received.map(({ text, sender }) => [sender, text]),
  }
}

test('the last four digits of the recipient choose the fate', async () => {
  const [usual, failed, lost, silent, slow, pong, stop] = await Promise.all(
    ['1234', '0001', '0002', '0003', '0004', '0005', '0006'].map(end => told(`+1555010${end}`)),
  )
  assert.deepEqual(usual!.early, ['sent', 'delivered'])
  assert.deepEqual(failed!.late, ['failed'])
  assert.deepEqual(failed!.early, ['failed network_rejected'])
  assert.deepEqual(lost!.late, ['sent'])
  assert.deepEqual(silent!.late, [])
  assert.deepEqual([slow!.early, slow!.late], [['sent'], ['delivered', 'sent']])
  assert.deepEqual([pong!.late, pong!.texts], [['delivered', 'sent'], [['+15550100005', 'PONG']]])
  assert.deepEqual(stop!.texts, [['+15550100006', 'STOP']])
})

test('what was with the phone before a restart is reported after it, without a second send', async () => {
  const aired: string[] = []
  const { link, receipts } = listen(
    simulatedPhones({ now: Date.now, onAir: message => aired.push(message.id) }),
  )
  link.resume!([{ ...messageTo('+15550101234'), handedAt: Date.now() - 60_000 }])
  await until('reported', () => receipts.length === 2)
  assert.deepEqual(aired, [])
  await link.close()
})
