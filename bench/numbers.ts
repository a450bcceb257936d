/** Many WhatsApp numbers on one gateway, against a stand-in of WhatsApp's server, and messages both ways. */

import { inParallel } from '../src/core/lib/in-parallel.ts'
import type { WhatsAppStandin } from '../test/standins/whatsapp/server.ts'
import type { Server } from './process.ts'
import { until } from './until.ts'

export type NumbersResult = {
  linkedSeconds: number
  exchangedSeconds: number
  lost: number
  /** Before the first number, with all of them linked, and at most. */
  emptyMiB: number
  idleMiB: number
  mostMiB: number
}

/** Links so many numbers; then each sends and receives so many messages. */
export async function numbersOf(
  server: Server,
  whatsapp: WhatsAppStandin,
  numbers: number,
  messages: number,
): Promise<NumbersResult> {
  const client = server.client()
  const resident = async () => (await server.metric('process_resident_memory_bytes')) / 2 ** 20
  const emptyMiB = await resident()
  let mostMiB = emptyMiB
  const memory = setInterval(async () => {
    mostMiB = Math.max(mostMiB, await resident().catch(() => 0))
  }, 250)
  const bob = whatsapp.add({ phone: '15550002000', lid: '900000000000', name: 'Bob' })
  const accounts = Array.from({ length: numbers }, (_, n) =>
    whatsapp.add({ phone: `1555010${1000 + n}`, lid: `90000001${1000 + n}`, name: `Shop ${n}` }),
  )
  try {
    const started = performance.now()
    const devices: string[] = []
    await inParallel(numbers, 4, async index => {
      for await (const { step, qr, device } of client.linkNumber({ name: `Shop ${index}` })) {
        if (step === 'qr') whatsapp.scan(qr!, accounts[index]!)
        if (step === 'linked') devices[index] = device!.id
      }
      const hasty = { gap_least_seconds: 0, gap_most_seconds: 0, new_chats_per_day: null, warm_up_days: 0 }
      await client.changeDevice(devices[index]!, { safety: hasty })
    })
    await until('all numbers are online', async () => {
      const { data } = await client.devices()
      return data.filter(({ status }) => status === 'online').length === numbers
    })
    await until('all keys are known', async () =>
      accounts.every(({ companions }) => companions.get(1)?.signedKey !== undefined),
    )
    const linkedSeconds = (performance.now() - started) / 1_000
    const idleMiB = await resident()
    const exchanged = performance.now()
    await inParallel(numbers, 10, async index => {
      for (let n = 0; n < messages; n += 1) {
        await client.send({ to: `+${bob.phone}`, message: `out ${n}`, device_id: devices[index]! })
        await whatsapp.write(bob, accounts[index]!, { conversation: `in ${n}` })
      }
    })
    const expected = numbers * messages
    const missing = async () =>
      expected - bob.received.length + expected - (await client.received()).pagination.total
    await until('all is exchanged', async () => (await missing()) <= 0).catch(() => {})
    const exchangedSeconds = (performance.now() - exchanged) / 1_000
    return { linkedSeconds, exchangedSeconds, lost: Math.max(0, await missing()), emptyMiB, idleMiB, mostMiB }
  } finally {
    clearInterval(memory)
  }
}
