/** Builds everything once; the only file that knows everybody. */

import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server as TlsServer } from 'node:tls'
import type { Config } from './config.ts'
import { Dispatcher } from './core/devices/dispatcher.ts'
import { Fleet } from './core/devices/fleet.ts'
import { Environments } from './core/environments.ts'
import { Journal } from './core/events/journal.ts'
import { Reception } from './core/inbox/reception.ts'
import type { Log } from './core/lib/log.ts'
import type { LinkKind } from './core/link.ts'
import { Gateway } from './core/messages/gateway.ts'
import { Scheduler } from './core/messages/scheduler.ts'
import { Sweeper } from './core/messages/sweeper.ts'
import { Erasure } from './core/people/erasure.ts'
import { TallyLoop } from './core/stats/tally-loop.ts'
import type { Store } from './core/store.ts'
import { shownEvent } from './core/wire/event.ts'
import type { RegisteredRoute } from './edge/router.ts'
import { makeLog } from './host/log.ts'
import { Metrics } from './host/metrics.ts'
import { nodeName } from './host/node.ts'
import { complete, isAssigned } from './host/phone-plans.ts'
import { readCertificate, watchCertificate } from './host/tls.ts'
import { version } from './host/version.ts'
import { FailureDelay } from './http/server/rate-limits.ts'
import { simulatedPhones } from './links/simulated.ts'
import { cloudSite } from './links/whatsapp/cloud/routes.ts'
import type { Sealer } from './secrets/sealer.ts'
import { openSealer } from './secrets/secret-key.ts'
import { DiskRoom } from './store/files/disk-room.ts'
import { openStore } from './store/open.ts'
import { buildApi } from './wiring/api.ts'
import { stopAll } from './wiring/lifecycle.ts'
import { buildMediaFiles } from './wiring/media-files.ts'
import { buildNode } from './wiring/nodes.ts'
import { buildPhones } from './wiring/phones.ts'
import { buildWebhooks } from './wiring/webhooks.ts'
import { buildWhatsapp } from './wiring/whatsapp.ts'

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
  sealer: Sealer
  store: Store
  gateway: Gateway
  fleet: Fleet
  sweeper: Sweeper
  erasure: Erasure
  reception: Reception
  /** Everything that the server answers; known once it has started. */
  routes: readonly RegisteredRoute[]
  /** Opens the links and listens. Returns the address. */
  start(): Promise<string>
  /** Refuses new requests, finishes those under way, closes the links, then storage. */
  stop(): Promise<void>
}

const megabyte = 1_000_000

