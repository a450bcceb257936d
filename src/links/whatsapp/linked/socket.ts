/** One connection to WhatsApp. It serves once: after its end another is built on the same session. */

import type { BinaryNode } from 'baileys'
import type { Log } from '../../../core/lib/log.ts'
import { Arrivals } from './arrivals.ts'
import type { cachesFor } from './cache.ts'
import type { Library, Socket } from './library.ts'
import { type OneAtATime, safeRatchetKeys } from './ratchet-keys.ts'
import type { Session } from './session.ts'
import { watchSignatures } from './signatures.ts'
import type { WebVersion } from './web-version.ts'

export type SocketOptions = {
  library: Library
  session: Session
  log: Log
  /** Another server than WhatsApp's own, for tests. */
  url?: string
  /** Which WhatsApp Web we are; undefined: what the library says. */
  version: WebVersion | undefined
  /** What was sent under this id, for a recipient who could not read it. */
  sent: (id: string) => Promise<Uint8Array | undefined>
  /** Steps of the conversations' keys, over all connections of the number. */
  alone: OneAtATime
  caches: ReturnType<typeof cachesFor>
  /** A message was decrypted and kept. */
  onKept: () => void
  now: () => number
}

export type Built = {
  socket: Socket
  arrivals: Arrivals
}

/** A query that is not answered holds up everything behind it. */
const queryMs = 20_000

export function buildSocket({
  library,
  session,
  log,
  url,
  version,
  sent,
  alone,
  caches,
  onKept,
  now,
}: SocketOptions): Built {
  const { makeWASocket, Browsers, DEFAULT_CONNECTION_CONFIG, isJidBroadcast, isJidGroup, isJidNewsletter } =
    library
  watchSignatures(library, log)
  const arrivals = new Arrivals(now)
  /** Groups, news and status are none of our business. */
  const isForeign = (jid: string | undefined) =>
    Boolean(isJidGroup(jid) || isJidBroadcast(jid) || isJidNewsletter(jid))
  const socket = makeWASocket({
    auth: { creds: session.creds, keys: session.keys },
    // The server makes codes for well-known browsers only.
    browser: Browsers.ubuntu('Chrome'),
    ...(version && { version }),
    logger: quietLogger(log) as never,
    // The phone's own notifications go on.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    defaultQueryTimeoutMs: queryMs,
    // Held while every message behind it waits.
    retryRequestDelayMs: 0,
    shouldIgnoreJid: isForeign,
    getMessage: async ({ id }) => {
      const bytes = id ? await sent(id) : undefined
      return bytes && library.proto.Message.decode(bytes)
    },
    makeSignalRepository: safeRatchetKeys(
      DEFAULT_CONNECTION_CONFIG.makeSignalRepository,
      alone,
      arrivals,
      onKept,
    ),
    ...caches,
    ...(url !== undefined && { waWebSocketUrl: url }),
  })
  socket.ws.prependListener('CB:message', (node: BinaryNode) => {
    if (isForeign(node.attrs.from)) return
    // Others are never decrypted, and would seem to be stuck.
    const sealed = library
      .getBinaryNodeChildren(node, 'enc')
      .filter(({ attrs }) => /^(pk)?msg$/.test(attrs.type ?? ''))
    const contents = sealed.map(({ content }) => content).filter(content => content instanceof Uint8Array)
    arrivals.came(node, contents)
  })
  return { socket, arrivals }
}

/** Ends the line in this very moment: nothing more is said over it. */
export function cut(socket: Socket): void {
  const { socket: line } = socket.ws as unknown as { socket?: { terminate(): void } | null }
  line?.terminate()
}

/** The library logs much, and some of it is secret: only what went wrong is passed on, without its fields. */
export function quietLogger(log: Log) {
  const say = (...words: unknown[]) =>
    log.debug({}, `whatsapp: ${String(words.find(word => typeof word === 'string') ?? '')}`)
  const nothing = () => {}
  const logger = {
    level: 'error',
    trace: nothing,
    debug: nothing,
    info: nothing,
    warn: say,
    error: say,
    fatal: say,
  }
  return { ...logger, child: () => ({ ...logger, child: () => logger }) }
}
