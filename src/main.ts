/** Builds everything once; the only file that knows everybody. */

import { randomUUIDv7 } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server as TlsServer } from 'node:tls'
import { pino } from 'pino'
import { addCloudNumber, renewCloudNumber } from './cloud-number.ts'
import type { Config } from './config.ts'
import { Canceler } from './core/canceler.ts'
import { Dispatcher } from './core/dispatcher.ts'
import { Fleet } from './core/fleet.ts'
import { Gateway } from './core/gateway.ts'
import { Journal } from './core/journal.ts'
import { KeyRing } from './core/key-ring.ts'
import type { LinkKind } from './core/link.ts'
import type { Log } from './core/log.ts'
import { Problem } from './core/problem.ts'
import { Reception } from './core/reception.ts'
import { Scheduler } from './core/scheduler.ts'
import { shownEvent } from './core/shown-event.ts'
import type { Store } from './core/store.ts'
import { Sweeper } from './core/sweeper.ts'
import { Tenants } from './core/tenants.ts'
import { Door } from './http/auth.ts'
import { Idempotency } from './http/idempotency.ts'
import { FailureDelay, RequestLimits } from './http/limits.ts'
import { openApi } from './http/openapi.ts'
import { routes } from './http/routes.ts'
import { buildServer } from './http/server.ts'
import { cloudBase, cloudRoutes } from './links/cloud/routes.ts'
import { simulatedPhones } from './links/simulated.ts'
import { Metrics } from './metrics.ts'
import { hasEnded, nodeName } from './node-name.ts'
import { complete, isAssigned } from './numbering.ts'
import { buildNumbers } from './numbers.ts'
import { linkNumber } from './pairing.ts'
import { buildPhones } from './phones.ts'
import { seal, unseal } from './seal.ts'
import { secretKey } from './secret-key.ts'
import { MediaFolder } from './store/media-folder.ts'
import { openStore } from './store/open.ts'
import { readCertificate, watchCertificate } from './tls.ts'
import { version } from './version.ts'

export type BuildOptions = {
  now?: () => number
  log?: Log
  /** How devices of some kinds are reached, in place of the usual ways. */
  kinds?: readonly LinkKind[]
  /** This node's name, unlike that of any other living node on the database. */
  node?: string
  /** For how long a device may be offline before its queue moves on. */
  offlineGraceMs?: number
  /** Writes that may share a commit. Only benchmarks change it. */
  groupMost?: number
  /** Storage can no longer be trusted: the process must end. */
  onFatal?: (error: Error) => void
}

export type Basestation = {
  store: Store
  gateway: Gateway
  fleet: Fleet
  sweeper: Sweeper
  /** Opens the links and listens. Returns the address. */
  start(): Promise<string>
  /** Refuses new requests, finishes those under way, closes the links, then storage. */
  stop(): Promise<void>
}

export const makeLog = (level: string): Log =>
  pino({ level, base: null }, pino.destination({ dest: 2, sync: true }))

