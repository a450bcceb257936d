/** The line to one WhatsApp number: connects, comes back, sends, and tells what became of it. */

import type { BinaryNode } from 'baileys'
import { Again } from '../../core/again.ts'
import type { AttentionCode, Device } from '../../core/device.ts'
import { type Link, LinkDown, type News } from '../../core/link.ts'
import type { Log } from '../../core/log.ts'
import type { Failure, Message, Receipt } from '../../core/message.ts'
import type { Vault } from '../../core/vault.ts'
import { incomingOf, type Kept, numberOf } from './from-whatsapp.ts'
import { type Library, LibraryMissing, loadLibrary, type Socket } from './library.ts'
import { Outbox } from './outbox.ts'
import { Recipients } from './recipients.ts'
import { pauseMs, type Verdict, verdictOf } from './reconnect.ts'
import { inboxType, openSession } from './session.ts'
import { buildSocket } from './socket.ts'

export type LineParts = {
  device: Device
  news: News
  vault: Vault
  attention: (codes: readonly AttentionCode[]) => Promise<void>
  url?: string
  now: () => number
  log: Log
}

const tickMs = 5_000
/** A number that is not linked may be linked by another process. */
const unlinkedMs = 2_000
/** The server answers a ping every half minute: longer silence means that nobody is there. */
const silentMs = 90_000
/** A connection that held for so long is a good one. */
const stableMs = 60_000
const sendMs = 60_000
const tellMs = 1_000

export class WhatsAppLine implements Link {
  readonly #parts: LineParts
  readonly #outbox: Outbox
  readonly #recipients: Recipients
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #tick: NodeJS.Timeout
  readonly #inbox = new Again(() => this.#tellInbox())
  #library: Library | undefined
  #socket: Socket | undefined
  #isOpen = false
  #openedAt = 0
  #heardAt = 0
  #attempt = 0
  #closed = false

  constructor(parts: LineParts) {
    this.#parts = parts
    this.#outbox = new Outbox(parts.vault, parts.now)
    this.#recipients = new Recipients(parts.now)
    this.#tick = setInterval(() => void this.#look(), tickMs)
    this.#tick.unref()
    void this.#connect()
  }

