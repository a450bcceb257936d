/** People who come with a session's cookie in place of a key. */

import type { Accounts } from '../../core/access/accounts.ts'
import type { Key } from '../../core/access/key.ts'
import { type SignedIn, scopesOf } from '../../core/access/user.ts'
import type { EnvironmentName } from '../../core/environment.ts'
import { Problem } from '../../core/problem.ts'
import type { Exchange } from '../../edge/exchange.ts'
import type { BrowserGuard } from './browser-guard.ts'

export class SessionUsers {
  readonly #accounts: Pick<Accounts, 'signedIn' | 'unconfirmed'>
  readonly #guard: BrowserGuard

  constructor(accounts: Pick<Accounts, 'signedIn' | 'unconfirmed'>, guard: BrowserGuard) {
    this.#accounts = accounts
    this.#guard = guard
  }

  hasSession(exchange: Exchange): boolean {
    return exchange.headers.cookie !== undefined && this.#guard.token(exchange) !== undefined
  }

  /** Why they may not give others lasting access yet. */
  unconfirmed(visitor: SignedIn): Problem | undefined {
    return this.#accounts.unconfirmed(visitor)
  }

  /** Who asks, or a Problem thrown. */
  async find(exchange: Exchange, isUse = true): Promise<SignedIn> {
    this.#guard.check(exchange)
    const token = this.#guard.token(exchange)
    const found = token === undefined ? undefined : await this.#accounts.signedIn(token, isUse)
    if (!found) throw new Problem('not_signed_in', 'Your session has ended. Sign in again.')
    return found
  }
}

/** Under which their requests are counted. */
export const keyIdOf = ({ user }: SignedIn): string => `user ${user.id}`

/** What a person may do, in the words of keys. */
export const keyOfVisitor = (
  visitor: SignedIn,
  environment: EnvironmentName,
  environmentId: number,
): Key => ({
  id: keyIdOf(visitor),
  environmentId,
  environment,
  name: visitor.user.email,
  hint: '',
  scopes: scopesOf[visitor.user.role],
  rateLimit: null,
  allowedIps: [],
  createdBy: visitor.user.email,
  parentId: null,
  createdAt: visitor.user.createdAt,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
})
