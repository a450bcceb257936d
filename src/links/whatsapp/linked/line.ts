/** The line to one WhatsApp number: connects, comes back, and hands on what comes and goes. */

import { AsyncResource } from 'node:async_hooks'
import type { BinaryNode } from 'baileys'
import { type AttentionCode, attentions } from '../../../core/devices/attention.ts'
import { type Link, LinkDown } from '../../../core/link.ts'
import type { Message, Receipt } from '../../../core/messages/message.ts'
import { Timers } from '../../timers.ts'
import type { Arrivals } from './arrivals.ts'
import { cachesFor } from './cache.ts'
import { Inbox } from './inbox.ts'
import { type Library, LibraryMissing, loadLibrary, type Socket } from './library.ts'
import type { LineParts } from './line-parts.ts'
import { Pulse } from './pulse.ts'
import { oneAtATime } from './ratchet-keys.ts'
import { pauseMs, type Verdict, verdictOf } from './reconnect.ts'
import { Restrictions } from './restrictions.ts'
import { Sender, type Way } from './sender.ts'
import { identityOf, inboxType, openSession, type Session, seenMs, seenType } from './session.ts'
import { buildSocket, cut } from './socket.ts'

const tickMs = 5_000
/** A number that is not linked may be linked by another process. */
const unlinkedMs = 2_000
/** A connection that held for so long is a good one. */
const stableMs = 60_000
const tellMs = 1_000

export class WhatsAppLine implements Link {
  readonly #parts: LineParts
  readonly #sender: Sender
  readonly #restrictions: Restrictions
  readonly #pulse: Pulse
  readonly #timers = new Timers()
  readonly #tick: NodeJS.Timeout
  readonly #inbox: Inbox
  /** The library's transactions extend to all calls made within them; reports must not become part of one. */
  readonly #outside = new AsyncResource('WhatsAppLine')
  #alone = oneAtATime()
  readonly #caches: ReturnType<typeof cachesFor>
  #session: Session | undefined
  /** Whom WhatsApp refused for good. */
  #refused: string | undefined
  #library: Library | undefined
  #socket: Socket | undefined
  #arrivals: Arrivals | undefined
  #isOpen = false
  #openedAt = 0
  #attempt = 0
  #closed = false

