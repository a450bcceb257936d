/** Requests to a gateway: repeated where that is safe, and given up in time. */

import { BasestationError, isProblem, type ProblemCode } from './error.ts'
import { newId } from './new-id.ts'

export type BasestationOptions = {
  /** The gateway's address, or the full base address that ends with /api/v1. */
  url: string
  /** An API key: bs_live_… or bs_test_…. Left out only by a page whose browser is signed in to the gateway. */
  key?: string
  /** How often to try again; default 2. */
  retries?: number
  /** The longest wait between two tries, in seconds; a longer `Retry-After` is passed on as an error. Default 60. */
  longestWait?: number
  /** Milliseconds after which a request is given up; default 30,000. */
  timeoutMs?: number
  /** Asked about each refusal. True: something was done about it, and it is worth another try. */
  onRefused?: (error: BasestationError) => Promise<boolean>
  /** Another `fetch`, for proxies and tests. */
  fetch?: typeof globalThis.fetch
}

/** How to read an answer. */
export type Read<Answer> = (response: Response) => Promise<Answer>

export type Asked = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  body?: unknown
  /** Under this key the request may be repeated: the gateway carries it out once. */
  idempotencyKey?: string | undefined
  /** It changes nothing, so that it may be repeated without a key. */
  isLook?: boolean
  /** The last event that the client has. */
  lastEventId?: string | undefined
  timeoutMs?: number
  signal?: AbortSignal | undefined
}

/** Refusals after which nothing happened for certain, so that anything may be tried again. */
const certain: ReadonlySet<string> = new Set<ProblemCode>([
  'rate_limited',
  'no_device_available',
  'device_offline',
  'device_draining',
  'queue_full',
  'shutting_down',
  'idempotency_in_progress',
])

export class Transport {
  readonly base: string
  readonly #options: Required<Omit<BasestationOptions, 'key'>> & { key?: string }

  constructor(options: BasestationOptions, base = baseOf(options.url, options.key)) {
    this.#options = {
      retries: 2,
      longestWait: 60,
      timeoutMs: 30_000,
      onRefused: async () => false,
      fetch: globalThis.fetch.bind(globalThis),
      ...options,
    }
    this.base = base
  }

  /** Asks until there is an answer, or until trying again makes no sense. */
  async ask<Answer>(asked: Asked, read: Read<Answer> = response => response.json()): Promise<Answer> {
    const { method } = asked
    // One key for all tries: whatever the first one did, there is no second effect.
    const idempotencyKey = asked.idempotencyKey ?? (method === 'POST' && !asked.isLook ? newId() : undefined)
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.once({ ...asked, idempotencyKey }, read)
      } catch (error) {
        const wait = attempt < this.#options.retries ? this.#waitFor(error, method, attempt) : undefined
        if (wait === undefined) throw error
        await new Promise(resolve => setTimeout(resolve, wait * 1_000))
      }
    }
  }

  /** Seconds until the next try, or undefined when there should be none. */
  #waitFor(error: unknown, method: Asked['method'], attempt: number): number | undefined {
    const backoff = 2 ** attempt * (0.5 + Math.random() / 2)
    const isRepeatable = method === 'GET' || method === 'POST'
    if (!(error instanceof BasestationError)) return isRepeatable ? backoff : undefined
    const again = certain.has(error.code) || (isRepeatable && error.status >= 500)
    const wait = error.retryAfter ?? backoff
    return again && wait <= this.#options.longestWait ? wait : undefined
  }

  async once<Answer>(asked: Asked, read: Read<Answer>): Promise<Answer> {
    const { method, path, body, idempotencyKey, lastEventId, signal } = asked
    const timeout = AbortSignal.timeout(asked.timeoutMs ?? this.#options.timeoutMs)
    const response = await this.#options.fetch(this.base + path, {
      method,
      headers: {
        ...(this.#options.key !== undefined && { authorization: `Bearer ${this.#options.key}` }),
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    })
    const answer: unknown = await (response.ok ? read(response) : response.json()).catch(() => undefined)
    if (response.ok && answer !== undefined) return answer as Answer
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    const error = new BasestationError(
      response.status,
      isProblem(answer) ? answer : undefined,
      Number.isFinite(retryAfter) ? retryAfter : undefined,
    )
    if (await this.#options.onRefused(error)) return await this.once(asked, read)
    throw error
  }
}

/** Where the API of each environment is. */
export const apiPaths = { production: '/api/v1', staging: '/staging/api/v1' } as const

/** A bare address is completed with the path of the environment that the key belongs to. */
function baseOf(url: string, key = ''): string {
  const trimmed = url.replace(/\/+$/, '')
  if (trimmed.endsWith(apiPaths.production)) return trimmed
  return trimmed + apiPaths[key.startsWith('bs_test_') ? 'staging' : 'production']
}
