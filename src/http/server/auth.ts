/** Who asks, how often, and what for: settled before a body is looked at. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { allowsAddress, environmentOf, type Key, type Scope } from '../../core/access/key.ts'
import type { KeyCache } from '../../core/access/key-cache.ts'
import type { EnvironmentName } from '../../core/environment.ts'
import { limits } from '../../core/limits.ts'
import { Problem } from '../../core/problem.ts'
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
export const keyOf = (request: FastifyRequest): Key => request.key!

declare module 'fastify' {
  interface FastifyRequest {
    key: Key | null
  }
}

type Done = (error?: Error) => void

/** Lets a request in or throws: 401 first, then 429, then 403. */
export class Door {
  readonly #parts: DoorParts

  constructor(parts: DoorParts) {
    this.#parts = parts
  }

  /**
   * A hook in the callback style: with a remembered key and counts in memory nothing has to be awaited, and most
   * requests are let in within the turn they arrived in.
   */
  hook(environment: EnvironmentName) {
    return (request: FastifyRequest, reply: FastifyReply, done: Done): void => {
      if (request.headers.authorization === undefined && this.#parts.sessionUsers.hasSession(request)) {
        this.#visit(request, environment)
          .then(key => this.#known(request, reply, key, done))
          .catch(done)
        return
      }
      let key: ReturnType<KeyCache['find']>
      try {
        key = this.#parts.keys.find(secretOf(request, environment))
      } catch (error) {
        this.#refuse(request, error as Problem, done)
        return
      }
      if (key instanceof Promise) key.then(found => this.#known(request, reply, found, done)).catch(done)
      else this.#known(request, reply, key, done)
    }
  }

  /** Whether the request would be let in still: its answer may go on for hours. */
  async stillAllows(request: FastifyRequest, environment: EnvironmentName): Promise<boolean> {
    if (request.visitor)
      return await this.#visit(request, environment, false).then(
        key => this.#forbidden(request, key) === undefined,
        () => false,
      )
    const key = await this.#parts.keys.find(secretOf(request, environment))
    return this.#unusable(key) === undefined && this.#forbidden(request, key!) === undefined
  }

  async #visit(request: FastifyRequest, environment: EnvironmentName, isUse = true): Promise<Key> {
    const { sessionUsers, environmentId } = this.#parts
    request.visitor = await sessionUsers.find(request, isUse)
    return keyOfVisitor(request.visitor, environment, environmentId(environment))
  }

  #known(request: FastifyRequest, reply: FastifyReply, key: Key | undefined, done: Done): void {
    if (!key) {
      this.#refuse(request, unknownKey(), done)
      return
    }
    const allowance = this.#parts.limits.take(key.id, this.#rateLimit(request, key))
    if (allowance instanceof Promise)
      allowance.then(found => this.#admit(request, reply, key, found, done)).catch(done)
    else this.#admit(request, reply, key, allowance, done)
  }

  #rateLimit({ visitor }: FastifyRequest, { rateLimit }: Key): number {
    return visitor ? limits.visitorRequests.value : (rateLimit ?? this.#parts.rateLimit)
  }

  #unusable(key: Key | undefined): Problem | undefined {
    if (!key) return unknownKey()
    if (key.revokedAt !== null) return new Problem('revoked_key', 'The API key was revoked.')
    if (key.expiresAt !== null && key.expiresAt <= this.#parts.now())
      return new Problem('expired_key', 'The API key has expired.')
    return undefined
  }

  #admit(request: FastifyRequest, reply: FastifyReply, key: Key, allowance: Allowance, done: Done): void {
    const resetSeconds = Math.ceil(allowance.resetAt / 1_000)
    reply.header('x-ratelimit-limit', allowance.limit)
    reply.header('x-ratelimit-remaining', allowance.remaining)
    reply.header('x-ratelimit-reset', resetSeconds)
    const problem = this.#unusable(key)
    if (problem) {
      this.#refuse(request, problem, done)
      return
    }
    if (!request.visitor) this.#parts.keys.touch(key)
    request.key = key
    if (allowance.exceeded) {
      const wait = Math.max(1, Math.ceil((allowance.resetAt - this.#parts.now()) / 1_000))
      done(
        new Problem(
          'rate_limited',
          `At most ${allowance.limit} requests a minute${request.visitor ? '' : ' with this key'}.`,
          {
            retryAfter: wait,
          },
        ),
      )
      return
    }
    done(this.#forbidden(request, key) ?? this.#unconfirmed(request))
  }

  #unconfirmed({ visitor, routeOptions }: FastifyRequest): Problem | undefined {
    if (!visitor || !routeOptions.config.asksPassword) return undefined
    return this.#parts.sessionUsers.unconfirmed(visitor)
  }

  #forbidden(request: FastifyRequest, key: Key): Problem | undefined {
    const scope = request.routeOptions.config.scope
    if (!allowsAddress(key.allowedIps, request.ip))
      return new Problem('ip_not_allowed', 'This API key may not be used from your address.')
    if (scope !== undefined && !key.scopes.includes(scope))
      return request.visitor
        ? new Problem('not_allowed', `Your role, ${request.visitor.user.role}, may not do this.`)
        : new Problem('insufficient_scope', `This API key lacks the scope ${scope}.`)
    return undefined
  }

  #refuse(request: FastifyRequest, problem: Problem, done: Done): void {
    const delay = this.#parts.failures.next(request.ip)
    if (delay === 0) done(problem)
    else setTimeout(done, delay, problem)
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key needs to use the route. */
    scope?: Scope
    asksPassword?: true
  }
}

const unknownKey = () => new Problem('invalid_key', 'The API key is not valid.')

function secretOf(request: FastifyRequest, environment: EnvironmentName): string {
  const header = request.headers.authorization
  if (header === undefined || header.trim() === '')
    throw new Problem('missing_key', 'Send your API key in the header “Authorization: Bearer <API_KEY>”.')
  const secret = /^bearer +(\S+) *$/i.exec(header)?.[1]
  if (secret === undefined)
    throw new Problem('invalid_key', 'The Authorization header must read “Bearer <API_KEY>”.')
  const home = environmentOf(secret)
  if (home === undefined)
    throw new Problem('invalid_key', 'The API key is not valid: it was cut off or mistyped.')
  if (home !== environment)
    throw new Problem('wrong_environment', `This API key belongs to ${home}; this address is ${environment}.`)
  return secret
}
