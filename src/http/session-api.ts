/** Serves /session: people sign in with a browser, and look after their team. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { SignedIn } from '../core/user.ts'
import { type AuditParts, audited, draftOf } from './audit.ts'
import type { BrowserGuard } from './browser-guard.ts'
import { nothingAt } from './nothing.ts'
import { asProblem } from './problems.ts'
import { noQuery, readQuery } from './read-query.ts'
import type { SessionRoute } from './session-routes.ts'
import type { Visitors } from './visitors.ts'

export type SessionParts = AuditParts & {
  routes: readonly SessionRoute[]
  guard: BrowserGuard
  visitors: Visitors
}

export const sessionBase = '/session'

export function registerSession(app: FastifyInstance, parts: SessionParts): void {
  const { routes, guard, visitors } = parts
  const nothingHere = nothingAt(
    sessionBase,
    routes.map(({ method, path }) => ({ method, paths: [path] })),
  )
  app.setNotFoundHandler((request, reply) => {
    throw nothingHere(request, reply)
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store')
    guard.check(request)
  })
  for (const route of routes)
    app.route({
      method: route.method,
      url: route.path,
      schema: {
        ...(route.body && { body: route.body }),
        querystring: route.query ?? noQuery,
        response: { 200: route.response },
      },
      onRequest: async request => {
        if (route.isLogin) guard.checkLogin(request)
        request.visitor = await visitorOf(request, route, visitors)
      },
      preValidation: (request, _reply, done) => {
        request.query = readQuery(request.query as Record<string, unknown>, route.query)
        done()
      },
      handler: route.isLogin ? attempted(parts, route) : audited(parts, null, route, handlerOf(parts, route)),
    })
}

async function visitorOf(
  request: FastifyRequest,
  { access }: SessionRoute,
  visitors: Visitors,
): Promise<SignedIn | null> {
  if (access === 'signed in') return await visitors.find(request)
  return visitors.hasSession(request) ? await visitors.find(request).catch(() => null) : null
}

const handlerOf =
  ({ guard }: SessionParts, route: SessionRoute) =>
  (request: FastifyRequest, reply: FastifyReply): Promise<object> =>
    route.action({
      visitor: request.visitor,
      body: request.body,
      query: request.query,
      params: request.params as Record<string, string>,
      caller: { address: request.ip, agent: request.headers['user-agent'] ?? '' },
      isInsecure: guard.isInsecure(request),
      setSession: token => void reply.header('set-cookie', guard.cookie(request, token)),
    })

/** Tries to sign in are noted when they ended: before, nobody knows who it is. */
function attempted(parts: SessionParts, route: SessionRoute) {
  const handler = handlerOf(parts, route)
  return async (request: FastifyRequest, reply: FastifyReply): Promise<object> => {
    const given = (request.body as { email?: string }).email?.trim().toLowerCase().slice(0, 254)
    const who = request.visitor?.user.email ?? given ?? ''
    const draft = { ...draftOf(request, who, null, route.operation), fields: [] }
    try {
      const answer = await handler(request, reply)
      await parts.audit.audit(draft)
      return answer
    } catch (error) {
      await parts.audit.audit({ ...draft, refusal: asProblem(error).code })
      throw error
    }
  }
}
