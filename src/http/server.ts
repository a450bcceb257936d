/** The HTTP server: both environments, the documents, health and metrics. */

import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import type { Environment, EnvironmentName } from '../core/environment.ts'
import { environmentNames } from '../core/environment.ts'
import type { Log } from '../core/log.ts'
import { Problem } from '../core/problem.ts'
import { type Door, keyOf } from './auth.ts'
import { registerDocs } from './docs.ts'
import { registerHealth } from './health.ts'
import { type Idempotency, type Keeper, keepNothing } from './idempotency.ts'
import { readJson } from './json.ts'
import { FileAnswer } from './media.ts'
import { asProblem, problemBody, statusOf } from './problems.ts'
import { answerBrokenRequest } from './raw.ts'
import type { Route } from './route.ts'
import { StreamAnswer } from './stream-answer.ts'
import { checker, mayBeLeftOut } from './validation.ts'

export const bases: Record<EnvironmentName, string> = { production: '/api/v1', staging: '/staging/api/v1' }

export type ServerParts = {
  routes: readonly Route[]
  door: Door
  idempotency: Idempotency
  environment: (name: EnvironmentName) => Environment
  document: object
  /** Where the errors are described. Asked late: the port may be known only once the server listens. */
  docsUrl: () => string
  stagingHost: string | undefined
  /** Serve https with this certificate. */
  tls: { cert: Buffer; key: Buffer } | undefined
  /** Other protocols, each under a path of its own. */
  annexes: readonly Annex[]
  trustProxy: string[] | undefined
  ready: () => Promise<void>
  metrics: () => Promise<{ type: string; text: string }>
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

const bodyLimit = 1_048_576

export type Server = { app: FastifyInstance /** From now on: 503. */; refuse: () => void }

export function buildServer(parts: ServerParts): Server {
  let closing = false
  /** Answers that would go on for hours. */
  const streams = new Set<StreamAnswer>()
  const annexPath = (url: string) => parts.annexes.reduce((path, annex) => annex.path(path), url)
  const app: FastifyInstance = fastify({
    logger: false,
    bodyLimit,
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength: 20_000, ignoreTrailingSlash: true },
    genReqId: () => randomUUID(),
    trustProxy: parts.trustProxy ?? false,
    ...(parts.tls && { https: parts.tls }),
    rewriteUrl: request => {
      const url = readable(request.url ?? '/')
      return stagingUrl(annexPath(url), request.headers.host, parts.stagingHost)
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, parts.docsUrl()),
    frameworkErrors: (error, request, reply) => fail(error, request, reply),
  })
  app.server.headersTimeout = 10_000

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

  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, readJson(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.setValidatorCompiler(({ schema }) => {
    const check = checker(schema as object)
    return value => {
      const error = check(value)
      return error ? { error } : { value }
    }
  })
  app.decorateRequest('key', null)

  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    if (closing) done(new Problem('shutting_down', 'The gateway is being restarted.', { retryAfter: 5 }))
    else done()
  })
  if (parts.onAnswer) {
    const { onAnswer } = parts
    app.addHook('onResponse', (request, reply, done) => {
      const route = request.routeOptions.url ?? 'none'
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
  registerDocs(app, parts.document, Object.values(bases))
  for (const name of environmentNames)
    app.register(async scope => registerEnvironment(scope, name, parts, streams), { prefix: bases[name] })
  for (const { register, prefix } of parts.annexes) app.register(async scope => register(scope), { prefix })
  app.setNotFoundHandler(() => {
    throw new Problem('not_found', 'There is nothing at this address.')
  })
  return {
    app,
    refuse: () => {
      closing = true
      for (const answer of streams) answer.stop()
    },
  }
}

function registerEnvironment(
  app: FastifyInstance,
  name: EnvironmentName,
  parts: ServerParts,
  streams: Set<StreamAnswer>,
): void {
  app.addHook('onRequest', parts.door.hook(name))
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', 'no-store')
    // Before the body is read: a wrong address or method is not the body's fault.
    done(request.is404 ? nothingHere(request, reply) : undefined)
  })
  for (const route of parts.routes) {
    const body = name === 'staging' ? (route.stagingBody ?? route.body) : route.body
    for (const url of route.paths)
      app.route({
        method: route.method,
        url,
        config: { scope: route.scope },
        schema: {
          ...(body && { body }),
          querystring: route.query ?? noQuery,
          ...(route.response !== 'file' &&
            !route.stream && { response: { [route.success ?? 200]: route.response } }),
        },
        preValidation: (request, _reply, done) => {
          request.query = readQuery(request.query as Record<string, unknown>, route.query)
          if (body && request.body === undefined && mayBeLeftOut(body)) request.body = {}
          done()
        },
        handler: async (request, reply) => {
          const asked = {
            environment: parts.environment(name),
            key: keyOf(request),
            body: request.body,
            query: request.query,
            params: request.params as Record<string, string>,
            lastEventId: request.headers['last-event-id']?.toString(),
            isAllowed: () => parts.door.stillAllows(request, name),
          }
          if (route.success) reply.code(route.success)
          const idempotencyKey = request.headers['idempotency-key']
          const repeatable = idempotencyKey !== undefined &&
            route.method === 'POST' && {
              environmentId: asked.environment.id,
              operation: route.operation,
              key: String(idempotencyKey),
              request: [asked.params, asked.body ?? null],
              isSecret: route.secret ?? false,
            }
          const act = (keep: Keeper) => route.action({ ...asked, keep })
          if (repeatable && !route.stream) {
            const answer = await parts.idempotency.once(repeatable, act as () => Promise<object>)
            if (answer.replayed) reply.header('idempotent-replayed', 'true')
            return reply.type('application/json; charset=utf-8').serializer(asText).send(answer.body)
          }
          const answer = repeatable
            ? await parts.idempotency.stream(repeatable, route.stream!, act as () => Promise<StreamAnswer>)
            : await act(keepNothing)
          if (answer instanceof FileAnswer) return reply.headers(answer.headers()).send(answer.content)
          if (answer instanceof StreamAnswer) {
            streams.add(answer)
            if (answer.replayed) reply.header('idempotent-replayed', 'true')
            reply.raw.once('close', () => {
              streams.delete(answer)
              answer.stop()
            })
            // Proxies must pass on what comes as it comes.
            return reply
              .type(answer.type)
              .header('x-accel-buffering', 'no')
              .send(Readable.from(answer.text()))
          }
          return answer
        },
      })
  }
  const matchers = parts.routes.flatMap(route =>
    route.paths.map(path => ({
      method: route.method,
      pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`),
    })),
  )
  const nothingHere = (request: FastifyRequest, reply: FastifyReply): Problem => {
    const path = request.url.split('?')[0]!.slice(bases[name].length)
    const methods = new Set(matchers.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
    if (methods.size === 0) return new Problem('not_found', 'There is nothing at this address.')
    const allowed = [...methods].flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
    reply.header('allow', allowed)
    return new Problem('method_not_allowed', `This address takes ${allowed} only.`)
  }
  app.setNotFoundHandler((request, reply) => {
    throw nothingHere(request, reply)
  })
}

const asText = (text: unknown) => text as string

const noQuery = { type: 'object', properties: {}, additionalProperties: false }

/** A query is text: where the schema wants an integer and the text is one, it becomes one. Nothing else is converted. */
function readQuery(query: Record<string, unknown>, schema: object | undefined): Record<string, unknown> {
  const properties =
    (schema as { properties?: Record<string, { type?: string }> } | undefined)?.properties ?? {}
  // Without a prototype, so that a parameter called __proto__ is one like any other.
  const read = Object.create(null) as Record<string, unknown>
  for (const [name, value] of Object.entries(query)) {
    const isInteger =
      properties[name]?.type === 'integer' && typeof value === 'string' && /^\d{1,15}$/.test(value)
    read[name] = isInteger ? Number(value) : value
  }
  return read
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
  return sameHost && (url === bases.production || url.startsWith(`${bases.production}/`))
    ? `/staging${url}`
    : url
}
