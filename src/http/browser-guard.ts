/** What a browser must show before its cookie counts: the right address, and that our own page asks. */

import type { FastifyRequest } from 'fastify'
import { Problem } from '../core/problem.ts'
import { sessionMostMs } from '../core/user.ts'

export type GuardParts = {
  publicUrl: () => string
  stagingHost: string | undefined
  allowInsecureLogin: boolean
}

const plainName = 'basestation'
/** Browsers take a cookie of this name only over https, from this very host, for all of its paths. */
const secureName = '__Host-basestation'
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/

export class BrowserGuard {
  readonly #parts: GuardParts

  constructor(parts: GuardParts) {
    this.#parts = parts
  }

  /** The session's token, if the request has one. */
  token(request: FastifyRequest): string | undefined {
    const name = this.isSecure(request) ? secureName : plainName
    for (const pair of (request.headers.cookie ?? '').split(';')) {
      const [key, value] = pair.split('=', 2)
      if (key?.trim() === name && value) return value.trim()
    }
    return undefined
  }

  /** Throws unless one of our own pages asks, under an address that is ours. */
  check(request: FastifyRequest): void {
    const host = hostOf(request)
    if (!this.#isOurs(host))
      throw new Problem(
        'wrong_host',
        `The dashboard does not answer under the name “${host.slice(0, 100)}”. Set PUBLIC_URL to the address in your browser.`,
      )
    const site = request.headers['sec-fetch-site']
    const isReading = request.method === 'GET' || request.method === 'HEAD'
    if (site === 'same-origin' || (isReading && (site === 'none' || site === undefined))) return
    // Browsers without these headers say at least where a request that changes something comes from.
    const { origin } = request.headers
    if (site === undefined && origin !== undefined && URL.canParse(origin) && new URL(origin).host === host)
      return
    throw new Problem('cross_site', 'This was asked for by a page of another site.')
  }

  /** Whether cookies are safe on the way. */
  isSecure(request: FastifyRequest): boolean {
    if (request.protocol === 'https') return true
    const url = new URL(this.#parts.publicUrl())
    // A proxy in front speaks https, and plain http with us.
    return url.protocol === 'https:' && url.host === hostOf(request)
  }

  /** Passwords go over plain http only within one machine, or when the operator says so. */
  isInsecure(request: FastifyRequest): boolean {
    return !this.isSecure(request) && !loopback.test(hostOf(request))
  }

  checkLogin(request: FastifyRequest): void {
    if (this.isInsecure(request) && !this.#parts.allowInsecureLogin)
      throw new Problem(
        'insecure_login',
        'Signing in from another machine needs https: docs/operations.md. On a network that you trust, set ALLOW_INSECURE_LOGIN=1.',
      )
  }

  /** The header that begins a session in the browser, or with no token ends it. */
  cookie(request: FastifyRequest, token: string | undefined): string {
    const secure = this.isSecure(request)
    return [
      `${secure ? secureName : plainName}=${token ?? ''}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
      `Max-Age=${token === undefined ? 0 : sessionMostMs / 1_000}`,
      ...(secure ? ['Secure'] : []),
    ].join('; ')
  }

  #isOurs(host: string): boolean {
    const { publicUrl, stagingHost } = this.#parts
    const bare = host.replace(/:\d+$/, '')
    return (
      loopback.test(host) ||
      host === new URL(publicUrl()).host ||
      (stagingHost !== undefined && (host === stagingHost || bare === stagingHost))
    )
  }
}

const hostOf = (request: FastifyRequest): string => (request.headers.host ?? '').toLowerCase()