export async function build(config: Config, options: BuildOptions = {}): Promise<Basestation> {
  const { log = makeLog(config.LOG_LEVEL), onFatal } = options
  const node = options.node ?? nodeName
  const tlsFiles =
    config.TLS_CERT !== undefined && config.TLS_KEY !== undefined
      ? { cert: config.TLS_CERT, key: config.TLS_KEY }
      : undefined
  const tls = tlsFiles && readCertificate(tlsFiles)
  const room = new DiskRoom(config.DATA_DIR, config.MEDIA_RESERVE_MB * megabyte)
  const metrics = new Metrics()
  let wakeJournal = () => {}
  const store = await openStore(config.DATABASE_URL, {
    ...(options.now && { now: options.now }),
    ...(options.groupMost !== undefined && { most: options.groupMost }),
    onCommit: (calls, seconds) => {
      metrics.committed(calls, seconds)
      wakeJournal()
    },
    onFatal: error => {
      log.error({ err: error }, 'storage failed; unanswered requests may or may not be stored')
      onFatal?.(error)
    },
  })
  const now = () => store.now()
  const mediaFiles = buildMediaFiles(config, store, room)
  const sealer = await openSealer(store, config).catch(async error => {
    await store.close()
    throw error
  })
  const environments = new Environments(store, log)
  const failures = new FailureDelay(now)
  const fleet = new Fleet(store, now)
  const journal: Journal = new Journal({
    store,
    show: event => shownEvent(event, id => fleet.member(id)),
    log,
  })
  wakeJournal = () => journal.wake()
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
    settings: id => environments.settings(id),
    complete,
    now,
    onReceipt: (receipt, moved) => metrics.receipt(receipt, moved),
  })
  const { switchboard, annex: phoneAnnex } = buildPhones({
    sealer,
    store,
    fleet,
    reception,
    saveFile: (id, bytes) => mediaFiles.save(id, bytes),
    present: async deviceId => {
      await store.presence(deviceId, node, true)
      await dispatcher.refresh()
    },
    publicUrl: () => publicUrl,
    delay: address => failures.next(address),
    now,
    log,
  })
  const { numbers, hooks, outgoing } = buildWhatsapp({
    config,
    sealer,
    store,
    mediaFiles,
    room,
    record: receipt => reception.record(receipt),
    receive: incoming => reception.receive(incoming),
    amend: (amendment, otherwise) => reception.amend(amendment, otherwise),
    now,
    log,
  })
  const usualKinds: readonly LinkKind[] = [simulatedPhones({ now }), switchboard, numbers]
  const otherKinds = options.kinds ?? []
  const { membership, drain } = buildNode({
    node,
    store,
    others: () => ({ dispatcher, webhooks: hooksOut, edge, loops }),
    log,
  })
  const dispatcher: Dispatcher = new Dispatcher({
    membership,
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
  const wake = (deviceId: string) => dispatcher.wake(deviceId)
  const sweeper = new Sweeper({
    store,
    fleet,
    wake,
    offlineGraceMs: options.offlineGraceMs ?? 30_000,
    now,
    log,
  })
  const scheduler = new Scheduler({ store, wake, now, log })
  const erasure = new Erasure({
    store,
    environments: () => environments.all(),
    removeFile: id => mediaFiles.remove(id),
    now,
    log,
  })
  const tallyLoop = new TallyLoop(store, log)
  /** One node does this for all. */
  const loops = [sweeper, scheduler, erasure, tallyLoop]
  const hooksOut = buildWebhooks({
    config,
    sealer,
    store,
    journal,
    membership,
    isAlive: name => fleet.isAlive(name),
    onAttempt: isTaken => metrics.told(isTaken),
    now,
    log,
  })
  let publicUrl = config.PUBLIC_URL
  let listening = false
  const { edge, refuse } = buildApi({
    node,
    config,
    sealer,
    store,
    gateway,
    fleet,
    dispatcher,
    journal,
    admin: hooksOut.admin,
    erasure,
    environments,
    mediaFiles,
    metrics,
    failures,
    annexes: [phoneAnnex, cloudSite({ hooks, delay: address => failures.next(address) })],
    tls,
    publicUrl: () => publicUrl,
    now,
    log,
  })
  const renewal = tls && watchCertificate(tlsFiles, tls, edge.server as object as TlsServer, log)

  return {
    sealer,
    store,
    gateway,
    fleet,
    sweeper,
    erasure,
    reception,
    routes: edge.routes,
    async start() {
      await environments.start()
      await journal.start()
      await outgoing.start()
      await membership.start()
      await switchboard.start()
      await dispatcher.start()
      hooksOut.start()
      const port = await edge.listen({ host: config.HOST, port: config.PORT })
      log.info({ host: config.HOST, port, version }, 'listening')
      listening = true
      renewal?.start()
      publicUrl = config.PUBLIC_URL.replace(/:0$/, `:${port}`)
      return publicUrl
    },
    async stop() {
      if (listening && config.DRAIN_SECONDS > 0) {
        const over = sleep(config.DRAIN_SECONDS * 1_000)
        await drain()
        await over
      }
      refuse()
      // A connection that was busy when the stop began is idle later, and would be waited for.
      const idle = setInterval(() => edge.server.closeIdleConnections(), 50)
      await stopAll(
        [
          () => renewal?.stop(),
          () => switchboard.stop(),
          () => edge.close(),
          ...loops.map(loop => () => loop.stop()),
          () => environments.stop(),
          () => hooksOut.stop(),
          () => journal.stop(),
          () => dispatcher.stop(),
          () => membership.stop(),
          () => store.close(),
        ],
        log,
      )
      clearInterval(idle)
      metrics.stop()
      if (listening) log.info({}, 'stopped')
    },
  }
}