export async function build(config: Config, options: BuildOptions = {}): Promise<Basestation> {
  const { now = Date.now, log = makeLog(config.LOG_LEVEL), onFatal } = options
  const node = options.node ?? nodeName
  const tlsFiles =
    config.TLS_CERT !== undefined && config.TLS_KEY !== undefined
      ? { cert: config.TLS_CERT, key: config.TLS_KEY }
      : undefined
  const tls = tlsFiles && readCertificate(tlsFiles)
  const mediaFolder = new MediaFolder(join(config.DATA_DIR, 'media'))
  const metrics = new Metrics()
  const store = await openStore(config.DATABASE_URL, {
    now,
    ...(options.groupMost !== undefined && { most: options.groupMost }),
    onCommit: (calls, seconds) => {
      metrics.committed(calls, seconds)
      journal.wake()
    },
    onFatal: error => {
      log.error({ err: error }, 'storage failed; what was not answered may or may not have been kept')
      onFatal?.(error)
    },
  })
  const tenants = new Tenants(store, log)
  const failures = new FailureDelay(now)
  const fleet = new Fleet(store, now)
  const journal: Journal = new Journal({
    store,
    show: event => shownEvent(event, id => fleet.member(id)),
    log,
  })
  metrics.watch(fleet, store, now)
  const gateway: Gateway = new Gateway({
    store,
    fleet,
    refresh: () => dispatcher.refresh(),
    wake: deviceId => dispatcher.wake(deviceId),
    now,
    newId: randomUUIDv7,
    isAssigned,
    queueLimit: config.QUEUE_LIMIT,
    mediaHttpsOnly: config.MEDIA_HTTPS_ONLY,
    mediaAllowHosts: config.MEDIA_ALLOW_HOSTS ?? new Set(),
    onAccept: (environment, messages) => metrics.accepted(environment.name, messages),
  })
  const reception = new Reception({
    store,
    fleet,
    refresh: () => dispatcher.refresh(),
    settings: id => tenants.settings(id),
    complete,
    now,
    onReceipt: (receipt, moved) => metrics.receipt(receipt, moved),
  })
  const { switchboard, annex: phoneAnnex } = buildPhones({
    store,
    fleet,
    reception,
    saveFile: (id, bytes) => mediaFolder.save(id, bytes),
    present: async deviceId => {
      await store.presence(deviceId, node, true)
      await dispatcher.refresh()
    },
    publicUrl: () => publicUrl,
    delay: address => failures.next(address),
    now,
    log,
  })
  const { numbers, hooks, outgoing } = buildNumbers({
    config,
    store,
    mediaFolder,
    record: receipt => reception.record(receipt),
    receive: incoming => reception.receive(incoming),
    now,
    log,
  })
  const usualKinds: readonly LinkKind[] = [simulatedPhones({ now }), switchboard, numbers]
  const otherKinds = options.kinds ?? []
  const dispatcher: Dispatcher = new Dispatcher({
    node,
    ended: hasEnded,
    kinds: [
      ...usualKinds.filter(({ kind }) => !otherKinds.some(other => other.kind === kind)),
      ...otherKinds,
    ],
    fleet,
    store,
    news: device => reception.news(device),
    now,
    log,
  })
  const sweeper = new Sweeper({
    store,
    fleet,
    wake: deviceId => dispatcher.wake(deviceId),
    offlineGraceMs: options.offlineGraceMs ?? 30_000,
    now,
    log,
  })
  const scheduler = new Scheduler({ store, wake: deviceId => dispatcher.wake(deviceId), now, log })
  let publicUrl = config.PUBLIC_URL
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
    devices: {
      store,
      fleet,
      refresh: () => dispatcher.refresh(),
      link: (target, signal) => linkNumber({ store, config, log, now, signal }, target, true),
      addCloud: (draft, credentials, remember) =>
        addCloudNumber({ store, config, publicUrl }, draft, credentials, remember),
      renewCloud: (device, renewed) => renewCloudNumber({ store, config, publicUrl }, device, renewed),
      publicUrl: () => publicUrl,
      now,
    },
    readFile: id => mediaFolder.read(id),
    configure: (environment, settings) => tenants.configure(environment, settings),
  })
  const door = new Door({
    keys: new KeyRing(store, now),
    limits: new RequestLimits(now, store.countRequest),
    failures,
    rateLimit: config.RATE_LIMIT,
    now,
  })
  let stopping = false
  let listening = false
  const { app, refuse } = buildServer({
    routes: table,
    door,
    idempotency: new Idempotency({
      store,
      seal: text => seal(secretKey(config), ['answers'], text),
      open: sealed => unseal(secretKey(config), ['answers'], sealed),
    }),
    environment: name => tenants.environment(name),
    document: openApi(table, version),
    docsUrl: () => `${publicUrl}/docs/errors`,
    stagingHost: config.STAGING_HOST,
    tls,
    annexes: [
      phoneAnnex,
      {
        prefix: cloudBase,
        path: url => url,
        register: scope => cloudRoutes(scope, { hooks, delay: address => failures.next(address) }),
      },
    ],
    trustProxy: config.TRUST_PROXY,
    ready: async () => {
      if (stopping) throw new Problem('shutting_down', 'The gateway is being stopped.', { retryAfter: 5 })
      const late = sleep(readyMs, undefined, { ref: false }).then(() => {
        throw new Problem('storage_unavailable', 'storage does not answer in time', { retryAfter: 5 })
      })
      await Promise.race([store.ping(), late])
    },
    metrics: () => metrics.text(),
    onAnswer: request => metrics.answered(request),
    log,
  })
  const renewal = tls && watchCertificate(tlsFiles, tls, app.server as object as TlsServer, log)

  return {
    store,
    gateway,
    fleet,
    sweeper,
    async start() {
      await tenants.start()
      await journal.start()
      await outgoing.start()
      await switchboard.start()
      await dispatcher.start()
      sweeper.start()
      scheduler.start()
      await app.listen({ host: config.HOST, port: config.PORT })
      const { port } = app.server.address() as AddressInfo
      log.info({ host: config.HOST, port, version }, 'listening')
      listening = true
      renewal?.start()
      publicUrl = config.PUBLIC_URL.replace(/:0$/, `:${port}`)
      return publicUrl
    },
    async stop() {
      stopping = true
      refuse()
      // A connection that was busy when the stop began is idle later, and would be waited for.
      const idle = setInterval(() => app.server.closeIdleConnections(), 50)
      // One after the other, and each whatever became of the one before: a stop must not stop half-way.
      for (const part of [
        () => renewal?.stop(),
        () => switchboard.stop(),
        () => app.close(),
        () => sweeper.stop(),
        () => scheduler.stop(),
        () => tenants.stop(),
        () => journal.stop(),
        () => dispatcher.stop(),
        () => store.close(),
      ])
        try {
          await part()
        } catch (error) {
          log.error({ err: error }, 'a part could not be stopped')
        }
      clearInterval(idle)
      metrics.stop()
      if (listening) log.info({}, 'stopped')
    },
  }
}

const readyMs = 3_000
/** A phone that is told to cancel answers within seconds, or is not listening. */
const cancelMs = 10_000
