/** A gateway with a WhatsApp number, and the stand-in server it is linked to. */

import type { Device } from '../../../src/core/devices/device.ts'
import { pair } from '../../../src/links/whatsapp/linked/pairing.ts'
import { SealedVault } from '../../../src/secrets/sealed-vault.ts'
import { startGateway, type TestGateway, type TestOptions, until } from '../gateway.ts'
import type { Party } from './party.ts'
import { WhatsAppStandin } from './server.ts'

export type WhatsAppWorld = {
  gateway: TestGateway
  server: WhatsAppStandin
  url: string
  account: Party
  bob: Party
  device: Device
  key: string
  stop(): Promise<void>
}

/** As fast as it goes: most tests are not about patience. */
export const noSafety = { gapLeast: 0, gapMost: 0, newChatsPerDay: null, warmUpDays: 0 }

const log = { debug() {}, info() {}, warn() {}, error() {} }

/** Scans the code of a linking attempt and puts the session into the device's vault. */
export async function link(
  gateway: TestGateway,
  url: string,
  server: WhatsAppStandin,
  account: Party,
): Promise<Device> {
  for await (const step of pair({ url, signal: AbortSignal.timeout(90_000), now: Date.now, log })) {
    if (step.step === 'qr') server.scan(step.qr, account)
    if (step.step === 'failed') throw new Error(step.detail)
    if (step.step !== 'linked') continue
    const device = await gateway.device('production', { kind: 'whatsapp', phone: step.number })
    await gateway.store.change(device, { safety: noSafety })
    await new SealedVault(gateway.store, device.id, gateway.sealer).write(step.session)
    return device
  }
  throw new Error('the attempt ended without a word')
}

export async function whatsappWorld(options: TestOptions = {}): Promise<WhatsAppWorld> {
  const server = new WhatsAppStandin()
  const url = await server.start()
  const account = server.add({ phone: '15550001000', lid: '900000000001', name: 'Gateway' })
  const bob = server.add({ phone: '15550002000', lid: '900000000002', name: 'Bob' })
  const gateway = await startGateway({ ...options, settings: { WHATSAPP_WS_URL: url, ...options.settings } })
  const device = await link(gateway, url, server, account)
  await until('online', async () => {
    await gateway.fleet.refresh()
    return gateway.fleet.member(device.id)?.online === true
  })
  return {
    gateway,
    server,
    url,
    account,
    bob,
    device,
    key: await gateway.key('production'),
    async stop() {
      await gateway.stop()
      server.stop()
    },
  }
}
