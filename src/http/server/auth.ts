/** Who asks, how often, and what for: settled before a body is looked at. */

import { setTimeout as sleep } from 'node:timers/promises'
import { allowsAddress, environmentOf, type Key, type Scope } from '../../core/access/key.ts'
import type { KeyCache } from '../../core/access/key-cache.ts'
import type { EnvironmentName } from '../../core/environment.ts'
import type { Awaitable } from '../../core/lib/awaitable.ts'
import { BoundedMap } from '../../core/lib/bounded-map.ts'
import { limits } from '../../core/limits.ts'
import { Problem } from '../../core/problem.ts'
import type { Exchange } from '../../edge/exchange.ts'
import { keyOfVisitor, type SessionUsers } from '../session/session-users.ts'
import type { Allowance, FailureDelay, RequestLimits } from './rate-limits.ts'

export type DoorParts = {
  keys: KeyCache
  /** People with a browser, who come without a key. */
  sessionUsers: SessionUsers
  limits: RequestLimits
  failures: FailureDelay
  /** Requests a minute for keys without a limit of their own. */
  rateLimit: number
  environmentId: (name: EnvironmentName) => number
  now: () => number
}

/** The key a request came with, once it was let in. */
export const keyOf = (exchange: Exchange): Key => exchange.key!

/** What one needs to use a route. */
export type Need = { scope?: Scope; asksPassword?: true }

/** Lets a request in or throws: 401 first, then 429, then 403. */
export class Door {
  readonly #parts: DoorParts

  constructor(parts: DoorParts) {
    this.#parts = parts
  }

  /**
   * With a remembered key and counts in memory nothing has to be awaited: most requests are let in within the turn they
   * arrived in.
   */
  enter(exchange: Exchange, environment: EnvironmentName, need: Need): Awaitable<void> {
    if (exchange.headers.authorization === undefined && this.#parts.sessionUsers.hasSession(exchange))
      return this.#visit(exchange, environment).then(key => this.#known(exchange, key, need))
    const secret = secretOf(exchange, environment)
    if (secret instanceof Problem) return this.#refuse(exchange, secret)
    const key = this.#parts.keys.find(secret)
    return key instanceof Promise
      ? key.then(found => this.#known(exchange, found, need))
      : this.#known(exchange, key, need)
  }

  /** Whether the request would be let in still: its answer may go on for hours. */
  async stillAllows(exchange: Exchange, environment: EnvironmentName, need: Need): Promise<boolean> {
    if (exchange.visitor)
      return await this.#visit(exchange, environment, false).then(
        key => this.#forbidden(exchange, key, need) === undefined,
        () => false,
      )
    const secret = secretOf(exchange, environment)
    if (secret instanceof Problem) return false
    const key = await this.#parts.keys.find(secret)
    return this.#unusable(key) === undefined && this.#forbidden(exchange, key!, need) === undefined
  }

  async #visit(exchange: Exchange, environment: EnvironmentName, isUse = true): Promise<Key> {
    const { sessionUsers, environmentId } = this.#parts
    exchange.visitor = await sessionUsers.find(exchange, isUse)
    return keyOfVisitor(exchange.visitor, environment, environmentId(environment))
  }

  #known(exchange: Exchange, key: Key | undefined, need: Need): Awaitable<void> {
    if (!key) return this.#refuse(exchange, unknownKey())
    const allowance = this.#parts.limits.take(key.id, this.#rateLimit(exchange, key))
    return allowance instanceof Promise
      ? allowance.then(found => this.#admit(exchange, key, found, need))
      : this.#admit(exchange, key, allowance, need)
  }

  #rateLimit({ visitor }: Exchange, { rateLimit }: Key): number {
    return visitor ? limits.visitorRequests.value : (rateLimit ?? this.#parts.rateLimit)
  }

  #unusable(key: Key | undefined): Problem | undefined {
    if (!key) return unknownKey()
    if (key.revokedAt !== null) return new Problem('revoked_key', 'The API key was revoked.')
    if (key.expiresAt !== null && key.expiresAt <= this.#parts.now())
      return new Problem('expired_key', 'The API key has expired.')
    return undefined
  }

  #admit(exchange: Exchange, key: Key, allowance: Allowance, need: Need): Awaitable<void> {
    const { limit, remaining, resetAt, exceeded } = allowance
    exchange.fields.push(
      'x-ratelimit-limit',
      String(limit),
      'x-ratelimit-remaining',
      String(remaining),
      'x-ratelimit-reset',
      String(Math.ceil(resetAt / 1_000)),
    )
    const unusable = this.#unusable(key)
    if (unusable) return this.#refuse(exchange, unusable)
    if (!exchange.visitor) this.#parts.keys.touch(key)
    exchange.key = key
    if (exceeded)
      throw new Problem(
        'rate_limited',
        `At most ${limit} requests a minute${exchange.visitor ? '' : ' with this key'}.`,
        { retryAfter: Math.max(1, Math.ceil((resetAt - this.#parts.now()) / 1_000)) },
      )
    const problem = this.#forbidden(exchange, key, need) ?? this.#unconfirmed(exchange, need)
    if (problem) throw problem
  }

  #unconfirmed({ visitor }: Exchange, { asksPassword }: Need): Problem | undefined {
    return visitor && asksPassword ? this.#parts.sessionUsers.unconfirmed(visitor) : undefined
  }

  #forbidden(exchange: Exchange, key: Key, { scope }: Need): Problem | undefined {
    if (key.allowedIps.length > 0 && !allowsAddress(key.allowedIps, exchange.ip))
      return new Problem('ip_not_allowed', 'This API key may not be used from your address.')
    if (scope !== undefined && !key.scopes.includes(scope))
      return exchange.visitor
        ? new Problem('not_allowed', `Your role, ${exchange.visitor.user.role}, may not do this.`)
        : new Problem('insufficient_scope', `This API key lacks the scope ${scope}.`)
    return undefined
  }

  /** Throws, at once or after a while. */
  #refuse(exchange: Exchange, problem: Problem): Awaitable<never> {
    const delay = this.#parts.failures.next(exchange.ip)
    if (delay === 0) throw problem
    return sleep(delay).then(() => {
      throw problem
    })
  }
}

const unknownKey = () => new Problem('invalid_key', 'The API key is not valid.')

/** A secret, and the environment that it names. */
type Credentials = { secret: string; home: EnvironmentName }

/** Well-formed headers that came before: most requests come with the same few. */
const seen = new BoundedMap<string, Credentials>(1_000)

/** The secret that the request came with, or what is wrong with it. */
function secretOf({ headers }: Exchange, environment: EnvironmentName): string | Problem {
  const header = headers.authorization
  if (header === undefined || header.trim() === '')
    return new Problem('missing_key', 'Send your API key in the header “Authorization: Bearer <API_KEY>”.')
  const credentials = seen.get(header) ?? readCredentials(header)
  if (credentials instanceof Problem) return credentials
  const { secret, home } = credentials
  if (home !== environment)
    return new Problem(
      'wrong_environment',
      `This API key belongs to ${home}; this address is ${environment}.`,
    )
  return secret
}

function readCredentials(header: string): Credentials | Problem {
  const secret = /^bearer +(\S+) *$/i.exec(header)?.[1]
  if (secret === undefined)
    return new Problem('invalid_key', 'The Authorization header must read “Bearer <API_KEY>”.')
  const home = environmentOf(secret)
  if (home === undefined)
    return new Problem('invalid_key', 'The API key is not valid: it was cut off or mistyped.')
  const credentials = { secret, home }
  seen.set(header, credentials)
  return credentials
}
