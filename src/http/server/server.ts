/** The HTTP server: both environments, the documents, health and metrics, and what people see in a browser. */

import { apiPaths, environmentNames } from '../../core/environment.ts'
import type { Log } from '../../core/lib/log.ts'
import { Problem } from '../../core/problem.ts'
import { Edge, type EdgeParts } from '../../edge/edge.ts'
import type { Exchange } from '../../edge/exchange.ts'
import type { Site } from '../../edge/site.ts'
import { type EnvironmentParts, environmentSite } from '../api/environment-api.ts'
import { type SessionParts, sessionSite } from '../session/api.ts'
import { type Dashboard, dashboardAt } from '../site/dashboard.ts'
import { docsRoutes } from '../site/docs.ts'
import { type HealthParts, healthRoutes } from './health.ts'
import { Streams } from './streams.ts'

export type ServerParts = EnvironmentParts &
  HealthParts &
  Pick<EdgeParts, 'tls' | 'docsUrl' | 'trustProxy' | 'maxConnections'> & {
    session: SessionParts
    /** The dashboard's files. */
    dashboard: Dashboard
    document: () => object
    stagingHost: string | undefined
    /** Other protocols, each under a path of its own. */
    annexes: readonly Annex[]
    /** Others reach the gateway over https. Asked late: the address may be known only once the server listens. */
    isHttps: () => boolean
    streamsPerKey: number
    /** Called for each answered request. */
    onAnswer: (request: { method: string; route: string; status: number; seconds: number }) => void
    log: Log
  }

export type Annex = Site & {
  /** Puts right what clients get wrong in their addresses. */
  rewrite?: (url: string) => string
}

export type Server = {
  edge: Edge
  /** From now on: 503. */
  refuse: () => void
}

export function buildServer(parts: ServerParts): Server {
  const { annexes, stagingHost, isHttps, log, onAnswer } = parts
  let closing = false
  const streams = new Streams(parts.streamsPerKey)
  const rewriting = annexes.flatMap(({ rewrite }) => rewrite ?? [])
  const edge = new Edge({
    sites: [
      ...environmentNames.map(name => environmentSite(name, parts, streams)),
      ...annexes,
      sessionSite(parts.session),
      {
        prefix: '',
        routes: [...healthRoutes(parts), ...docsRoutes(parts.document, Object.values(apiPaths))],
        nothing: dashboardAt(parts.dashboard),
      },
    ],
    rewrite: (url, host) => {
      const meant = rewriting.reduce((path, rewrite) => rewrite(path), readable(url))
      return stagingUrl(meant, host, stagingHost)
    },
    admit: exchange => {
      if (isHttps()) exchange.fields.push('strict-transport-security', 'max-age=31536000')
      if (!closing) return
      exchange.header('connection', 'close')
      throw new Problem('shutting_down', 'The gateway is being restarted.', { retryAfter: 5 })
    },
    onAnswer: (exchange, seconds) => {
      const { method, status, template: route = 'none' } = exchange
      if (status >= 400) noteRefusal(log, exchange, seconds)
      onAnswer({ method, route, status, seconds })
    },
    onFault: (exchange, problem) =>
      log.error(
        { request: exchange.id, route: exchange.template, err: problem.cause ?? problem },
        problem.code,
      ),
    docsUrl: parts.docsUrl,
    trustProxy: parts.trustProxy,
    tls: parts.tls,
    maxConnections: parts.maxConnections,
  })
  return {
    edge,
    refuse: () => {
      edge.isDraining = true
      closing = true
      streams.stop()
    },
  }
}

/**
 * By its id, a request that was refused is found in the log. What strangers ask is only for those who look closely:
 * they could fill it.
 */
function noteRefusal(log: Log, exchange: Exchange, seconds: number): void {
  const { id, method, status, template: route = 'none', key, visitor } = exchange
  const who = visitor ? { user: visitor.user.id } : { ...(key && { key: key.id }) }
  const fields = { request: id, method, route, status, ms: Math.round(seconds * 1_000), ...who }
  if (key || visitor) log.info(fields, 'a request was refused')
  else log.debug(fields, 'a request was refused')
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
