/** A client for a Basestation gateway. Needs nothing but `fetch`: Node.js, Deno, Bun and browsers have it. */

import type {
  BulkRequest,
  BulkResponse,
  CancelResponse,
  DeviceAddRequest,
  DeviceAddResponse,
  DeviceChangeRequest,
  DeviceResponse,
  DevicesResponse,
  EnrolmentRequest,
  LinkRequest,
  LinkStep,
  PreviewRequest,
  PreviewResponse,
  ReceivedQuery,
  ReceivedResponse,
  RemovedResponse,
  SendRequest,
  SendResponse,
  SettingsRequest,
  SettingsResponse,
  StatusResponse,
} from './api.ts'
import { BasestationError, isProblem, type ProblemCode } from './error.ts'

export type * from './api.ts'
export { BasestationError } from './error.ts'

export type BasestationOptions = {
  /** The gateway's address, or the full base address that ends with /api/v1. */
  url: string
  /** An API key: bs_live_… or bs_test_…. */
  key: string
  /** How often to try again; default 2. */
  retries?: number
  /** The longest wait between two tries, in seconds; a longer `Retry-After` is passed on as an error. Default 60. */
  longestWait?: number
  /** Milliseconds after which a request is given up; default 30,000. */
  timeoutMs?: number
  /** Another `fetch`, for proxies and tests. */
  fetch?: typeof globalThis.fetch
}

/**
 * Refusals after which nothing happened for certain, so that even a send may be tried again. Storage trouble is not
 * among them: the message may have been kept, and nobody should be texted twice.
 */
const certain: ReadonlySet<string> = new Set<ProblemCode>([
  'rate_limited',
  'no_device_available',
  'device_offline',
  'queue_full',
  'shutting_down',
])

export class Basestation {
  readonly base: string
  readonly #options: Required<BasestationOptions>

