/**
 * Ten receivers of webhooks in a process of their own, seven well and three not: one refuses, one never answers, one hangs
 * up. Each well one checks every signature, and counts. Prints its address when it listens; `GET /report` tells.
 */

import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export const well = 7

/** What one receiver has seen. */
type Seen = { events: Set<number>; tellings: number; wrong: number; delays: number[] }

const secrets = new Map<string, string>()
const seen = new Map<string, Seen>()
/** The published library checks one in so many; it is slow, and the same sum is done for all. */
const sample = 100

function isSigned(secret: string, headers: Record<string, string>, body: string, thorough: boolean): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = Buffer.from(`v1,${createHmac('sha256', key).update(content).digest('base64')}`)
  const given = Buffer.from(headers['webhook-signature'] ?? '')
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false
  if (thorough) new Webhook(secret).verify(body, headers)
  return true
}

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const path = request.url ?? ''
  if (path === '/secrets') {
    for (const [name, secret] of Object.entries(JSON.parse(body) as Record<string, string>)) {
      secrets.set(name, secret)
      seen.set(name, { events: new Set(), tellings: 0, wrong: 0, delays: [] })
    }
    response.end()
    return
  }
  if (path === '/report') {
    const all = [...seen].filter(([name]) => Number(name.slice(1)) <= well)
    const delays = all.flatMap(([, one]) => one.delays).sort((a, b) => a - b)
    const at = (share: number) => delays[Math.min(delays.length - 1, Math.floor(delays.length * share))] ?? 0
    const counts = all.map(([name, { events, tellings, wrong }]) => ({
      name,
      events: events.size,
      tellings,
      wrong,
    }))
    response.end(JSON.stringify({ counts, p50: at(0.5), p99: at(0.99), most: at(1) }))
    return
  }
  const number = Number(path.slice(1))
  if (number === well + 1) {
    response.statusCode = 500
    response.end('no')
    return
  }
  // Never answers.
  if (number === well + 2) return
  if (number === well + 3) {
    request.socket.destroy()
    return
  }
  const one = seen.get(path)!
  const now = Date.now()
  one.tellings += 1
  const seq = Number((request.headers['webhook-id'] as string).slice('evt_'.length))
  const thorough = one.tellings % sample === 1
  if (!isSigned(secrets.get(path)!, request.headers as Record<string, string>, body, thorough)) one.wrong += 1
  // The first time only: what comes again was in time already.
  if (!one.events.has(seq))
    one.delays.push(now - Date.parse((JSON.parse(body) as { created_at: string }).created_at))
  one.events.add(seq)
  response.end()
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
