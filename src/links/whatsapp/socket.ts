/** One connection to WhatsApp. It serves once: after its end another is built on the same session. */

import type { BinaryNode, SignalDataSet } from 'baileys'
import type { Log } from '../../core/log.ts'
import type { Kept } from './from-whatsapp.ts'
import type { Library, Socket } from './library.ts'
import { inboxType, type Session } from './session.ts'

export type SocketOptions = {
  library: Library
  session: Session
  log: Log
  /** Another server than WhatsApp's own, for tests. */
  url?: string
  /** What was sent under this id, for a recipient who could not read it. */
  sent: (id: string) => Promise<Uint8Array | undefined>
  /** A message was decrypted and kept. */
  onKept: () => void
}

export type Built = {
  socket: Socket
  /** The place of the earliest message that has come and is not decrypted yet: what lies behind it has to wait. */
  frontier: () => string | undefined
}

/** Some are never decrypted, such as those of groups: they hold nobody up for longer than this. */
const decryptMs = 2_000

/** A query that is not answered holds up everything behind it. */
const queryMs = 20_000

export function buildSocket({ library, session, log, url, sent, onKept }: SocketOptions): Built {
  const { makeWASocket, Browsers, DEFAULT_CONNECTION_CONFIG, isJidBroadcast, isJidGroup, isJidNewsletter } =
    library
  const stanzas = new WeakMap<object, { attrs: Kept['attrs']; place: string }>()
  /** Grows with each message, so that they are told in the order in which they came. */
  let count = 0
  const underWay = new Map<string, number>()
  const nextPlace = () => {
    count += 1
    return `${String(Date.now()).padStart(15, '0')}.${String(count).padStart(9, '0')}`
  }
  const socket = makeWASocket({
    auth: { creds: session.creds, keys: session.keys },
    browser: Browsers.ubuntu('Basestation'),
    logger: quietLogger(log) as never,
    // The phone's own notifications go on.
    markOnlineOnConnect: false,
    syncFullHistory: false,
    // With these, receipts that come fast would be swallowed.
    emitOwnEvents: false,
    defaultQueryTimeoutMs: queryMs,
    retryRequestDelayMs: 50,
    shouldIgnoreJid: jid => Boolean(isJidGroup(jid) || isJidBroadcast(jid) || isJidNewsletter(jid)),
    getMessage: async ({ id }) => {
      const bytes = id ? await sent(id) : undefined
      return bytes && library.proto.Message.decode(bytes)
    },
    /**
     * The library tells the server that it has a message before it tells us. So the plain text is kept in the very commit
     * that moves the session on: a crash leaves both or neither.
     */
    makeSignalRepository: (auth, logger, toLid) => {
      const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger, toLid)
      const decrypt = repository.decryptMessage.bind(repository)
      const keys = auth.keys as Required<Pick<typeof auth.keys, 'set'>> & {
        transaction<T>(work: () => Promise<T>, key: string): Promise<T>
      }
      repository.decryptMessage = async given => {
        const stanza = stanzas.get(given.ciphertext)
        const settled = () => {
          if (stanza && underWay.delete(stanza.place)) onKept()
        }
        const work = keys.transaction(async () => {
          const bytes = await decrypt(given)
          if (stanza) {
            const { attrs, place } = stanza
            const kept: Kept = { attrs, plain: Buffer.from(bytes).toString('base64') }
            await keys.set({ [inboxType]: { [place]: kept } } as SignalDataSet)
          }
          return bytes
        }, given.jid)
        return await work.finally(settled)
      }
      return repository
    },
    ...(url !== undefined && { waWebSocketUrl: url }),
  })
  const note = (node: BinaryNode) => {
    const place = nextPlace()
    underWay.set(place, Date.now())
    for (const enc of library.getBinaryNodeChildren(node, 'enc'))
      if (enc.content instanceof Uint8Array)
        stanzas.set(enc.content, { attrs: node.attrs as Kept['attrs'], place })
  }
  socket.ws.prependListener('CB:message', note)
  const frontier = () => {
    for (const [place, at] of underWay) {
      if (Date.now() - at < decryptMs) return place
      underWay.delete(place)
    }
    return undefined
  }
  return { socket, frontier }
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
