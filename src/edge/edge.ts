/** Where HTTP ends and the program begins: finds the route, lets it judge who asks, reads, checks and answers. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import proxyAddress from '@fastify/proxy-addr'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import type { Awaitable } from '../core/lib/awaitable.ts'
import { limits } from '../core/limits.ts'
import { Problem } from '../core/problem.ts'
import { readBody } from './body.ts'
import { answerBrokenRequest } from './broken-requests.ts'
import { Exchange, type Trust } from './exchange.ts'
import { asProblem, problemBody, statusOf } from './problems.ts'
import { readQuery } from './query.ts'
import { writer } from './serialization.ts'
import type { Answer, EdgeRoute, Site } from './site.ts'
import { answerExpectation } from './unusual-requests.ts'
import { checker, dropNulls, mayBeLeftOut } from './validation.ts'

export type EdgeParts = {
  /** The last one answers for everything that no other does. */
  sites: readonly Site[]
  /** Puts right what clients get wrong in their addresses. */
  rewrite: (url: string, host: string | undefined) => string
  /** Called first; throws while nothing may be asked. */
  admit: (exchange: Exchange) => void
  /** Where the errors are described. Asked late: the port may be known only once the server listens. */
  docsUrl: () => string
  trustProxy: string[] | undefined
  /** Serve https with this certificate. */
  tls: { cert: Buffer; key: Buffer } | undefined
  /** Open connections; more are hung up on. */
  maxConnections: number
  /** Called for each answer once it is given. */
  onAnswer: (exchange: Exchange, seconds: number) => void
  /** Called for errors that are our fault. */
  onFault: (exchange: Exchange, problem: Problem) => void
}

export type RegisteredRoute = { method: string; url: string }

/** A route with everything that is known of it before it is asked for. */
type Ready = {
  route: EdgeRoute
  template: string
  check: (exchange: Exchange) => void
  write: (answer: object) => string
}

const jsonType = 'application/json; charset=utf-8'
/** Longer than that of any proxy we know, which would find its connection gone otherwise. */
const keepAliveMs = 72_000
const longestParameter = 20_000

export class Edge {
  readonly server: Server
  readonly #routes: RegisteredRoute[] = []
  readonly #parts: EdgeParts
  readonly #trust: Trust | undefined
  readonly #router = findMyWay({ maxParamLength: longestParameter, ignoreTrailingSlash: true })

  constructor(parts: EdgeParts) {
    this.#parts = parts
    this.#trust = parts.trustProxy && proxyAddress.compile(parts.trustProxy)
    for (const site of parts.sites) for (const route of site.routes) this.#add(site, route)
    const options = {
      // Node.js would answer by itself, without a body.
      requireHostHeader: false,
      maxHeaderSize: limits.headers.value,
      requestTimeout: limits.requestSeconds.value * 1_000,
      headersTimeout: limits.headerSeconds.value * 1_000,
      keepAliveTimeout: keepAliveMs,
    }
    const serve = (raw: IncomingMessage, response: ServerResponse) => this.#serve(raw, response)
    this.server = parts.tls
      ? createSecureServer({ ...options, ...parts.tls }, serve)
      : createServer(options, serve)
    this.server.maxConnections = parts.maxConnections
    this.server.on('clientError', (error, socket) =>
      answerBrokenRequest(error, socket as Parameters<typeof answerBrokenRequest>[1], parts.docsUrl()),
    )
    this.server.on('checkExpectation', (_raw: IncomingMessage, response: ServerResponse) =>
      answerExpectation(response, parts.docsUrl()),
    )
  }

  /** Everything that is answered by a route. */
  get routes(): readonly RegisteredRoute[] {
    return this.#routes
  }

