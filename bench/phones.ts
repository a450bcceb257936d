/** Many phones with the app on one gateway, over real HTTP, and as many messages as they can carry. */

import { inParallel } from '../src/core/lib/in-parallel.ts'
import { Crowd } from '../src/simulator/crowd.ts'
import { calm, usual } from '../src/simulator/trouble.ts'
import type { Server } from './process.ts'
import { until } from './until.ts'

export type CrowdResult = {
  onlineSeconds: number
  deliveredSeconds: number
  lost: number
  twice: number
  mostMiB: number
}

type Seat = { url: string; enrolmentToken: string; name: string }

async function addPhones(server: Server, count: number): Promise<Seat[]> {
  const client = server.client()
  const seats: Seat[] = []
  await inParallel(count, 20, async index => {
    const name = `Phone ${index}`
    const { data } = await client.addDevice({ kind: 'android', name, per_minute: null })
    seats.push({ url: data.enrolment!.url, enrolmentToken: data.enrolment!.token, name })
  })
  return seats
}

/** Memory of the gateway for each of so many phones that are connected and have nothing to do, in kB. */
export async function idlePhones(server: Server, count: number): Promise<number> {
  const crowd = new Crowd({ trouble: calm })
  const resident = () => server.metric('process_resident_memory_bytes')
  const join = async (seats: readonly Seat[]) => {
    await inParallel(seats.length, 50, async index => void (await crowd.join(seats[index]!)))
    await until('all are connected', async () => crowd.tally.online === crowd.phones.length)
  }
  try {
    const seats = await addPhones(server, count)
    // The first ones make the program warm, which they are not to pay for.
    const first = Math.min(500, count / 2)
    await join(seats.slice(0, first))
    const before = await resident()
    await join(seats.slice(first))
    // The garbage of registering is not the streams'.
    let least = Number.POSITIVE_INFINITY
    for (let n = 0; n < 20; n += 1) {
      await new Promise(resolve => setTimeout(resolve, 500))
      least = Math.min(least, await resident())
    }
    return (least - before) / (count - first) / 1_000
  } finally {
    crowd.stop()
  }
}

export async function crowdOf(server: Server, phones: number, messages: number): Promise<CrowdResult> {
  const client = server.client()
  const crowd = new Crowd({ trouble: usual })
  let mostBytes = 0
  const memory = setInterval(async () => {
    mostBytes = Math.max(mostBytes, await server.metric('process_resident_memory_bytes').catch(() => 0))
  }, 500)
  try {
    const seats = await addPhones(server, phones)
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
