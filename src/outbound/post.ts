/** Posts to addresses that strangers chose: over connections that are judged, kept open, and never redirected. */

import { Agent, type AgentOptions, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { limits } from '../core/limits.ts'
import { hostOf, portOf } from '../core/webhooks/allowed-host.ts'
import { Blocked, connectGuarded, type Guard } from './connect.ts'

export type Posted = {
  status: number
  /** The beginning of what it said. */
  answer: string
  /** How long it asks us to wait before a retry. */
  retryAfterMs: number | undefined
}

const connectMs = 5_000
/** Shorter than servers keep a connection that is not used: else they close it just when we use it. */
const idleMs = 4_000
/** The status is the answer; the body is read for no longer than this. */
const bodyMs = 1_000
const mostBytes = limits.webhookAnswer.value
const mostKept = 1_000

class GuardedAgent extends Agent {
  readonly #url: URL
  readonly #guard: Guard

  constructor(url: URL, guard: Guard) {
    const options: AgentOptions = { keepAlive: true, maxSockets: 32, maxFreeSockets: 16, timeout: idleMs }
    super(options)
    this.#url = url
    this.#guard = guard
  }

  override createConnection(
    _options: object,
    done?: (error: Error | null, socket: Socket) => void,
  ): undefined {
    connectGuarded(this.#url, this.#guard, AbortSignal.timeout(connectMs)).then(
      socket => done?.(null, socket),
      error => done?.(error as Error, undefined as never),
    )
    return undefined
  }
}

export class Poster {
  readonly #guard: Guard
  readonly #agents = new Map<string, GuardedAgent>()

  constructor(guard: Guard) {
    this.#guard = guard
  }

  /** Resolves with whatever was answered. `signal` bounds it all. */
  async post(
    address: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Posted> {
    const url = new URL(address)
    try {
      return await this.#once(url, headers, body, signal)
    } catch (error) {
      // The other side closed a connection just when it was used again: that says nothing about the address.
      if (!(error instanceof Stale)) throw error
      return await this.#once(url, headers, body, signal)
    }
  }

  close(): void {
    for (const agent of this.#agents.values()) agent.destroy()
  }

  #agentOf(url: URL): GuardedAgent {
    let agent = this.#agents.get(url.origin)
    if (!agent) {
      agent = new GuardedAgent(url, this.#guard)
      this.#agents.set(url.origin, agent)
    }
    return agent
  }

  #once(
    url: URL,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal: AbortSignal,
  ): Promise<Posted> {
    return new Promise((resolve, reject) => {
      const call = request({
        agent: this.#agentOf(url),
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: {
          host: url.host || `${hostOf(url)}:${portOf(url)}`,
          'user-agent': 'Basestation',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          ...headers,
        },
        signal,
      })
      let isAnswered = false
      call.on('response', response => {
        isAnswered = true
        void read(response).then(resolve)
      })
      call.on('upgrade', (_response, other) => {
        other.destroy()
        reject(new Error('it wants to speak another protocol'))
      })
      call.on('error', error => {
        if (isAnswered) return
        const reset = ['ECONNRESET', 'EPIPE'].includes((error as { code?: string }).code ?? '')
        reject(reset && call.reusedSocket && !signal.aborted ? new Stale() : error)
      })
      call.on('close', () => {
        if (!isAnswered) reject(new Error('it hung up'))
      })
      call.end(body)
    })
  }
}

class Stale extends Error {}

/** Whatever it says, and however it ends: with the status it has answered. */
function read(response: IncomingMessage): Promise<Posted> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let size = 0
    const late = setTimeout(() => response.destroy(), bodyMs)
    response.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= mostBytes) chunks.push(chunk)
      else response.destroy()
    })
    // What it went on to say is of no importance.
    response.on('error', () => {})
    response.on('close', () => {
      clearTimeout(late)
      const text = Buffer.concat(chunks).toString('utf8').toWellFormed().replaceAll('\0', '')
      resolve({
        status: response.statusCode ?? 0,
        answer: text.slice(0, mostKept),
        retryAfterMs: waitOf(response.headers['retry-after']),
      })
    })
  })
}

/** Seconds, or a date. */
function waitOf(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}

/** Why there was no answer, for people. */
export function whyUnanswered(error: unknown): string {
  if (error instanceof Blocked) return 'The address leads to a machine that is not public.'
  const { code, name, message } = error as { code?: string; name?: string; message?: string }
  if (name === 'TimeoutError' || name === 'AbortError') return 'It did not answer in time.'
  const words: Record<string, string> = {
    ECONNREFUSED: 'Connection refused.',
    ENOTFOUND: 'There is no such host.',
    EAI_AGAIN: 'The host’s name could not be looked up.',
    ECONNRESET: 'It hung up without an answer.',
    ETIMEDOUT: 'It could not be reached in time.',
    EHOSTUNREACH: 'The host cannot be reached.',
    CERT_HAS_EXPIRED: 'Its certificate has expired.',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is self-signed.',
    ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host.',
  }
  return words[code ?? ''] ?? `It could not be reached (${code ?? message ?? 'unknown'}).`
}