  /** Resolves with the port. */
  async listen(where: { host: string; port: number }): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.server.once('error', reject)
    this.server.listen(where, resolve)
    await promise
    this.server.off('error', reject)
    return (this.server.address() as AddressInfo).port
  }

  /** Takes no more connections, and resolves when the last one is done with. */
  async close(): Promise<void> {
    if (!this.server.listening) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.server.close(() => resolve())
    this.server.closeIdleConnections()
    await promise
  }

  #add({ prefix }: Site, route: EdgeRoute): void {
    const template = route.path === '/' ? prefix : prefix + route.path
    const ready: Ready = { route, template, check: checkOf(route), write: writerFor(route) }
    const methods = route.method === 'GET' && !route.noHead ? (['GET', 'HEAD'] as const) : [route.method]
    for (const method of methods) {
      this.#router.on(method, template, () => {}, ready)
      this.#routes.push({ method, url: template })
    }
  }

  #serve(raw: IncomingMessage, response: ServerResponse): void {
    const url = this.#parts.rewrite(raw.url ?? '/', raw.headers.host)
    const exchange = new Exchange(raw, response, url, this.#trust)
    const found = this.#router.find(exchange.method as HTTPMethod, url)
    const ready = found?.store as Ready | undefined
    if (found && ready) {
      exchange.template = ready.template
      exchange.params = url.includes('%00')
        ? withoutNul(found.params)
        : (found.params as Record<string, string>)
      exchange.query = found.searchParams
    }
    try {
      if (raw.headers.host === undefined && raw.httpVersion === '1.1')
        throw new Problem('invalid_request', 'The Host header is missing.')
      this.#parts.admit(exchange)
      if (!ready) {
        this.#settle(exchange, undefined, this.#nothingAt(exchange.path)(exchange))
        return
      }
      const entering = ready.route.enter?.(exchange)
      if (!entering) this.#read(exchange, ready)
      else
        entering.then(
          () => this.#read(exchange, ready),
          error => this.#fail(exchange, ready, error),
        )
    } catch (error) {
      this.#fail(exchange, ready, error)
    }
  }

  #nothingAt(path: string): NonNullable<Site['nothing']> {
    const isWithin = ({ prefix }: Site) => path === prefix || path.startsWith(`${prefix}/`)
    return this.#parts.sites.find(site => site.nothing && isWithin(site))?.nothing ?? nothingHere
  }

  #read(exchange: Exchange, ready: Ready): void {
    if (ready.route.method === 'GET') {
      this.#handle(exchange, ready)
      return
    }
    readBody(exchange, ready.route, (error, body) => {
      if (error !== undefined) {
        this.#fail(exchange, ready, error)
        return
      }
      exchange.body = body
      this.#handle(exchange, ready)
    })
  }

  #handle(exchange: Exchange, ready: Ready): void {
    try {
      ready.check(exchange)
      this.#settle(exchange, ready, ready.route.handle(exchange))
    } catch (error) {
      this.#fail(exchange, ready, error)
    }
  }

  #settle(exchange: Exchange, ready: Ready | undefined, answer: Awaitable<Answer>): void {
    if (answer instanceof Promise)
      answer.then(
        made => this.#answer(exchange, ready, made),
        error => this.#fail(exchange, ready, error),
      )
    else this.#answer(exchange, ready, answer)
  }

  #answer(exchange: Exchange, ready: Ready | undefined, answer: Answer): void {
    try {
      if (answer === undefined) exchange.response.once('close', () => this.#answered(exchange))
      else if (answer instanceof Readable) this.#stream(exchange, answer)
      else if (typeof answer === 'string' || Buffer.isBuffer(answer)) this.#write(exchange, answer)
      else {
        exchange.type ??= jsonType
        this.#write(exchange, ready ? ready.write(answer) : JSON.stringify(answer))
      }
    } catch (error) {
      this.#fail(exchange, ready, error)
    }
  }

  #write(exchange: Exchange, content: string | Buffer): void {
    const { response, fields, status, type } = exchange
    if (type !== undefined) fields.push('content-type', type)
    if (status !== 204) fields.push('content-length', String(Buffer.byteLength(content)))
    response.writeHead(status, fields)
    response.end(content)
    this.#answered(exchange)
  }

  #stream(exchange: Exchange, content: Readable): void {
    const { response, fields, status, type } = exchange
    if (type !== undefined) fields.push('content-type', type)
    response.writeHead(status, fields)
    response.once('close', () => this.#answered(exchange))
    if (exchange.method === 'HEAD') {
      content.destroy()
      response.end()
      return
    }
    response.flushHeaders()
    // On any error the answer is incomplete: only a broken connection tells the client.
    pipeline(content, response, error => error && response.destroy())
  }

  #answered(exchange: Exchange): void {
    this.#parts.onAnswer(exchange, (performance.now() - exchange.startedAt) / 1_000)
  }

  #fail(exchange: Exchange, ready: Ready | undefined, error: unknown): void {
    const problem = asProblem(error)
    const noting = ready?.route.onRefusal?.(exchange, problem)
    if (noting) noting.catch(() => {}).then(() => this.#refuse(exchange, problem))
    else this.#refuse(exchange, problem)
  }

  #refuse(exchange: Exchange, problem: Problem): void {
    const { response } = exchange
    if (problem.code === 'internal' || problem.code === 'storage_unavailable')
      this.#parts.onFault(exchange, problem)
    if (response.headersSent) {
      response.destroy()
      return
    }
    exchange.status = statusOf(problem.code)
    if (exchange.status === 401) exchange.header('www-authenticate', 'Bearer')
    if (problem.retryAfter !== undefined) exchange.header('retry-after', String(problem.retryAfter))
    exchange.header('cache-control', 'no-store')
    exchange.type = 'application/problem+json; charset=utf-8'
    this.#write(exchange, JSON.stringify(problemBody(problem, exchange.id, this.#parts.docsUrl())))
  }
}

export const nothingHere = (): never => {
  throw new Problem('not_found', 'There is nothing at this address.')
}

/** Judges body and query by their schemas; throws what is wrong with them. */
function checkOf({ body, query }: EdgeRoute): (exchange: Exchange) => void {
  const checkBody = body && checker(body)
  const checkQuery = query && checker(query)
  const isFree = body !== undefined && mayBeLeftOut(body)
  return exchange => {
    if (query) exchange.query = readQuery(exchange.query, query)
    if (body) {
      if (exchange.body === undefined && isFree) exchange.body = {}
      dropNulls(exchange.body, body)
    }
    const problem = checkBody?.(exchange.body ?? null) ?? checkQuery?.(exchange.query)
    if (problem) throw problem
  }
}

const writerFor = ({ response }: EdgeRoute): ((answer: object) => string) =>
  response ? writer(response) : JSON.stringify

/** No id holds NUL, and PostgreSQL takes none: an id with NUL is an unknown id. */
const withoutNul = (params: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value!.replaceAll('\0', '\ufffd')]))
