/** WhatsApp numbers in trouble: a library that got stuck, a server that does not answer, refusals. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Device } from '../../src/core/devices/device.ts'
import type { Vault } from '../../src/core/devices/vault.ts'
import { WhatsAppLine } from '../../src/links/whatsapp/linked/line.ts'
import { pair } from '../../src/links/whatsapp/linked/pairing.ts'
import { inboxType } from '../../src/links/whatsapp/linked/session.ts'
import { WebVersions } from '../../src/links/whatsapp/linked/web-version.ts'
import { SealedVault } from '../../src/secrets/sealed-vault.ts'
import { openStore } from '../../src/store/open.ts'
import { emptySqlite } from '../standins/databases.ts'
import { until } from '../standins/gateway.ts'
import { type WhatsAppWorld, whatsappWorld } from '../standins/whatsapp/world.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

test('a line that takes messages and decrypts none is given up, and the next one has them', async () => {
  const database = await emptySqlite()
  const world = await whatsappWorld({ database })
  const { server, account, bob, gateway, url, device } = world
  await until('its keys are known', () => account.companions.get(1)?.signedKey !== undefined)
  // The same session in other hands, which can be made to hang.
  await gateway.stop()
  const store = await openStore(database, { now: Date.now })
  const sealed = new SealedVault(store, device.id, gateway.sealer)
  let hangs = false
  let hung = 0
  let away = false
  const vault: Vault = {
    read: (...given) => (away ? Promise.reject(new Error('storage is away')) : sealed.read(...given)),
    list: (...given) => sealed.list(...given),
    forget: (...given) => sealed.forget(...given),
    write: changes => {
      if (!hangs || !changes.some(({ type, value }) => type === inboxType && value !== null))
        return sealed.write(changes)
      hung += 1
      return new Promise(() => {})
    },
  }
  let ahead = 0
  const heard: string[] = []
  const line = new WhatsAppLine({
    versions: new WebVersions({ lookUp: async () => undefined, now: Date.now }),
    device: { ...device } as Device,
    lease: { epoch: 1, isHeld: () => true },
    news: {
      receipt: async () => {},
      received: async ({ text }) => void heard.push(text),
      online: async () => {},
      amended: async () => {},
    },
    vault,
    attention: async () => {},
    restricted: async () => {},
    rests: async () => {},
    optedOut: async () => false,
    media: () => Promise.reject(new Error('none')),
    habits: { audio: 'playable' },
    files: {
      limits: { image: 1, video: 1, audio: 1, document: 1 },
      fetch: () => Promise.reject(new Error('none')),
      save: async () => {},
    },
    url,
    now: () => Date.now() + ahead,
    log,
  })
  let logins = 0
  server.on('login', () => {
    logins += 1
    hangs = false
  })
  try {
    await until('it is there', () => logins === 1 && line.isUp())
    await server.write(bob, account, { conversation: 'heard' })
    await until('it hears', () => heard.includes('heard'))
    // Storage is away for a moment: the message is not refused, and comes again.
    away = true
    await server.write(bob, account, { conversation: 'while storage was away' })
    await until('the line is cut', () => !line.isUp())
    away = false
    await until('it hears of it', () => heard.includes('while storage was away'))
    logins = 1
    hangs = true
    await server.write(bob, account, { conversation: 'not heard at first' })
    await until('it hangs', () => hung > 0)
    ahead = 61_000
    // Frames still come: only nothing is decrypted any more.
    const pings = setInterval(() => server.receipt(account, { id: 'none', to: bob.phoneJid }), 1_000)
    await until('it comes again', () => logins === 2)
    clearInterval(pings)
    await server.write(bob, account, { conversation: 'the next' })
    await until('it hears again', () => heard.includes('the next') && heard.includes('not heard at first'))
  } finally {
    await line.close()
    await store.close()
    server.stop()
  }
})

describe('a server in trouble', () => {
  let world: WhatsAppWorld
  before(async () => {
    world = await whatsappWorld()
  })
  after(() => world.stop())
  const attention = async () => (await world.gateway.store.allDevices())[0]!.attention

  test('while WhatsApp does not say whether it knows a number, nothing is sent to it', async () => {
    const { server, gateway, key, device } = world
    const stranger = server.add({ phone: '15550004000', lid: '930000000000' })
    server.silent.add('usync')
    const body = { to: `+${stranger.phone}`, message: 'x', device_id: device.id }
    const { message_id: id } = (await gateway.ask('POST', '/api/v1/sms/send', { key, body })).body
    const status = async () => (await gateway.store.message(device.environmentId, id))!
    await until(
      'it was tried',
      async () => (await status()).attempts > 0 && (await status()).status === 'queued',
    )
    assert.deepEqual(server.outgoing, [])
    server.silent.clear()
    await until('it arrives', () => stranger.received.length === 1)
    assert.equal(server.outgoing.length, 1)
  })

  test('a line that ends while the library holds receipts back loses none of them', async () => {
    const { server, gateway, key, device, account, bob } = world
    server.policy.deliver = false
    const body = { to: `+${bob.phone}`, message: 'x', device_id: device.id }
    const { message_id: id } = (await gateway.ask('POST', '/api/v1/sms/send', { key, body })).body
    const status = async () => (await gateway.store.message(device.environmentId, id))!.status
    await until('it is sent', async () => (await status()) === 'sent')
    const companion = account.companions.get(1)!
    server.unending = true
    server.drop(account)
    // The server has the receipt while nobody is there; the next connection acknowledges it, and holds it back.
    server.receipt(account, { id: server.outgoing.at(-1)!.id, to: bob.phoneJid })
    assert.equal(companion.receipts.size, 1)
    await until('it is acknowledged', () => companion.receipts.size === 0)
    assert.equal(await status(), 'sent')
    server.unending = false
    server.drop(account)
    await until('it is told', async () => (await status()) === 'delivered')
    await until('it is back', () => server.connectionOf(account) !== undefined)
  })
  test('another program with the same session: the device says so, and does not fight', async () => {
    const { server, account } = world
    let logins = 0
    server.on('login', () => {
      logins += 1
    })
    server.endStream(account, {}, [{ tag: 'conflict', attrs: { type: 'replaced' } }])
    await until('it says so', async () => (await attention()).includes('session_conflict'))
    assert.equal(logins, 0)
  })
})

for (const [reason, code] of [
  ['403', 'number_banned'],
  ['405', 'client_outdated'],
] as const)
  test(`refused with ${reason}: the device says ${code}, and its session is kept`, async () => {
    const world = await whatsappWorld()
    const { server, account, gateway, device } = world
    server.refusal = reason
    server.drop(account)
    await until(code, async () => (await gateway.store.allDevices())[0]!.attention.some(one => one === code))
    assert.ok((await gateway.store.vaultRead(device.id, 'creds', ['creds'])).length === 1)
    if (code === 'number_banned') {
      // Linked again, it comes back without a restart.
      server.refusal = undefined
      for await (const step of pair({
        url: world.url,
        signal: AbortSignal.timeout(90_000),
        now: Date.now,
        log,
      })) {
        if (step.step === 'qr') server.scan(step.qr, account)
        if (step.step === 'linked')
          await new SealedVault(gateway.store, device.id, gateway.sealer).write(step.session)
      }
      await until('online', async () => (await gateway.store.allDevices())[0]!.online)
    }
    await world.stop()
  })
