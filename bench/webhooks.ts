/** Very many events to ten webhooks, three of which are not well. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Server } from './process.ts'

const receivers = 10
/** Each message makes four: queued, sending, sent, delivered. */
const eventsOfMessage = 4

type Report = {
  counts: { name: string; events: number; tellings: number; wrong: number }[]
  p50: number
  p99: number
  most: number
}

export type WebhooksResult = Report & {
  /** Events that some healthy address did not hear of. */
  missing: number
  wrong: number
  /** Tellings that were not the first, as a share. */
  repeated: number
  seconds: number
  /** Memory when two fifths were sent, and at most from then on. */
  earlyMiB: number
  mostMiB: number
}

export async function startReceivers(): Promise<{ url: string; stop: () => void }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'receiver.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout!, 'data')
  return { url: String(line).trim(), stop: () => child.kill() }
}

/** Sends so many messages a second until there are so many events, and waits until the healthy ones know them all. */
export async function tellAll(
  server: Server,
  url: string,
  events: number,
  perSecond: number,
): Promise<WebhooksResult> {
  const client = server.client()
  const secrets: Record<string, string> = {}
  for (let n = 1; n <= receivers; n += 1) {
    const types = ['queued', 'sending', 'sent', 'delivered'].map(
      state => `message.${state}` as 'message.sent',
    )
    const { data } = await client.addWebhook({ url: `${url}/${n}`, types })
    secrets[`/${n}`] = data.secret
  }
  await fetch(`${url}/secrets`, { method: 'POST', body: JSON.stringify(secrets) })
  const report = async () => (await (await fetch(`${url}/report`)).json()) as Report
  const resident = async () => (await server.metric('process_resident_memory_bytes')) / 2 ** 20
  const messages = Math.ceil(events / eventsOfMessage)
  const started = performance.now()
  let [earlyMiB, mostMiB] = [0, 0]
  let sent = 0
  while (sent < messages) {
    const due = Math.min(messages, Math.floor(((performance.now() - started) / 1_000) * perSecond))
    if (due > sent) {
      const { failed } = await server.singles(due - sent)
      if (failed > 0) throw new Error(`${failed} sends failed`)
      sent = due
    }
    await new Promise(resolve => setTimeout(resolve, 50))
    if (sent < (messages * 2) / 5) earlyMiB = await resident()
    else mostMiB = Math.max(mostMiB, await resident())
  }
  const wanted = messages * eventsOfMessage
  const deadline = performance.now() + 120_000
  let told = await report()
  while (told.counts.some(one => one.events < wanted) && performance.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 500))
    told = await report()
    mostMiB = Math.max(mostMiB, await resident())
  }
  const heard = told.counts.reduce((sum, one) => sum + one.events, 0)
  const tellings = told.counts.reduce((sum, one) => sum + one.tellings, 0)
  return {
    ...told,
    missing: told.counts.reduce((sum, one) => sum + wanted - one.events, 0),
    wrong: told.counts.reduce((sum, one) => sum + one.wrong, 0),
    repeated: (tellings - heard) / Math.max(1, heard),
    seconds: (performance.now() - started) / 1_000,
    earlyMiB,
    mostMiB,
  }
}
