/** Gateways under measurement, each a process of its own. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Basestation } from '../sdk/src/index.ts'
import { type LoadResult, load } from './load.ts'

const program = join(import.meta.dirname, 'server.ts')
export const text = 'Your parcel is ready. Pick it up until Friday, 6 pm, at the counter.'

export class Server {
  readonly #child: ChildProcess
  readonly #port: number
  readonly #key: string
  #sent = 0

  private constructor(child: ChildProcess, port: number, key: string) {
    this.#child = child
    this.#port = port
    this.#key = key
  }

  static async start(
    mode: string,
    database: string,
    environment: Record<string, string> = {},
  ): Promise<Server> {
    const child = spawn(process.execPath, [program, mode, database], {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: { ...process.env, ...environment },
    })
    const [line] = await once(child.stdout!, 'data')
    const { port, key } = JSON.parse(String(line)) as { port: number; key: string }
    return new Server(child, port, key)
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get port(): number {
    return this.#port
  }

  get pids(): readonly number[] {
    return [this.#child.pid!]
  }

  /** A request of its API as it goes over the wire. */
  request(method: string, path: string, body?: object): string {
    const content = body ? JSON.stringify(body) : ''
    const described = body && [
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(content)}`,
    ]
    const head = [
      `${method} /staging/api/v1${path} HTTP/1.1`,
      `Host: 127.0.0.1:${this.#port}`,
      `Authorization: Bearer ${this.#key}`,
      ...(described ?? []),
    ]
    return `${head.join('\r\n')}\r\n\r\n${content}`
  }

  /** The most milliseconds its event loop worked without a pause since the last time this was asked. */
  async blocked(): Promise<number> {
    this.#child.send('blocked')
    const [most] = await once(this.#child, 'message')
    return most as number
  }

  client(): Basestation {
    return new Basestation({ url: this.url, key: this.#key })
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    await once(this.#child, 'exit')
  }

  singles(requests: number): Promise<LoadResult> {
    return this.#load('/sms/send', 64, requests, () => ({ to: this.#recipient(), message: text }))
  }

  /** Recipients a second, not requests. */
  async bulks(requests: number): Promise<LoadResult> {
    const result = await this.#load('/sms/bulk', 16, requests, () => ({
      recipients: Array.from({ length: 100 }, () => this.#recipient()),
      message: text,
    }))
    return { ...result, requestsPerSecond: result.requestsPerSecond * 100 }
  }

  /** Messages a second from the first request to the last recorded delivery. `send` sends so many. */
  async endToEnd(
    messages: number,
    send: (count: number) => Promise<{ failed: number }> = count => this.singles(count),
  ): Promise<number> {
    const delivered = () => this.metric('basestation_receipts_total{outcome="delivered",moved="true"}')
    const before = await delivered()
    const started = performance.now()
    const { failed } = await send(messages)
    if (failed > 0) throw new Error(`${failed} sends failed`)
    while ((await delivered()) < before + messages) await new Promise(resolve => setTimeout(resolve, 10))
    return messages / ((performance.now() - started) / 1_000)
  }

  async metric(name: string): Promise<number> {
    const answer = await fetch(`${this.url}/metrics`)
    const line = (await answer.text()).split('\n').find(one => one.startsWith(`${name} `))
    return Number(line?.split(' ').at(-1) ?? 0)
  }

  async get(
    path: string,
  ): Promise<{ ms: number; body: { pagination: { total: number; total_pages: number } } }> {
    const started = performance.now()
    const answer = await fetch(`${this.url}/staging/api/v1${path}`, {
      headers: { authorization: `Bearer ${this.#key}` },
    })
    const body = (await answer.json()) as { pagination: { total: number; total_pages: number } }
    const ms = performance.now() - started
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`)
    return { ms, body }
  }

  #load(path: string, connections: number, requests: number, body: () => object): Promise<LoadResult> {
    return load({
      host: '127.0.0.1',
      port: this.#port,
      path: `/staging/api/v1${path}`,
      key: this.#key,
      connections,
      requests,
      body: () => JSON.stringify(body()),
    })
  }

  /** All over the place, as people's numbers are, each once; the last digit keeps clear of the simulated fates. */
  #recipient(): string {
    this.#sent += 1
    return `+1555${1_000_000 + ((this.#sent * 7_919_771) % 8_999_993)}7`
  }
}

export const median = (list: readonly number[]): number =>
  [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]!
