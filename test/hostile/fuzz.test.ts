/**
 * Thousands of odd requests: none is answered with an error that is ours, none ends the process, and memory stays level.
 * FUZZ_CASES and FUZZ_SEED choose how many, and which.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { scopes } from '../../src/core/access/key.ts'
import { databases } from '../standins/databases.ts'
import { type TestGateway, withGateway } from '../standins/gateway.ts'
import { asCurl, type Document, Fuzzer, type Request } from './fuzz.ts'

const cases = Number(process.env.FUZZ_CASES ?? 10_000) / databases.length
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
const atOnce = 16
const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8')) as Document

/** What the gateway may say of itself while it is well. */
const documented = new Set([
  'no_device_available',
  'device_offline',
  'device_draining',
  'queue_full',
  'whatsapp_unreachable',
])

type Answer = { status: number; type: string; text: string }

function send(
  agent: Agent,
  url: string,
  { method, path, headers, body }: Request,
  key: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const asked = httpRequest(
      {
        agent,
        hostname,
        port,
        method,
        path,
        headers: { authorization: `Bearer ${key}`, ...headers },
        timeout: 20_000,
      },
      response => {
        const type = String(response.headers['content-type'] ?? '')
        const status = response.statusCode ?? 0
        // Streams go on for as long as somebody listens.
        if (/event-stream|ndjson/.test(type)) {
          asked.destroy()
          resolve({ status, type, text: '' })
          return
        }
        let text = ''
        response.setEncoding('utf8')
        response.on('data', chunk => {
          text += chunk
        })
        response.on('end', () => resolve({ status, type, text }))
        response.on('error', reject)
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('no answer within 20 seconds')))
    asked.on('error', reject)
    if (body !== undefined) asked.setHeader('content-length', body.length)
    asked.end(body)
  })
}

/** Why the answer is a fault of ours. */
function faultOf({ status, type, text }: Answer, method: string): string | undefined {
  if (status >= 200 && status < 400) return undefined
  if (method === 'HEAD') return status < 500 ? undefined : `${status}`
  if (!type.includes('problem+json')) return `${status} without a problem: ${type} ${text.slice(0, 200)}`
  const { code, request_id } = JSON.parse(text) as { code: string; request_id?: string }
  if (request_id === undefined) return 'no request_id'
  return status < 500 || documented.has(code) ? undefined : `${status} ${code}`
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** What is in use, and not what nobody has cleaned up yet; nor what the test itself keeps of the log. */
function heapOf({ logged }: TestGateway): number {
  const errors = logged.filter(({ level }) => level === 'error')
  logged.splice(0, logged.length, ...errors)
  collect()
  return process.memoryUsage().heapUsed
}

async function fuzz(gateway: TestGateway): Promise<void> {
  const keys = {
    '/api/v1': await gateway.key('production', { scopes, rateLimit: 1_000_000_000 }),
    '/staging/api/v1': await gateway.key('staging', { scopes, rateLimit: 1_000_000_000 }),
  }
  const own = new Set((await gateway.store.allKeys()).map(({ id }) => id))
  await gateway.device('staging')
  await gateway.fleet.refresh()
  const fuzzer = new Fuzzer(document)
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const faults: string[] = []
  const statuses = new Map<number, number>()
  let next = 0
  const heap: number[] = []
  const worker = async () => {
    while (next < cases && faults.length < 5) {
      const number = seed + next
      next += 1
      const base = number % 2 === 0 ? '/api/v1' : '/staging/api/v1'
      const request = fuzzer.make(number, base)
      let fault: string | undefined
      try {
        const answer = await send(agent, gateway.url, request, keys[base])
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        fault = faultOf(answer, request.method)
        for (const [, id] of answer.text.matchAll(/"(?:id|message_id)":"([^"]{1,60})"/g))
          if (!own.has(id!)) fuzzer.learn(id!)
      } catch (error) {
        fault = `no answer: ${(error as Error).message}`
      }
      if (fault !== undefined)
        faults.push(
          `${fault}\n  seed ${number}: ${asCurl(gateway.url, { ...request, headers: { authorization: `Bearer ${keys[base]}`, ...request.headers } })}`,
        )
      if (number % Math.ceil(cases / 8) === 0) heap.push(heapOf(gateway))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  agent.destroy()
  const told = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  console.log(`${next} requests from seed ${seed}: ${told.join(', ')}`)
  assert.deepEqual(faults, [], faults.join('\n'))
  assert.ok((statuses.get(200) ?? 0) > cases / 50, 'hardly anything got through: nothing was tried')
  assert.deepEqual(
    gateway.logged.filter(({ level }) => level === 'error'),
    [],
  )
  heap.push(heapOf(gateway))
  const growth = heap.at(-1)! - heap[1]!
  assert.ok(
    growth < 30_000_000,
    `memory grew by ${Math.round(growth / 1e6)} MB: ${heap.map(bytes => Math.round(bytes / 1e6))}`,
  )
  console.log(`memory in use: ${heap.map(bytes => Math.round(bytes / 1e6)).join(', ')} MB`)
  assert.equal((await gateway.ask('GET', '/readyz')).status, 200)
}

for (const { name, empty } of databases)
  test(`odd requests on ${name} are refused in words, and harm nothing`, { timeout: 10_800_000 }, async () =>
    withGateway(
      {
        database: await empty(),
        settings: {
          // Nothing leaves this machine: there is nobody at these addresses.
          WHATSAPP_WS_URL: 'ws://127.0.0.1:9/',
          WHATSAPP_GRAPH_URL: 'http://127.0.0.1:9/v1',
          WEBHOOK_ALLOW_HOSTS: '127.0.0.1:9',
          STREAMS_PER_KEY: '1000',
          TRUST_PROXY: '127.0.0.1',
        },
      },
      fuzz,
    ),
  )
