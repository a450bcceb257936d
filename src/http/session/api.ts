/** Serves /session: people sign in with a browser, and look after their team. */

import { setTimeout as sleep } from 'node:timers/promises'
import { requireTeam } from '../../core/access/team.ts'
import type { SignedIn } from '../../core/access/user.ts'
import type { Awaitable } from '../../core/lib/awaitable.ts'
import { limits } from '../../core/limits.ts'
import { Problem } from '../../core/problem.ts'
import type { Exchange } from '../../edge/exchange.ts'
import { asProblem } from '../../edge/problems.ts'
import { noQuery } from '../../edge/query.ts'
import type { EdgeRoute, Site } from '../../edge/site.ts'
import { notFoundAt } from '../server/not-found.ts'
import type { Allowance } from '../server/rate-limits.ts'
import { type AuditParts, audited, draftOf, refusalNoter } from './audit.ts'
import type { BrowserGuard } from './browser-guard.ts'
import type { SessionRoute } from './routes.ts'
import { keyIdOf, type SessionUsers } from './session-users.ts'

export type SessionParts = AuditParts & {
  /** For how long to hold back the answer to somebody who failed. */
  delay: (address: string) => number
  /** Counts a request of somebody who is signed in. */
  count: (id: string, most: number) => Awaitable<Allowance>
  routes: readonly SessionRoute[]
  guard: BrowserGuard
  sessionUsers: SessionUsers
}

export const sessionBase = '/session'

export function sessionSite(parts: SessionParts): Site {
  const nothing = notFoundAt(
    sessionBase,
    parts.routes.map(({ method, path }) => ({ method, paths: [path] })),
  )
  return {
    prefix: sessionBase,
    routes: parts.routes.map(route => edgeRoute(parts, route)),
    nothing: exchange => {
      exchange.header('cache-control', 'no-store')
      parts.guard.check(exchange)
      return nothing(exchange)
    },
  }
}

function edgeRoute(parts: SessionParts, route: SessionRoute): EdgeRoute {
  const { guard, sessionUsers } = parts
  const { method, path, body, query = noQuery, response } = route
  return {
    method,
    path,
    enter: async exchange => {
      exchange.header('cache-control', 'no-store')
      guard.check(exchange)
      if (route.isLogin) guard.checkLogin(exchange)
      exchange.visitor = await visitorOf(exchange, route, sessionUsers)
      if (exchange.visitor) await requireAllowance(parts, exchange.visitor)
      // Before the body: whoever may not do it does not learn whether it could be done.
      if (route.access === 'team') requireTeam(exchange.visitor!.user)
      const unconfirmed = route.asksPassword && sessionUsers.unconfirmed(exchange.visitor!)
      if (unconfirmed) throw unconfirmed
    },
    bodyLimit: limits.sessionBody.value,
    ...(body && { body }),
    query,
    handle:
      route.isLogin && route.access === 'anyone'
        ? attempted(parts, route)
        : audited(parts, null, route, handlerOf(parts, route)),
    response,
    onRefusal: refusalNoter(parts, null, route),
  }
}

/** One count with what they ask of the API. */
async function requireAllowance({ count }: SessionParts, visitor: SignedIn): Promise<void> {
  const { exceeded, limit } = await count(keyIdOf(visitor), limits.visitorRequests.value)
  if (exceeded) throw new Problem('rate_limited', `At most ${limit} requests a minute.`, { retryAfter: 10 })
}

async function visitorOf(
  exchange: Exchange,
  { access }: SessionRoute,
  sessionUsers: SessionUsers,
): Promise<SignedIn | null> {
  if (access !== 'anyone') return await sessionUsers.find(exchange)
  return sessionUsers.hasSession(exchange) ? await sessionUsers.find(exchange).catch(() => null) : null
}

const handlerOf =
  ({ guard }: SessionParts, route: SessionRoute) =>
  (exchange: Exchange, name: (email: string) => void = () => {}): Promise<object> =>
    route.action({
      visitor: exchange.visitor,
      body: exchange.body,
      query: exchange.query,
      params: exchange.params,
      caller: {
        address: exchange.ip,
        agent: exchange.headers['user-agent'] ?? '',
        browser: guard.browser(exchange),
      },
      isInsecure: guard.isInsecure(exchange),
      name,
      setSession: begun => {
        for (const cookie of guard.cookies(exchange, begun)) exchange.fields.push('set-cookie', cookie)
      },
    })

/** What is worth a line in the log. The rest could be repeated without end by anybody. */
const worthNoting = new Set(['wrong_credentials', 'code_needed'])

/** Sign-in attempts are logged when they end: before that, the user is unknown. */
function attempted(parts: SessionParts, route: SessionRoute) {
  const handler = handlerOf(parts, route)
  return async (exchange: Exchange): Promise<object> => {
    exchange.isNoted = true
    let who = (exchange.body as { email?: string }).email?.trim().toLowerCase().slice(0, 254) ?? ''
    const note = (refusal: string | null) =>
      parts.audit.audit({ ...draftOf(exchange, who, null, route.operation), fields: [], refusal })
    try {
      const answer = await handler(exchange, email => {
        who = email
      })
      await note(null)
      return answer
    } catch (error) {
      const { code } = asProblem(error)
      if (worthNoting.has(code)) await note(code)
      await sleep(parts.delay(exchange.ip))
      throw error
    }
  }
}
