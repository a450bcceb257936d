/** Builds what people sign in with: the team, its guard, and the routes under /session. */

import type { Config } from '../config.ts'
import { Team } from '../core/access/team.ts'
import type { UserStore } from '../core/access/user-store.ts'
import { version } from '../host/version.ts'
import type { SessionParts } from '../http/session/api.ts'
import { BrowserGuard } from '../http/session/browser-guard.ts'
import { sessionRoutes } from '../http/session/routes.ts'
import { SessionUsers } from '../http/session/session-users.ts'
import { teamRoutes } from '../http/session/team-routes.ts'
import type { Sealer } from '../secrets/sealer.ts'
import { accountsOn } from './accounts.ts'

export type SignInParts = Pick<SessionParts, 'delay' | 'count' | 'refusals'> & {
  config: Config
  sealer: Sealer
  store: UserStore
  publicUrl: () => string
  now: () => number
}

export function buildSignIn({
  config,
  sealer,
  store,
  publicUrl,
  delay,
  count,
  refusals,
  now,
}: SignInParts): SessionParts {
  const accounts = accountsOn(store, sealer, now)
  const team = new Team({ store, accounts })
  const guard = new BrowserGuard({
    publicUrl,
    stagingHost: config.STAGING_HOST,
    allowInsecureLogin: config.ALLOW_INSECURE_LOGIN,
  })
  const parts = { accounts, team, store, publicUrl, version }
  return {
    routes: [...sessionRoutes(parts), ...teamRoutes(parts)],
    guard,
    sessionUsers: new SessionUsers(accounts, guard),
    audit: store,
    refusals,
    delay,
    count,
  }
}
