/** What a browser must show before its cookie counts: the right address, and that our own page asks. */

import { sessionMostMs } from '../../core/access/user.ts'
import { Problem } from '../../core/problem.ts'
import type { Exchange } from '../../edge/exchange.ts'

export type GuardParts = {
  publicUrl: () => string
  stagingHost: string | undefined
  allowInsecureLogin: boolean
}

type CookieName = 'basestation' | 'basestation-browser'
/** Browsers take a cookie of this name only over https, from this very host, for all of its paths. */
const secureName = (name: CookieName) => `__Host-${name}`
const browserSeconds = 400 * 24 * 3_600
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/

export class BrowserGuard {
  readonly #parts: GuardParts

  constructor(parts: GuardParts) {
    this.#parts = parts
  }

  /** The session's token, if the request has one. */
  token(exchange: Exchange): string | undefined {
    return this.#cookie(exchange, 'basestation')
  }

  /** What says that somebody signed in here before, if anybody did. */
  browser(exchange: Exchange): string | undefined {
    return this.#cookie(exchange, 'basestation-browser')
  }

  #cookie(exchange: Exchange, plain: CookieName): string | undefined {
    const name = this.isSecure(exchange) ? secureName(plain) : plain
    for (const pair of (exchange.headers.cookie ?? '').split(';')) {
      const at = pair.indexOf('=')
      const value = pair.slice(at + 1).trim()
      if (at !== -1 && pair.slice(0, at).trim() === name && value !== '') return decoded(value)
    }
    return undefined
  }

  /** Throws unless one of our own pages asks, under an address that is ours. */
  check(exchange: Exchange): void {
    const host = hostOf(exchange)
    if (!this.#isOurs(host))
      throw new Problem(
        'wrong_host',
        `The dashboard does not answer under the name “${host.slice(0, 100)}”. Set PUBLIC_URL to the address in your browser.`,
      )
    const site = exchange.headers['sec-fetch-site']
    const isReading = exchange.method === 'GET' || exchange.method === 'HEAD'
    if (site === 'same-origin' || (isReading && (site === 'none' || site === undefined))) return
    // Browsers without these headers say at least where a request that changes something comes from.
    const { origin } = exchange.headers
    if (site === undefined && origin !== undefined && URL.canParse(origin) && new URL(origin).host === host)
      return
    throw new Problem('cross_site', 'This was asked for by a page of another site.')
  }

  /** Whether cookies are safe on the way. */
  isSecure(exchange: Exchange): boolean {
    if (exchange.isHttps) return true
    const url = new URL(this.#parts.publicUrl())
    // A proxy in front speaks https, and plain http with us.
    return url.protocol === 'https:' && url.host === hostOf(exchange)
  }

  /** Passwords go over plain http only within one machine, or when the operator says so. */
  isInsecure(exchange: Exchange): boolean {
    return !this.isSecure(exchange) && !loopback.test(hostOf(exchange))
  }

  checkLogin(exchange: Exchange): void {
    if (this.isInsecure(exchange) && !this.#parts.allowInsecureLogin)
      throw new Problem(
        'insecure_login',
        'Signing in from another machine needs https: see docs/dashboard.md. On a network that you trust, set ALLOW_INSECURE_LOGIN=1.',
      )
  }

  /** The headers that begin a session in the browser, or end it. */
  cookies(exchange: Exchange, begun: { token: string; browser: string } | undefined): string[] {
    if (!begun) return [this.#setCookie(exchange, 'basestation', '', 0)]
    return [
      this.#setCookie(exchange, 'basestation', begun.token, sessionMostMs / 1_000),
      this.#setCookie(exchange, 'basestation-browser', begun.browser, browserSeconds),
    ]
  }

  #setCookie(exchange: Exchange, plain: CookieName, value: string, seconds: number): string {
    const secure = this.isSecure(exchange)
    return [
      `${secure ? secureName(plain) : plain}=${encodeURIComponent(value)}`,
      'Path=/',
      'HttpOnly',
      'SameSite=Lax',
      `Max-Age=${seconds}`,
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

const hostOf = (exchange: Exchange): string => (exchange.headers.host ?? '').toLowerCase()

/** Whatever a browser sends as a cookie must not be an error of ours. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