  async send(message: Message): Promise<Receipt | undefined> {
    const socket = this.#socket
    if (!socket || !this.#isOpen) throw new LinkDown('WhatsApp is not connected')
    const recipient = await this.#recipients.find(socket, message.recipient)
    if (recipient === 'unknown') throw new LinkDown('WhatsApp does not say whether it knows the number')
    if (recipient === 'absent') return this.#failed(message, { code: 'not_on_whatsapp' })
    const content = { extendedTextMessage: { text: message.text } }
    const id = await this.#outbox.remember(message, this.#library!.proto.Message.encode(content).finish())
    this.#outbox.tried(message)
    const late = new Promise<never>((_, reject) =>
      this.#later(sendMs, () => reject(new Error('WhatsApp did not take it in time'))),
    )
    // That this resolves means nothing: only the server's own acknowledgement does. Previews would fetch strangers' links.
    const sending = socket.sendMessage(
      recipient.jid,
      { text: message.text, linkPreview: null },
      { messageId: id },
    )
    await Promise.race([sending, late])
    return undefined
  }

  resume(messages: readonly Message[]): void {
    for (const message of messages) this.#outbox.resume(message)
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#tick)
    for (const timer of this.#timers) clearTimeout(timer)
    this.#isOpen = false
    const socket = this.#socket
    this.#socket = undefined
    socket?.ev.flush()
    await socket?.end(undefined)
  }

  async #connect(): Promise<void> {
    if (this.#closed) return
    const { vault, url, log, device } = this.#parts
    try {
      this.#library = await loadLibrary()
      const session = await openSession(this.#library, vault)
      if (this.#closed) return
      if (!session.creds.me || !session.creds.account) {
        this.#worry(['logged_out'])
        this.#later(unlinkedMs, () => void this.#connect())
        return
      }
      const socket = buildSocket({
        library: this.#library,
        session,
        log,
        ...(url !== undefined && { url }),
        sent: id => this.#outbox.bytes(id),
        onKept: () =>
          void this.#inbox
            .run()
            .catch(() => this.#later(tellMs, () => void this.#inbox.run().catch(() => {}))),
      })
      this.#socket = socket
      this.#heardAt = this.#parts.now()
      socket.ev.on('creds.update', () => {
        session.save().catch(error => {
          log.error(
            { device: device.id, err: error },
            'the WhatsApp session could not be kept; it starts anew',
          )
          socket.end(undefined)
        })
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
    socket.ws.on('frame', () => {
      this.#heardAt = this.#parts.now()
    })
    socket.ws.on('CB:ack,class:message', (node: BinaryNode) => void this.#acknowledged(node))
    socket.ev.on('messages.update', updates => {
      for (const { key, update } of updates) if (key.id) void this.#moved(key.id, update.status ?? undefined)
    })
    socket.ev.on('connection.update', ({ connection, lastDisconnect }) => {
      if (socket !== this.#socket) return
      if (connection === 'open') void this.#opened()
      if (connection === 'close') {
        // What is still in its buffer was acknowledged to the server, and would be gone.
        socket.ev.flush()
        const { output } = (lastDisconnect?.error ?? {}) as { output?: { statusCode?: number } }
        void this.#ended(verdictOf(output?.statusCode))
      }
    })
  }

  async #opened(): Promise<void> {
    this.#isOpen = true
    this.#openedAt = this.#parts.now()
    this.#worry([])
    this.#parts.news.online(true).catch(() => {})
    this.#inbox.run().catch(() => {})
    this.#outbox.forgetOld().catch(() => {})
    await this.#offerAgain(true)
  }

  async #ended(verdict: Verdict): Promise<void> {
    const { news, vault, log, device } = this.#parts
    if (this.#isOpen && this.#parts.now() - this.#openedAt >= stableMs) this.#attempt = 0
    this.#isOpen = false
    this.#socket = undefined
    if (this.#closed) return
    log.info({ device: device.id, ...verdict }, 'the WhatsApp connection ended')
    if (verdict.again !== 'now') news.online(false).catch(() => {})
    if ('attention' in verdict) this.#worry([verdict.attention])
    if (verdict.again !== 'never') {
      this.#comeBack(verdict)
      return
    }
    if (verdict.forget) {
      await vault
        .forget()
        .catch(error => log.error({ device: device.id, err: error }, 'could not forget a session'))
      // It may be linked again by another process.
      this.#later(unlinkedMs, () => void this.#connect())
    }
  }

  #comeBack(verdict: Verdict): void {
    const pause = pauseMs(verdict, this.#attempt)
    this.#attempt += 1
    this.#later(pause, () => void this.#connect())
  }

  /** Each look: what was not acknowledged is offered again, and a connection that fell silent is given up. */
  async #look(): Promise<void> {
    this.#outbox.tidy()
    if (!this.#isOpen) return
    if (this.#parts.now() - this.#heardAt > silentMs) {
      this.#parts.log.warn({ device: this.#parts.device.id }, 'WhatsApp fell silent; connecting anew')
      await this.#socket?.end(new Error('silent'))
      return
    }
    await this.#offerAgain(false)
    await this.#inbox.run().catch(() => {})
  }

  async #offerAgain(reconnected: boolean): Promise<void> {
    for (const message of this.#outbox.due(reconnected)) {
      if (!this.#isOpen) return
      try {
        const receipt = await this.send(message)
        if (receipt) this.#tell(receipt)
      } catch (error) {
        this.#parts.log.warn(
          { message: message.id, err: error },
          'could not offer a message to WhatsApp again',
        )
      }
    }
  }

  /** The server's own word, which the library keeps to itself when it is a good one. */
  async #acknowledged({ attrs }: BinaryNode): Promise<void> {
    const { id, error, t } = attrs
    if (!id) return
    const pending = this.#outbox.pending(id)
    const messageId = await this.#outbox.messageId(id).catch(() => undefined)
    if (messageId === undefined) return
    // Stale addressing: the library asks for the recipient's devices again at the next try.
    if (error === '479' && pending && pending.tries < 2) {
      this.#recipients.forget(pending.message.recipient)
      await this.#offerOne(pending.message)
      return
    }
    this.#outbox.settled(id)
    const deviceId = this.#parts.device.id
    const at = Number(t) * 1_000 || this.#parts.now()
    if (error === undefined) this.#tell({ messageId, deviceId, outcome: 'sent', at })
    else this.#tell({ messageId, deviceId, outcome: 'failed', at, error: refusalOf(error) })
  }

  async #offerOne(message: Message): Promise<void> {
    await this.send(message).catch(() => {})
  }

  async #moved(id: string, status: number | undefined): Promise<void> {
    if (status === undefined || status < 3) return
    const messageId = await this.#outbox.messageId(id).catch(() => undefined)
    if (messageId === undefined) return
    this.#outbox.settled(id)
    const { device, now } = this.#parts
    const outcome = status === 3 ? 'delivered' : 'read'
    this.#tell({ messageId, deviceId: device.id, outcome, at: now() })
  }

  async #failed(message: Message, error: Failure): Promise<Receipt> {
    const { device, now } = this.#parts
    return { messageId: message.id, deviceId: device.id, outcome: 'failed', at: now(), error }
  }

  /** Until it is stored. */
  #tell(receipt: Receipt): void {
    this.#parts.news.receipt(receipt).catch(() => this.#later(tellMs, () => this.#tell(receipt)))
  }

  /** Tells what was decrypted and kept, oldest first; only then is it forgotten. */
  async #tellInbox(): Promise<void> {
    const { vault, news } = this.#parts
    const library = this.#library
    if (!library) return
    for (const [id, text] of await vault.list(inboxType)) {
      const kept = JSON.parse(text) as Kept
      const incoming = await incomingOf(library, kept, lid => this.#numberBehind(lid))
      if (incoming) await news.received(incoming)
      await vault.write([{ type: inboxType, id, value: null }])
    }
  }

  async #numberBehind(lid: string): Promise<string | undefined> {
    const found = await this.#socket?.signalRepository.lidMapping.getPNForLID(lid).catch(() => null)
    return found && numberOf(found) ? found : undefined
  }

  #worry(codes: readonly AttentionCode[]): void {
    this.#parts.attention(codes).catch(() => {})
  }

  #later(delay: number, work: () => void): void {
    if (this.#closed) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      if (!this.#closed) work()
    }, delay)
    timer.unref()
    this.#timers.add(timer)
  }
}

function refusalOf(code: string): Failure {
  if (code === '463') return { code: 'whatsapp_restricted' }
  return { code: 'whatsapp_refused', detail: `WhatsApp refused the message (${code}).` }
}
