/** Many phones with the app on one gateway, over real HTTP, and as many messages as they can carry. */

import { inParallel } from '../src/core/lib/in-parallel.ts'
import { Crowd } from '../src/simulator/crowd.ts'
import { usual } from '../src/simulator/trouble.ts'
import type { Server } from './process.ts'
import { until } from './until.ts'

export type CrowdResult = {
  onlineSeconds: number
  deliveredSeconds: number
  lost: number
  twice: number
  mostMiB: number
}

export async function crowdOf(server: Server, phones: number, messages: number): Promise<CrowdResult> {
  const client = server.client()
  const crowd = new Crowd({ trouble: usual })
  let mostBytes = 0
  const memory = setInterval(async () => {
    mostBytes = Math.max(mostBytes, await server.metric('process_resident_memory_bytes').catch(() => 0))
  }, 500)
  try {
    const seats: { url: string; enrolmentToken: string; name: string }[] = []
    await inParallel(phones, 20, async index => {
      const name = `Phone ${index}`
      const { data } = await client.addDevice({ kind: 'android', name, per_minute: null })
      seats.push({ url: data.enrolment!.url, enrolmentToken: data.enrolment!.token, name })
    })
    const joined = performance.now()
    await inParallel(phones, 100, async index => void (await crowd.join(seats[index]!)))
    await until('all phones are online', async () => {
      const { data } = await client.devices()
      return data.filter(({ status }) => status === 'online').length === phones
    })
    const onlineSeconds = (performance.now() - joined) / 1_000
    const started = performance.now()
    const { failed } = await server.singles(messages)
    if (failed > 0) throw new Error(`${failed} sends failed`)
    const delivered = () => server.metric('basestation_receipts_total{outcome="delivered",moved="true"}')
    await until('all are delivered', async () => (await delivered()) >= messages).catch(() => {})
    const deliveredSeconds = (performance.now() - started) / 1_000
    return {
      onlineSeconds,
      deliveredSeconds,
      lost: messages - (await delivered()),
      twice: crowd.tally.twice + Math.max(0, crowd.tally.onAir - messages),
      mostMiB: mostBytes / 2 ** 20,
    }
  } finally {
    clearInterval(memory)
    crowd.stop()
  }
}
