/** Builds the API: its routes, who may use them, and the server. */

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Config } from '../config.ts'
import { KeyCache } from '../core/access/key-cache.ts'
import type { Dispatcher } from '../core/devices/dispatcher.ts'
import type { Fleet } from '../core/devices/fleet.ts'
import type { Environments } from '../core/environments.ts'
import type { Journal } from '../core/events/journal.ts'
import type { MediaFiles } from '../core/inbox/media-files.ts'
import type { Log } from '../core/lib/log.ts'
import { Canceler } from '../core/messages/canceler.ts'
import type { Gateway } from '../core/messages/gateway.ts'
import type { Erasure } from '../core/people/erasure.ts'
import { Problem } from '../core/problem.ts'
import type { Store } from '../core/store.ts'
import type { WebhookAdmin } from '../core/webhooks/webhook-admin.ts'
import type { Metrics } from '../host/metrics.ts'
import { version } from '../host/version.ts'
import { Idempotency } from '../http/api/idempotency.ts'
import { routes } from '../http/api/routes.ts'
import { Door } from '../http/server/auth.ts'
import { type FailureDelay, RequestLimits } from '../http/server/rate-limits.ts'
import { buildServer, type Server, type ServerParts } from '../http/server/server.ts'
import { readDashboard } from '../http/site/dashboard.ts'
import { openApi } from '../http/site/openapi.ts'
import type { Sealer } from '../secrets/sealer.ts'
import { addCloudNumber, renewCloudNumber } from './add-cloud-number.ts'
import { linkNumber } from './link-number.ts'
import { buildSignIn } from './sign-in.ts'

export type ApiParts = Pick<ServerParts, 'annexes' | 'tls'> & {
  /** The name of this node. */
  node: string
  config: Config
  sealer: Sealer
  store: Store
  gateway: Gateway
  fleet: Fleet
  dispatcher: Dispatcher
  journal: Journal
  admin: WebhookAdmin
  erasure: Erasure
  environments: Environments
  mediaFiles: MediaFiles
  metrics: Metrics
  failures: FailureDelay
  /** Asked late: the port may be known only once the server listens. */
  publicUrl: () => string
  now: () => number
  log: Log
}

/** Where the dashboard is, once it was built. */
const webFolder = join(import.meta.dirname, '../../web/dist')
const readyMs = 3_000
const probeMs = 1_000
/** A phone that is told to cancel answers within seconds, or is not listening. */
const cancelMs = 10_000

export function buildApi(parts: ApiParts): Server {
  const { config, sealer, store, gateway, fleet, dispatcher, journal, admin, erasure, environments } = parts
  const { node, mediaFiles, metrics, failures, annexes, tls, publicUrl, now, log } = parts
  const table = routes({
    gateway,
    canceler: new Canceler({
      store,
      device: id => fleet.member(id)?.device,
      canCancel: device => dispatcher.canCancel(device),
      patienceMs: cancelMs,
    }),
    store,
    fleet,
    journal,
    admin,
    erasure,
    devices: {
      store,
      fleet,
      refresh: () => dispatcher.refresh(),
      link: (target, signal, keep) =>
        linkNumber({ store, config, sealer, log, now, signal, keep }, target, true),
      addCloud: (draft, credentials, remember) =>
        addCloudNumber({ store, config, sealer, publicUrl: publicUrl() }, draft, credentials, remember),
      renewCloud: (device, renewed) =>
        renewCloudNumber({ store, config, sealer, publicUrl: publicUrl() }, device, renewed),
      publicUrl,
      now,
    },
    keys: { store, rateLimit: config.RATE_LIMIT, now },
    stats: { store, fleet, now },
    nodes: { store, node },
    readFile: id => mediaFiles.read(id),
    configure: (environment, settings) => environments.configure(environment, settings),
  })
  const requestLimits = new RequestLimits(now, store.countRequest)
  const refusals = new RequestLimits(now, undefined)
  const session = buildSignIn({
    config,
    sealer,
    store,
    publicUrl,
    delay: address => failures.next(address),
    count: (id, most) => requestLimits.take(id, most),
    refusals,
    now,
  })
  const door = new Door({
    keys: new KeyCache(store, now),
    sessionUsers: session.sessionUsers,
    environmentId: name => environments.environment(name).id,
    limits: requestLimits,
    failures,
    rateLimit: config.RATE_LIMIT,
    now,
  })
  let probedAt = Number.NEGATIVE_INFINITY
  let probe: Promise<void> = Promise.resolve()
  const { edge, refuse } = buildServer({
    routes: table,
    door,
    session,
    audit: store,
    refusals,
    dashboard: {
      files: readDashboard(webFolder),
      publicUrl,
      stagingHost: config.STAGING_HOST,
      isInsecure: request => session.guard.isInsecure(request),
    },
    idempotency: new Idempotency({
      store,
      seal: text => sealer.seal(['answers'], text),
      open: sealed => sealer.open(['answers'], sealed),
    }),
    environment: name => environments.environment(name),
    document: () => openApi(table, version),
    docsUrl: () => `${publicUrl()}/docs/errors`,
    stagingHost: config.STAGING_HOST,
    tls,
    annexes,
    trustProxy: config.TRUST_PROXY,
    isHttps: () => publicUrl().startsWith('https:'),
    maxConnections: config.MAX_CONNECTIONS,
    streamsPerKey: config.STREAMS_PER_KEY,
    metricsToken: config.METRICS_TOKEN,
    ready: async () => {
      if (edge.isDraining)
        throw new Problem('shutting_down', 'This node hands over its work and will be stopped.', {
          retryAfter: 5,
        })
      // One look a second, however often strangers ask: each waits for the disk.
      if (now() - probedAt >= probeMs) {
        probedAt = now()
        probe = store.ping()
        probe.catch(() => {})
      }
      const late = sleep(readyMs, undefined, { ref: false }).then(() => {
        throw new Problem('storage_unavailable', 'storage does not answer in time', { retryAfter: 5 })
      })
      await Promise.race([probe, late])
    },
    metrics: () => metrics.text(),
    onAnswer: request => metrics.answered(request),
    log,
  })
  return { edge, refuse }
}