  constructor(parts: LineParts) {
    this.#parts = parts
    const { device, vault, media, now, log } = parts
    this.#caches = cachesFor(now)
    this.#pulse = new Pulse(now)
    this.#restrictions = new Restrictions({
      restricted: until => this.#safely(parts.restricted(until)),
      rests: until => this.#safely(parts.rests(until)),
      now,
    })
    this.#sender = new Sender({
      deviceId: device.id,
      vault,
      media,
      habits: parts.habits,
      optedOut: parts.optedOut,
      tell: receipt => this.#tell(receipt),
      restrictions: this.#restrictions,
      now,
      log,
    })
    this.#inbox = new Inbox({
      deviceId: device.id,
      vault,
      news: parts.news,
      ours: async id => (await this.#sender.outbox.sent(id))?.messageId,
      files: parts.files,
      library: () => this.#library,
      frontier: () => this.#arrivals?.frontier(),
      socket: () => this.#socket,
      // Only a stand-in of the server, on this machine, may keep files on a private one.
      isPrivate: parts.url !== undefined,
      later: (ms, work) => this.#timers.after(ms, work),
      log,
    })
    this.#tick = setInterval(() => this.#safely(this.#look()), tickMs)
    this.#tick.unref()
    void this.#connect()
  }

  isUp(): boolean {
    return this.#isOpen
  }

  async send(message: Message): Promise<Receipt | undefined> {
    const way = this.#way()
    if (!way) throw new LinkDown('WhatsApp is not connected')
    return await this.#sender.send(way, message)
  }

  resume(messages: readonly Message[]): void {
    for (const message of messages) this.#sender.outbox.resume(message)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#tick)
    this.#timers.close()
    this.#isOpen = false
    const socket = this.#socket
    this.#socket = undefined
    socket?.ev.flush()
    await socket?.end(undefined)
  }

  #way(): Way | undefined {
    return this.#isOpen && this.#socket && this.#library
      ? { library: this.#library, socket: this.#socket }
      : undefined
  }

  async #connect(): Promise<void> {
    if (this.#closed) return
    const { vault, url, log, device, lease } = this.#parts
    // Woken from a long sleep: another node may have the number by now, and a second login would throw it out.
    if (!lease.isHeld()) {
      this.#timers.after(unlinkedMs, () => void this.#connect())
      return
    }
    try {
      const library = await loadLibrary()
      const session = await openSession(library, vault, error => this.#cut(session, error))
      if (this.#closed) return
      this.#library = library
      const isLinked = session.creds.me && session.creds.account
      if (!isLinked) this.#worry(['logged_out'])
      if (!isLinked || (this.#refused !== undefined && this.#refused === identityOf(session))) {
        this.#timers.after(unlinkedMs, () => void this.#connect())
        return
      }
      const version = await this.#parts.versions.get()
      if (this.#closed) return
      const { socket, arrivals } = buildSocket({
        library,
        session,
        log,
        version,
        ...(url !== undefined && { url }),
        sent: id => this.#sender.outbox.bytes(id),
        alone: this.#alone,
        caches: this.#caches,
        onKept: () => this.#outside.runInAsyncScope(() => this.#safely(this.#inbox.run())),
        now: this.#parts.now,
      })
      this.#socket = socket
      this.#session = session
      this.#arrivals = arrivals
      this.#pulse.heard()
      socket.ev.on('creds.update', () => {
        // Updates from an ended connection are older than what the next one has stored.
        if (socket !== this.#socket) return
        session.save().catch(() => {})
      })
      this.#listen(socket)
    } catch (error) {
      if (error instanceof LibraryMissing) {
        this.#worry(['library_missing'])
        return
      }
      log.error({ device: device.id, err: error }, 'could not connect to WhatsApp')
      this.#comeBack({ again: 'soon' })
    }
  }

  #listen(socket: Socket): void {
    const way = () => this.#way()
    socket.ws.on('frame', () => this.#pulse.heard())
    socket.ws.on('CB:ack,class:message', (node: BinaryNode) =>
      this.#safely(this.#sender.acknowledged(node, way)),
    )
    socket.ev.on('messages.update', updates => {
      for (const { key, update } of updates)
        if (key.id) this.#safely(this.#sender.moved(key.id, update.status ?? undefined))
    })
    socket.ev.on('connection.update', ({ connection, lastDisconnect, reachoutTimeLock: lock }) => {
      if (socket !== this.#socket) return
      if (lock) this.#restrictions.changed(lock)
      if (connection === 'open') this.#safely(this.#opened())
      if (connection === 'close') {
        // What is still in its buffer was acknowledged to the server, and would be gone.
        socket.ev.flush()
        const { output } = (lastDisconnect?.error ?? {}) as { output?: { statusCode?: number } }
        this.#safely(this.#ended(verdictOf(output?.statusCode)))
      }
    })
  }

  async #opened(): Promise<void> {
    this.#isOpen = true
    this.#parts.log.info({ device: this.#parts.device.id }, 'a WhatsApp number is online')
    this.#openedAt = this.#parts.now()
    this.#worry([])
    this.#parts.news.online(true).catch(() => {})
    this.#safely(this.#inbox.run())
    this.#safely(this.#sender.forgetOld())
    this.#safely(this.#parts.vault.forget({ type: seenType, before: this.#parts.now() - seenMs }))
    await this.#sender.offerAgain(() => this.#way(), true)
  }

  async #ended(verdict: Verdict): Promise<void> {
    const { news, vault, log, device, now } = this.#parts
    if (this.#isOpen && now() - this.#openedAt >= stableMs) this.#attempt = 0
    this.#isOpen = false
    this.#socket = undefined
    if (this.#closed) return
    if ('attention' in verdict)
      log.warn(
        { device: device.id, name: device.name, attention: verdict.attention },
        attentions[verdict.attention].detail,
      )
    else log.info({ device: device.id }, 'WhatsApp connection closed')
    if (verdict.again !== 'now') news.online(false).catch(() => {})
    if ('attention' in verdict) {
      this.#worry([verdict.attention])
      if (verdict.attention === 'client_outdated') this.#parts.versions.refused()
    }
    if (verdict.again !== 'never') {
      this.#comeBack(verdict)
      return
    }
    // It may be linked again by another process; with what was refused it does not try again.
    this.#timers.after(unlinkedMs, () => void this.#connect())
    if (verdict.forget) await vault.forget({ but: inboxType })
    else this.#refused = identityOf(this.#session)
  }

  #comeBack(verdict: Verdict): void {
    this.#timers.after(pauseMs(verdict, this.#attempt), () => void this.#connect())
    this.#attempt += 1
  }

  /** Periodic check: what was not acknowledged is sent again, and a stalled connection is closed. */
  async #look(): Promise<void> {
    const { log, device } = this.#parts
    this.#sender.outbox.tidy()
    if (!this.#isOpen) return
    const trouble = this.#pulse.trouble(this.#arrivals)
    if (trouble) {
      log.warn({ device: device.id, trouble }, 'WhatsApp connection stalled; reconnecting')
      if (trouble === 'deaf') this.#abandon()
      await this.#socket?.end(new Error(trouble))
      return
    }
    await this.#sender.offerAgain(() => this.#way(), false)
    await this.#inbox.run()
  }

  /**
   * Storage failed. The library would tell the server that it cannot use the message it is at, and the server would drop it.
   * So the line is cut before it can say anything; what was not acknowledged comes again.
   */
  #cut(session: Session, error: unknown): void {
    const { log, device } = this.#parts
    if (session !== this.#session) return
    log.error({ device: device.id, err: error }, 'could not store the WhatsApp session; reconnecting')
    this.#abandon()
    if (this.#socket) cut(this.#socket)
  }

  /** Work that hangs must neither block the next connection nor overwrite its state later. */
  #abandon(): void {
    this.#session?.abandon()
    this.#alone = oneAtATime()
  }

  #tell(receipt: Receipt): void {
    // Also after the line was closed: what became of a message is true all the same.
    this.#parts.news.receipt(receipt).catch(() => setTimeout(() => this.#tell(receipt), tellMs).unref())
  }

  #worry(codes: readonly AttentionCode[]): void {
    this.#parts.attention(codes).catch(() => {})
  }

  /** Trouble with storage or the line passes; the next look tries again. */
  #safely(work: Promise<unknown>): void {
    const { log, device } = this.#parts
    work.catch(error => log.warn({ device: device.id, err: error }, 'WhatsApp task failed; will retry'))
  }
}
