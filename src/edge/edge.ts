/** Where HTTP ends and the program begins: finds the route, lets it judge who asks, reads, checks and answers. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import proxyAddress from '@fastify/proxy-addr'
import type { Awaitable } from '../core/lib/awaitable.ts'
import { limits } from '../core/limits.ts'
import { Problem } from '../core/problem.ts'
import { readBody } from './body.ts'
import { answerBrokenRequest } from './broken-requests.ts'
import { Exchange, type Trust } from './exchange.ts'
import { asProblem, problemBody, statusOf } from './problems.ts'
import { type Ready, type RegisteredRoute, Router } from './router.ts'
import type { Answer, Site } from './site.ts'
import { answerExpectation } from './unusual-requests.ts'

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

const jsonType = 'application/json; charset=utf-8'
/** Longer than that of any proxy we know, which would find its connection gone otherwise. */
const keepAliveMs = 72_000

export class Edge {
  readonly server: Server
  readonly #parts: EdgeParts
  readonly #trust: Trust | undefined
  readonly #router: Router
  /** It goes on answering, and asks everybody to come back over another connection, which may lead elsewhere. */
  isDraining = false

  constructor(parts: EdgeParts) {
    this.#parts = parts
    this.#trust = parts.trustProxy && proxyAddress.compile(parts.trustProxy)
    this.#router = new Router(parts.sites)
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
    return this.#router.routes
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

  #serve(raw: IncomingMessage, response: ServerResponse): void {
    const exchange = new Exchange(raw, response, this.#trust)
    let ready: Ready | undefined
    try {
      exchange.url = this.#parts.rewrite(withoutOrigin(exchange.url), raw.headers.host)
      ready = this.#router.find(exchange)
      this.#parts.admit(exchange)
      if (raw.headers.host === undefined && raw.httpVersion === '1.1')
        throw new Problem('invalid_request', 'The Host header is missing.')
      this.#enter(exchange, ready)
    } catch (error) {
      this.#fail(exchange, ready, error)
    }
  }

  #enter(exchange: Exchange, ready: Ready | undefined): void {
    if (!ready) {
      this.#settle(exchange, undefined, this.#router.nothingAt(exchange.path)(exchange))
      return
    }
    const entering = ready.route.enter?.(exchange)
    if (!entering) this.#read(exchange, ready)
    else
      entering.then(
        () => this.#read(exchange, ready),
        error => this.#fail(exchange, ready, error),
      )
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
      if (answer === undefined) this.#whenClosed(exchange)
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
    // While the server stops, no connection is used again.
    if (this.isDraining || !this.server.listening) exchange.header('connection', 'close')
    response.writeHead(status, fields)
    response.end(content)
    this.#answered(exchange)
  }

  #stream(exchange: Exchange, content: Readable): void {
    const { response, fields, status, type } = exchange
    this.#whenClosed(exchange)
    try {
      if (type !== undefined) fields.push('content-type', type)
      response.writeHead(status, fields)
      if (exchange.method === 'HEAD' || response.destroyed) {
        content.destroy()
        response.end()
        return
      }
      response.flushHeaders()
      // On any error the answer is incomplete: only a broken connection tells the client.
      pipeline(content, response, error => error && response.destroy())
    } catch (error) {
      // A file that nobody closes ends the process when it is collected.
      content.destroy()
      throw error
    }
  }

  /** A client that has left already does not leave again. */
  #whenClosed(exchange: Exchange): void {
    if (exchange.response.destroyed) this.#answered(exchange)
    else exchange.response.once('close', () => this.#answered(exchange))
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
    exchange.dropContent()
    exchange.status = statusOf(problem.code)
    if (exchange.status === 401) exchange.header('www-authenticate', 'Bearer')
    if (problem.retryAfter !== undefined) exchange.header('retry-after', String(problem.retryAfter))
    exchange.header('cache-control', 'no-store')
    exchange.type = 'application/problem+json; charset=utf-8'
    try {
      this.#write(exchange, JSON.stringify(problemBody(problem, exchange.id, this.#parts.docsUrl())))
    } catch (error) {
      // Not even that can be said. One request must not end the process.
      this.#parts.onFault(exchange, asProblem(error))
      response.destroy()
    }
  }
}

/** Proxies may be asked for a whole address; we answer for its path. */
const withoutOrigin = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*/i, '') || '/'
