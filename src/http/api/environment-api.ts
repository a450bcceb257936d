/** One environment's API: every route under its base address. */

import { Readable } from 'node:stream'
import { apiPaths, type Environment, type EnvironmentName } from '../../core/environment.ts'
import type { Exchange } from '../../edge/exchange.ts'
import { noQuery } from '../../edge/query.ts'
import type { Answer, EdgeRoute, Site } from '../../edge/site.ts'
import { type Door, keyOf, type Need } from '../server/auth.ts'
import { notFoundAt } from '../server/not-found.ts'
import type { StreamAnswer } from '../server/stream-answer.ts'
import type { Streams } from '../server/streams.ts'
import { type AuditParts, audited, refusalNoter } from '../session/audit.ts'
import { type Idempotency, type Keeper, keepNothing } from './idempotency.ts'
import type { FileAnswer } from './messages/media.ts'
import type { ApiRequest, Route } from './route.ts'

export type EnvironmentParts = AuditParts & {
  routes: readonly Route[]
  door: Door
  idempotency: Idempotency
  environment: (name: EnvironmentName) => Environment
}

export function environmentSite(name: EnvironmentName, parts: EnvironmentParts, streams: Streams): Site {
  const nothing = notFoundAt(apiPaths[name], parts.routes)
  return {
    prefix: apiPaths[name],
    routes: parts.routes.flatMap(route => edgeRoutes(name, parts, streams, route)),
    // Strangers do not learn what there is.
    nothing: exchange => {
      const entering = enter(parts, name, {}, exchange)
      return entering ? entering.then(() => nothing(exchange)) : nothing(exchange)
    },
  }
}

function enter({ door }: EnvironmentParts, name: EnvironmentName, need: Need, exchange: Exchange) {
  exchange.fields.push('cache-control', 'no-store')
  return door.enter(exchange, name, need)
}

/** One for each of its paths. */
function edgeRoutes(
  name: EnvironmentName,
  parts: EnvironmentParts,
  streams: Streams,
  route: Route,
): EdgeRoute[] {
  const { method, scope, asksPassword, success, response, query = noQuery } = route
  const need: Need = { scope, ...(asksPassword && { asksPassword }) }
  const body = name === 'staging' ? (route.stagingBody ?? route.body) : route.body
  const perform = performer(route, parts, streams)
  const handle = audited(parts, name, route, exchange => {
    if (success) exchange.status = success
    const asked = {
      environment: parts.environment(name),
      key: keyOf(exchange),
      isPerson: exchange.visitor !== null,
      body: exchange.body,
      query: exchange.query,
      params: exchange.params,
      lastEventId: exchange.headers['last-event-id']?.toString(),
      isAllowed: () => parts.door.stillAllows(exchange, name, need),
      keep: keepNothing,
    }
    return perform(asked, exchange)
  })
  return route.paths.map(path => ({
    method,
    path,
    enter: exchange => enter(parts, name, need, exchange),
    ...(body && { body }),
    query,
    handle,
    ...(response !== 'file' && !route.stream && { response }),
    onRefusal: refusalNoter(parts, name, route),
  }))
}

type Perform = (asked: ApiRequest, exchange: Exchange) => Promise<Answer>

/** What is done for a route: a stream, a file, an answer that is kept for repetitions, or simply its action. */
function performer(route: Route, { idempotency }: EnvironmentParts, streams: Streams): Perform {
  const act = (asked: ApiRequest, keep: Keeper) => route.action({ ...asked, keep })
  if (route.stream) {
    const type = route.stream
    return async (asked, exchange) => {
      const leave = streams.take(asked.key.id)
      let answer: StreamAnswer
      try {
        const repeatable = repeatableOf(route, asked, exchange)
        answer = (await (repeatable
          ? idempotency.stream(repeatable, type, keep => act(asked, keep) as Promise<StreamAnswer>)
          : route.action(asked))) as StreamAnswer
      } catch (error) {
        leave()
        throw error
      }
      streams.add(answer, exchange.response, leave)
      if (answer.replayed) exchange.header('idempotent-replayed', 'true')
      exchange.type = answer.type
      // Proxies must pass on what comes as it comes.
      exchange.header('x-accel-buffering', 'no')
      return Readable.from(answer.text())
    }
  }
  if (route.response === 'file')
    return async (asked, exchange) => {
      const file = (await route.action(asked)) as FileAnswer
      exchange.setHeaders(file.headers())
      return file.content
    }
  return (asked, exchange) => {
    const repeatable = repeatableOf(route, asked, exchange)
    if (!repeatable) return route.action(asked) as Promise<object>
    const once = idempotency.once(repeatable, keep => act(asked, keep) as Promise<object>)
    return once.then(answer => {
      if (answer.replayed) exchange.header('idempotent-replayed', 'true')
      exchange.type = 'application/json; charset=utf-8'
      return answer.body
    })
  }
}

/** Under which its answer is kept, if the client wants to repeat the request safely. */
function repeatableOf(route: Route, { environment, key, params, body }: ApiRequest, { headers }: Exchange) {
  const given = headers['idempotency-key']
  if (given === undefined || route.method !== 'POST') return undefined
  return {
    environmentId: environment.id,
    // An answer with a secret in it is for whoever asked, not for everybody who knows what was asked.
    operation: route.secret ? `${route.operation} by ${key.id}` : route.operation,
    key: String(given),
    request: [params, body ?? null],
    isSecret: route.secret ?? false,
  }
}
