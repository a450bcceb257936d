/** Serves /session: people sign in with a browser, and look after their team. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireTeam } from '../../core/access/team.ts'
import type { SignedIn } from '../../core/access/user.ts'
import type { Awaitable } from '../../core/lib/awaitable.ts'
import { limits } from '../../core/limits.ts'
import { Problem } from '../../core/problem.ts'
import { asProblem } from '../../edge/problems.ts'
import { dropNulls } from '../../edge/validation.ts'
import { noQuery, readQuery } from '../api/read-query.ts'
import { notFoundAt } from '../server/not-found.ts'
import type { Allowance } from '../server/rate-limits.ts'
import { type AuditParts, audited, deedOf, draftOf, noteRefusals } from './audit.ts'
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

export function registerSession(app: FastifyInstance, parts: SessionParts): void {
  const { routes, guard, sessionUsers } = parts
  const nothingHere = notFoundAt(
    sessionBase,
    routes.map(({ method, path }) => ({ method, paths: [path] })),
  )
  app.setNotFoundHandler((request, reply) => {
    throw nothingHere(request, reply)
  })
  noteRefusals(app, parts, null)
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    guard.check(request)
  })
  for (const route of routes)
    app.route({
      method: route.method,
      url: route.path,
      config: { ...(deedOf(route) && { deed: deedOf(route)! }) },
      schema: {
        ...(route.body && { body: route.body }),
        querystring: route.query ?? noQuery,
        response: { 200: route.response },
      },
      bodyLimit: limits.sessionBody.value,
      onRequest: async request => {
        if (route.isLogin) guard.checkLogin(request)
        request.visitor = await visitorOf(request, route, sessionUsers)
        if (request.visitor) await requireAllowance(parts, request.visitor)
        // Before the body: whoever may not do it does not learn whether it could be done.
        if (route.access === 'team') requireTeam(request.visitor!.user)
        const unconfirmed = route.asksPassword && sessionUsers.unconfirmed(request.visitor!)
        if (unconfirmed) throw unconfirmed
      },
      preValidation: (request, _reply, done) => {
        request.query = readQuery(request.query as Record<string, unknown>, route.query)
        if (route.body) dropNulls(request.body, route.body)
        done()
      },
      handler:
        route.isLogin && route.access === 'anyone'
          ? attempted(parts, route)
          : audited(parts, null, route, handlerOf(parts, route)),
    })
}

/** One count with what they ask of the API. */
async function requireAllowance({ count }: SessionParts, visitor: SignedIn): Promise<void> {
  const { exceeded, limit } = await count(keyIdOf(visitor), limits.visitorRequests.value)
  if (exceeded) throw new Problem('rate_limited', `At most ${limit} requests a minute.`, { retryAfter: 10 })
}

async function visitorOf(
  request: FastifyRequest,
  { access }: SessionRoute,
  sessionUsers: SessionUsers,
): Promise<SignedIn | null> {
  if (access !== 'anyone') return await sessionUsers.find(request)
  return sessionUsers.hasSession(request) ? await sessionUsers.find(request).catch(() => null) : null
}

const handlerOf =
  ({ guard }: SessionParts, route: SessionRoute) =>
  (request: FastifyRequest, reply: FastifyReply, name: (email: string) => void = () => {}): Promise<object> =>
    route.action({
      visitor: request.visitor,
      body: request.body,
      query: request.query,
      params: request.params as Record<string, string>,
      caller: {
        address: request.ip,
        agent: request.headers['user-agent'] ?? '',
        browser: guard.browser(request),
      },
      isInsecure: guard.isInsecure(request),
      name,
      setSession: begun => void reply.header('set-cookie', guard.cookies(request, begun)),
    })

/** What is worth a line in the log. The rest could be repeated without end by anybody. */
const worthNoting = new Set(['wrong_credentials', 'code_needed'])

/** Tries to get in are noted when they ended: before, nobody knows who it is. */
function attempted(parts: SessionParts, route: SessionRoute) {
  const handler = handlerOf(parts, route)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<object> => {
    request.isNoted = true
    let who = (request.body as { email?: string }).email?.trim().toLowerCase().slice(0, 254) ?? ''
    const note = (refusal: string | null) =>
      parts.audit.audit({ ...draftOf(request, who, null, route.operation), fields: [], refusal })
    try {
      const answer = await handler(request, reply, email => {
        who = email
      })
      await note(null)
      return answer
    } catch (error) {
      const { code } = asProblem(error)
      if (worthNoting.has(code)) await note(code)
      await sleep(parts.delay(request.ip))
      throw error
    }
  }
}
