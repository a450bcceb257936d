/** Which route an address leads to, each with everything that is known of it before it is asked for. */

import findMyWay, { type HTTPMethod } from 'find-my-way'
import { Problem } from '../core/problem.ts'
import type { Exchange } from './exchange.ts'
import { readQuery } from './query.ts'
import { writer } from './serialization.ts'
import type { EdgeRoute, Site } from './site.ts'
import { checker, dropNulls, mayBeLeftOut } from './validation.ts'

export type RegisteredRoute = { method: string; url: string }

export type Ready = {
  route: EdgeRoute
  /** Its whole path, with the names of its parameters. */
  template: string
  /** Judges body and query by their schemas; throws what is wrong with them. */
  check: (exchange: Exchange) => void
  write: (answer: object) => string
}

const longestParameter = 20_000

export class Router {
  readonly routes: RegisteredRoute[] = []
  readonly #sites: readonly Site[]
  readonly #table = findMyWay({ maxParamLength: longestParameter, ignoreTrailingSlash: true })

  constructor(sites: readonly Site[]) {
    this.#sites = sites
    for (const site of sites) for (const route of site.routes) this.#add(site, route)
  }

  /** Finds the route, and notes what its parameters and the query are. */
  find(exchange: Exchange): Ready | undefined {
    const { url } = exchange
    const found = this.#table.find(exchange.method as HTTPMethod, url)
    if (!found) return undefined
    const ready = found.store as Ready
    exchange.template = ready.template
    exchange.params = url.includes('%00')
      ? withoutNul(found.params)
      : (found.params as Record<string, string>)
    exchange.query = found.searchParams
    return ready
  }

  /** What answers for an address that no route has. */
  nothingAt(given: string): NonNullable<Site['nothing']> {
    // Decoded, as the table does it: however it is written, an address below a prefix is that site's.
    const path = given.includes('%') ? decodeURI(given) : given
    const isWithin = ({ prefix }: Site) => path === prefix || path.startsWith(`${prefix}/`)
    return this.#sites.find(site => site.nothing && isWithin(site))?.nothing ?? nothingHere
  }

  #add({ prefix }: Site, route: EdgeRoute): void {
    const template = route.path === '/' ? prefix : prefix + route.path
    const ready: Ready = {
      route,
      template,
      check: checkOf(route),
      write: route.response ? writer(route.response) : JSON.stringify,
    }
    const methods = route.method === 'GET' && !route.noHead ? (['GET', 'HEAD'] as const) : [route.method]
    for (const method of methods) {
      this.#table.on(method, template, () => {}, ready)
      this.routes.push({ method, url: template })
    }
  }
}

export const nothingHere = (): never => {
  throw new Problem('not_found', 'There is nothing at this address.')
}

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

/** No id holds NUL, and PostgreSQL takes none: an id with NUL is an unknown id. */
const withoutNul = (params: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value!.replaceAll('\0', '\ufffd')]))
