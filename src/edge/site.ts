/** What the edge serves: sites, which are routes that belong together under one prefix. */

import type { Readable } from 'node:stream'
import type { Awaitable } from '../core/lib/awaitable.ts'
import type { Problem } from '../core/problem.ts'
import type { Exchange } from './exchange.ts'

/** Objects go as JSON; text, bytes and streams as they are. Undefined: the handler writes the response itself. */
export type Answer = object | string | Buffer | Readable | undefined

export type EdgeRoute = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Under the prefix of its site, with `:name` for each parameter. */
  path: string
  /** GET is answered to HEAD too, without the body, unless this is set. */
  noHead?: true
  /** Who asks, and whether they may: throws before the body is read. */
  enter?: (exchange: Exchange) => Awaitable<void>
  /** How the body is read: as JSON if nothing is said. */
  reads?: 'json' | 'bytes'
  bodyLimit?: number
  /** What counts the bytes of the body as they come, and throws when they are too many. */
  countBytes?: (exchange: Exchange) => (bytes: number) => void
  /** What body and query must look like. Without a schema they are not looked at. */
  body?: object
  query?: object
  handle: (exchange: Exchange) => Awaitable<Answer>
  /** What the answer looks like: nothing else of it leaves. */
  response?: object
  /** Called for each refusal, before the client gets it. */
  onRefusal?: (exchange: Exchange, problem: Problem) => Promise<void> | undefined
}

export type Site = {
  prefix: string
  routes: readonly EdgeRoute[]
  /** Answers what no route takes. Without it, the site with the shorter prefix does. */
  nothing?: (exchange: Exchange) => Awaitable<Answer>
}
