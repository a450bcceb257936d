/** The HTTP server: both environments, the documents, health and metrics. */

import { randomUUID } from 'node:crypto'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { apiPaths, environmentNames } from '../../core/environment.ts'
import type { Log } from '../../core/lib/log.ts'
import { limits } from '../../core/limits.ts'
import { Problem } from '../../core/problem.ts'
import { readBodies } from '../../edge/body.ts'
import { answerBrokenRequest } from '../../edge/broken-requests.ts'
import { asProblem, problemBody, statusOf } from '../../edge/problems.ts'
import { writer } from '../../edge/serialization.ts'
import { answerUnusual, serverOptions } from '../../edge/unusual-requests.ts'
import { checker } from '../../edge/validation.ts'
import { type EnvironmentParts, registerEnvironment } from '../api/environment-api.ts'
import { registerSession, type SessionParts, sessionBase } from '../session/api.ts'
import { type Dashboard, registerDashboard } from '../site/dashboard.ts'
import { registerDocs } from '../site/docs.ts'
import { type HealthParts, registerHealth } from './health.ts'
import { Streams } from './streams.ts'

export type ServerParts = EnvironmentParts &
  HealthParts & {
    session: SessionParts
    /** The dashboard's files. */
    dashboard: Dashboard
    document: object
    /** Where the errors are described. Asked late: the port may be known only once the server listens. */
    docsUrl: () => string
    stagingHost: string | undefined
    /** Serve https with this certificate. */
    tls: { cert: Buffer; key: Buffer } | undefined
    /** Other protocols, each under a path of its own. */
    annexes: readonly Annex[]
    trustProxy: string[] | undefined
    /** Others reach the gateway over https. Asked late: the address may be known only once the server listens. */
    isHttps: () => boolean
    /** Open connections; more are hung up on. */
    maxConnections: number
    streamsPerKey: number
    /** Told of each answered request. */
    onAnswer?: (request: { method: string; route: string; status: number; seconds: number }) => void
    log: Log
  }

export type Annex = {
  prefix: string
  /** Puts right what clients get wrong in their addresses. */
  path: (url: string) => string
  register: (app: FastifyInstance) => void
}

export type RegisteredRoute = { method: string; url: string }

export type Server = {
  app: FastifyInstance
  /** Everything that is answered, as it was registered. */
  routes: readonly RegisteredRoute[]
  /** From now on: 503. */
  refuse: () => void
}

export function buildServer(parts: ServerParts): Server {
  let closing = false
  const streams = new Streams(parts.streamsPerKey)
  const annexPath = (url: string) => parts.annexes.reduce((path, annex) => annex.path(path), url)
  const app: FastifyInstance = fastify({
    logger: false,
    bodyLimit: limits.body.value,
    requestTimeout: limits.requestSeconds.value * 1_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 20_000, ignoreTrailingSlash: true },
    genReqId: () => randomUUID(),
    trustProxy: parts.trustProxy ?? false,
    ...(parts.tls ? { https: { ...parts.tls, ...serverOptions } } : { http: serverOptions }),
    rewriteUrl: request => {
      const url = readable(request.url ?? '/')
      return stagingUrl(annexPath(url), request.headers.host, parts.stagingHost)
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, parts.docsUrl()),
    frameworkErrors: (error, request, reply) => fail(error, request, reply),
  })
  app.server.headersTimeout = limits.headerSeconds.value * 1_000
  app.server.maxConnections = parts.maxConnections

  const fail = (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const problem = asProblem(error)
    if (problem.code === 'internal' || problem.code === 'storage_unavailable')
      parts.log.error(
        { request: request.id, route: request.routeOptions?.url, err: problem.cause ?? problem },
        problem.code,
      )
    if (statusOf(problem.code) === 401) reply.header('www-authenticate', 'Bearer')
    if (problem.retryAfter !== undefined) reply.header('retry-after', problem.retryAfter)
    reply
      .header('x-request-id', request.id)
      .header('cache-control', 'no-store')
      .status(statusOf(problem.code))
      .type('application/problem+json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(problemBody(problem, request.id, parts.docsUrl()))
  }
  app.setErrorHandler(fail)

  const routes: RegisteredRoute[] = []
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push({ method: one, url })
  })
  readBodies(app)
  app.setValidatorCompiler(({ schema }) => {
    const check = checker(schema as object)
    return value => {
      const error = check(value)
      return error ? { error } : { value }
    }
  })
  app.setSerializerCompiler(({ schema }) => writer(schema as object))
  app.decorateRequest('key', null)
  app.decorateRequest('visitor', null)
  app.decorateRequest('isNoted', false)

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    if (parts.isHttps()) reply.header('strict-transport-security', 'max-age=31536000')
    cleanParams(request)
    if (closing) done(new Problem('shutting_down', 'The gateway is being restarted.', { retryAfter: 5 }))
    else done()
  })
  answerUnusual(app, parts.docsUrl)
  if (parts.onAnswer) {
    const { onAnswer } = parts
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none'
      noteRefusal(parts.log, request, reply, route)
      onAnswer({
        method: request.method,
        route,
        status: reply.statusCode,
        seconds: reply.elapsedTime / 1_000,
      })
      done()
    })
  }

  registerHealth(app, parts)
  registerDocs(app, parts.document, Object.values(apiPaths))
  for (const name of environmentNames)
    app.register(async scope => registerEnvironment(scope, name, parts, streams), { prefix: apiPaths[name] })
  for (const { register, prefix } of parts.annexes) app.register(async scope => register(scope), { prefix })
  app.register(async scope => registerSession(scope, parts.session), { prefix: sessionBase })
  registerDashboard(app, parts.dashboard)
  return {
    app,
    routes,
    refuse: () => {
      closing = true
      streams.stop()
    },
  }
}

/**
 * By its id, a request that was refused is found in the log. What strangers ask is only for those who look closely:
 * they could fill it.
 */
function noteRefusal(log: Log, request: FastifyRequest, reply: FastifyReply, route: string): void {
  if (reply.statusCode < 400) return
  const { id, method, key, visitor } = request
  const who = visitor ? { user: visitor.user.id } : { ...(key && { key: key.id }) }
  const fields = {
    request: id,
    method,
    route,
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime),
    ...who,
  }
  if (key || visitor) log.info(fields, 'a request was refused')
  else log.debug(fields, 'a request was refused')
}

/** No id holds NUL, and PostgreSQL takes none: what has one in it is an id that nobody knows. */
function cleanParams({ raw, params }: FastifyRequest): void {
  if (!raw.url?.includes('%00')) return
  const named = params as Record<string, string>
  for (const [name, value] of Object.entries(named)) named[name] = value.replaceAll('\0', '\ufffd')
}

/** A percent sign that encodes nothing is meant as itself; then the address is refused as any unknown one is. */
function readable(url: string): string {
  if (!url.includes('%')) return url
  try {
    decodeURIComponent(url)
    return url
  } catch {
    return url.replaceAll('%', '%25')
  }
}

/** On its own host name staging answers under the usual path. */
function stagingUrl(url: string, host: string | undefined, stagingHost: string | undefined): string {
  if (stagingHost === undefined || host === undefined) return url
  const sameHost =
    host.toLowerCase() === stagingHost || host.toLowerCase().replace(/:\d+$/, '') === stagingHost
  return sameHost && (url === apiPaths.production || url.startsWith(`${apiPaths.production}/`))
    ? `/staging${url}`
    : url
}
