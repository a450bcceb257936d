/** Calls to WhatsApp's official API, and what their answers mean. */

import { openAsBlob } from 'node:fs'
import { LinkDown } from '../../../core/link.ts'
import type { CloudAccount } from './account.ts'

/** A definite no: nothing was sent. */
export class Refused extends Error {
  /** Meta's own number of the error. */
  readonly code: number
  constructor(code: number, detail: string) {
    super(detail)
    this.code = code
  }
}

type Json = Record<string, unknown>
type Credentials = Pick<CloudAccount, 'phoneNumberId' | 'accessToken'>

const answerMs = 30_000
const uploadMs = 120_000

/** The request cannot have reached anybody. */
const unsent = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

export class Graph {
  readonly #base: string
  readonly #credentials: Credentials

  /** `base` is the address with the version in it. */
  constructor(base: string, credentials: Credentials) {
    this.#base = base.replace(/\/+$/, '')
    this.#credentials = credentials
  }

  /** The number as people write it, if the credentials are good. */
  async number(): Promise<string> {
    const { phoneNumberId } = this.#credentials
    const { display_phone_number: number } = await this.#call(
      'GET',
      `/${encodeURIComponent(phoneNumberId)}?fields=display_phone_number`,
    )
    return typeof number === 'string' ? number : ''
  }

  /**
   * Resolves when WhatsApp took it. `LinkDown` and `Refused` say that it certainly did not; with any other error nobody
   * knows, and as the API cannot recognise a repetition, it must not be sent again.
   */
  async send(payload: Json): Promise<void> {
    const answer = await this.#call('POST', `/${this.#id()}/messages`, JSON.stringify(payload))
    const [first] = Array.isArray(answer.messages) ? (answer.messages as Json[]) : []
    if (typeof first?.id !== 'string') throw new Error('WhatsApp answered without an id')
  }

  /** Meta's id of the file, good for thirty days. */
  async upload(path: string, mime: string, filename: string): Promise<string> {
    const form = new FormData()
    form.set('messaging_product', 'whatsapp')
    form.set('type', mime)
    form.set('file', await openAsBlob(path, { type: mime }), filename)
    const { id } = await this.#call('POST', `/${this.#id()}/media`, form, uploadMs)
    if (typeof id !== 'string') throw new Error('WhatsApp answered without an id')
    return id
  }

  /** Where a received file can be fetched from, for a few minutes. */
  async mediaUrl(id: string): Promise<string> {
    const { url } = await this.#call('GET', `/${encodeURIComponent(id)}`)
    if (typeof url !== 'string') throw new Error('WhatsApp answered without an address')
    return url
  }

  get authorization(): string {
    return `Bearer ${this.#credentials.accessToken}`
  }

  #id(): string {
    return encodeURIComponent(this.#credentials.phoneNumberId)
  }

  async #call(method: string, path: string, body?: string | FormData, ms = answerMs): Promise<Json> {
    const response = await this.#fetch(method, path, body, ms)
    const answer = (await response.json().catch(() => ({}))) as Json
    if (response.ok) return answer
    const { code, message } = (answer.error ?? {}) as { code?: unknown; message?: unknown }
    // A server error: whether the request was accepted is unknown.
    if (response.status >= 500) throw new Error(`WhatsApp answered ${response.status}`)
    throw new Refused(Number(code ?? response.status), String(message ?? '').slice(0, 200))
  }

  async #fetch(
    method: string,
    path: string,
    body: string | FormData | undefined,
    ms: number,
  ): Promise<Response> {
    try {
      return await fetch(this.#base + path, {
        method,
        redirect: 'error',
        headers: {
          authorization: this.authorization,
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body }),
        signal: AbortSignal.timeout(ms),
      })
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } }
      if (unsent.has(cause?.code ?? ''))
        throw new LinkDown('WhatsApp’s API cannot be reached', { cause: error })
      throw error
    }
  }
}
