/** One request and its answer. */

import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import proxyAddress from '@fastify/proxy-addr'
import type { Key } from '../core/access/key.ts'
import type { SignedIn } from '../core/access/user.ts'
import type { Phone } from '../core/devices/phone.ts'

/** Whether the forwarding headers of a proxy at this address are trusted. */
export type Trust = (address: string, hops: number) => boolean

const nothing: Readonly<Record<string, never>> = Object.freeze({})

export class Exchange {
  readonly id = randomUUID()
  readonly raw: IncomingMessage
  readonly response: ServerResponse
  /** What is asked for. Put right where clients get it wrong, once that is known. */
  url: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly startedAt = performance.now()
  /** The route's whole path, with the names of its parameters. */
  template: string | undefined
  params: Readonly<Record<string, string>> = nothing
  query: Readonly<Record<string, unknown>> = nothing
  body: unknown
  /** Who asks, once it is known: a program, a person or a phone. */
  key: Key | null = null
  visitor: SignedIn | null = null
  phone: Phone | null = null
  /** What it does is in the audit log already. */
  isNoted = false

  /** Of the answer. */
  status = 200
  type: string | undefined
  /** Names and values of the answer's headers, in turn. */
  readonly fields: string[]
  readonly #trust: Trust | undefined

  constructor(raw: IncomingMessage, response: ServerResponse, trust: Trust | undefined) {
    this.raw = raw
    this.response = response
    this.url = raw.url ?? '/'
    this.method = raw.method!
    this.headers = raw.headers
    this.fields = ['x-request-id', this.id, 'x-content-type-options', 'nosniff']
    this.#trust = trust
  }

  /** Without the query. */
  get path(): string {
    const mark = this.url.indexOf('?')
    return mark === -1 ? this.url : this.url.slice(0, mark)
  }

  /** Sets a header of the answer. */
  header(name: string, value: string): void {
    const { fields } = this
    for (let at = 0; at < fields.length; at += 2)
      if (fields[at] === name) {
        fields[at + 1] = value
        return
      }
    fields.push(name, value)
  }

  setHeaders(headers: Readonly<Record<string, string>>): void {
    for (const name in headers) this.header(name, headers[name]!)
  }

  /** Removes the headers that describe a content which is not sent after all. */
  dropContent(): void {
    const { fields } = this
    for (let at = fields.length - 2; at >= 0; at -= 2)
      if (fields[at]!.startsWith('content-')) fields.splice(at, 2)
  }

  /** Sends a browser elsewhere. */
  redirect(to: string, status: 302 | 308): string {
    this.status = status
    this.header('location', to)
    return ''
  }

  /** The address of whoever asks, behind the proxies that are trusted. */
  get ip(): string {
    return this.#trust ? proxyAddress(this.raw, this.#trust) : (this.raw.socket.remoteAddress ?? '')
  }

  /** Whether the request came over https, to us or to a proxy that is trusted. */
  get isHttps(): boolean {
    if ((this.raw.socket as TLSSocket).encrypted) return true
    const isTold = this.#trust?.(this.raw.socket.remoteAddress ?? '', 0) ?? false
    return (
      isTold &&
      String(this.headers['x-forwarded-proto'] ?? '')
        .split(',')
        .at(-1)!
        .trim() === 'https'
    )
  }
}