  constructor(options: BasestationOptions) {
    this.#options = {
      retries: 2,
      longestWait: 60,
      timeoutMs: 30_000,
      fetch: globalThis.fetch.bind(globalThis),
      ...options,
    }
    this.base = baseOf(options.url, options.key)
  }

  /** Sends a message to one recipient. */
  send(request: SendRequest): Promise<SendResponse> {
    return this.#ask('POST', '/sms/send', request)
  }

  /** Sends one message to up to 100 recipients. */
  sendBulk(request: BulkRequest): Promise<BulkResponse> {
    return this.#ask('POST', '/sms/bulk', request)
  }

  /** Asks what became of a message. */
  status(messageId: string): Promise<StatusResponse> {
    return this.#ask('GET', `/sms/status/${encodeURIComponent(messageId)}`)
  }

  /** Takes a message back; fails with `not_cancelable` once it is too late. */
  cancel(messageId: string): Promise<CancelResponse> {
    return this.#ask('POST', `/messages/${encodeURIComponent(messageId)}/cancel`)
  }

  /** Lists received messages, newest first. */
  received(query: ReceivedQuery = {}): Promise<ReceivedResponse> {
    const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
    const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
    return this.#ask('GET', `/messages/received${text === '' ? '' : `?${text}`}`)
  }

  /** What would become of a message, without sending it. */
  preview(request: PreviewRequest): Promise<PreviewResponse> {
    return this.#ask('POST', '/messages/preview', request)
  }

  /** A file that came with a received message. */
  media(mediaId: string): Promise<Blob> {
    return this.#try('GET', `/media/${encodeURIComponent(mediaId)}`, undefined, response => response.blob())
  }

  /** All devices. */
  devices(): Promise<DevicesResponse> {
    return this.#ask('GET', '/devices')
  }

  device(deviceId: string): Promise<DeviceResponse> {
    return this.#ask('GET', devicePath(deviceId))
  }

  /** Adds a device; for an Android phone the answer says how to connect it. */
  addDevice(request: DeviceAddRequest): Promise<DeviceAddResponse> {
    return this.#ask('POST', '/devices', request)
  }

  changeDevice(deviceId: string, request: DeviceChangeRequest): Promise<DeviceResponse> {
    return this.#ask('PATCH', devicePath(deviceId), request)
  }

  /** A fresh token, and a one-time code, to connect an Android phone. */
  enrolDevice(deviceId: string, request: EnrolmentRequest = {}): Promise<DeviceAddResponse> {
    return this.#ask('POST', `${devicePath(deviceId)}/enrolment`, request)
  }

  /** Links a WhatsApp number as a new device: yields a code to scan, and others when it ends, until it is linked. */
  linkNumber(request: LinkRequest): AsyncGenerator<LinkStep> {
    return this.#lines('/links', request)
  }

  /** Links a WhatsApp device again that was logged out. */
  linkDevice(deviceId: string): AsyncGenerator<LinkStep> {
    return this.#lines(`${devicePath(deviceId)}/link`)
  }

  /** Removes a device for good. */
  removeDevice(deviceId: string): Promise<RemovedResponse> {
    return this.#ask('DELETE', devicePath(deviceId))
  }

  /** The settings of the environment. */
  settings(): Promise<SettingsResponse> {
    return this.#ask('GET', '/settings')
  }

  /** Changes settings of the environment. */
  configure(request: SettingsRequest): Promise<SettingsResponse> {
    return this.#ask('PATCH', '/settings', request)
  }

  /** The lines of an answer as they come. Leaving the loop ends the request. */
  async *#lines<Line>(path: string, body?: unknown): AsyncGenerator<Line> {
    const read = async ({ body: stream }: Response) => stream ?? undefined
    const stream = await this.#once('POST', path, body, read, longestLinkMs)
    const decoder = new TextDecoder()
    let rest = ''
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line) as Line
    }
  }

  #ask<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.#try(method, path, body, response => response.json() as Promise<Answer>)
  }

  async #try<Answer>(method: string, path: string, body: unknown, read: Read<Answer>): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#once(method, path, body, read)
      } catch (error) {
        const wait = attempt < this.#options.retries ? this.#waitFor(error, method, attempt) : undefined
        if (wait === undefined) throw error
        await new Promise(resolve => setTimeout(resolve, wait * 1_000))
      }
    }
  }

  /** Seconds until the next try, or undefined when there should be none. */
  #waitFor(error: unknown, method: string, attempt: number): number | undefined {
    const backoff = 2 ** attempt * (0.5 + Math.random() / 2)
    if (!(error instanceof BasestationError)) return method === 'GET' ? backoff : undefined
    const again = certain.has(error.code) || (method === 'GET' && error.status >= 500)
    const wait = error.retryAfter ?? backoff
    return again && wait <= this.#options.longestWait ? wait : undefined
  }

  async #once<Answer>(
    method: string,
    path: string,
    body: unknown,
    read: Read<Answer>,
    timeoutMs = this.#options.timeoutMs,
  ): Promise<Answer> {
    const response = await this.#options.fetch(this.base + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#options.key}`,
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    })
    const answer: unknown = await (response.ok ? read(response) : response.json()).catch(() => undefined)
    if (response.ok && answer !== undefined) return answer as Answer
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    throw new BasestationError(
      response.status,
      isProblem(answer) ? answer : undefined,
      Number.isFinite(retryAfter) ? retryAfter : undefined,
    )
  }
}

/** A linking attempt ends by itself before. */
const longestLinkMs = 300_000

type Read<Answer> = (response: Response) => Promise<Answer>

const devicePath = (deviceId: string) => `/devices/${encodeURIComponent(deviceId)}`

/** A bare address is completed with the path of the environment that the key belongs to. */
function baseOf(url: string, key: string): string {
  const trimmed = url.replace(/\/+$/, '')
  if (trimmed.endsWith('/api/v1')) return trimmed
  return `${trimmed}${key.startsWith('bs_test_') ? '/staging/api/v1' : '/api/v1'}`
}
