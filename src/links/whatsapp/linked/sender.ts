/** Sends messages over a connection, and reports their outcome as WhatsApp reports it. */

import type { BinaryNode, proto } from 'baileys'
import type { Vault } from '../../../core/devices/vault.ts'
import { inParallel } from '../../../core/lib/in-parallel.ts'
import type { Log } from '../../../core/lib/log.ts'
import { LinkDown } from '../../../core/link.ts'
import type { Failure, Message, Outcome, Receipt } from '../../../core/messages/message.ts'
import { hiddenPerson } from '../../../core/people/number.ts'
import { mediaFailure } from '../media-failure.ts'
import { type Step, TwoPart } from '../two-part.ts'
import type { Library, Socket } from './library.ts'
import { keepMs, Outbox, type Sent, whatsappIdOf } from './outbox.ts'
import { Recipients } from './recipients.ts'
import type { Restrictions } from './restrictions.ts'
import { quietLogger } from './socket.ts'
import { contentsOf, type Habits, type MediaFile } from './to-whatsapp.ts'

export type SenderParts = {
  deviceId: string
  vault: Vault
  /** Fetches the file that a message names. */
  media: (message: Message) => Promise<MediaFile>
  habits: Habits
  /** Retries until it is stored. */
  tell: (receipt: Receipt) => void
  restrictions: Restrictions
  /** Whether somebody wants no messages under this hidden name, which is theirs as well as the number. */
  optedOut: (lid: string, number: string) => Promise<boolean>
  now: () => number
  log: Log
}

/** A connection that is open. */
export type Way = { library: Library; socket: Socket }

const sendMs = 60_000
const mostUnready = 5
const atOnce = 10

export class Sender {
  readonly #parts: SenderParts
  readonly outbox: Outbox
  readonly #recipients: Recipients
  readonly #halves: TwoPart
  #offering = false
  /** How often a message could not be made ready. */
  readonly #unready = new Map<string, number>()

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.outbox = new Outbox(parts.vault, parts.now)
    this.#halves = new TwoPart(parts.vault)
    this.#recipients = new Recipients(parts.now)
  }

  /** A receipt if the outcome is already certain; nothing while only the server can say. */
  async send(way: Way, message: Message): Promise<Receipt | undefined> {
    const recipient = await certain(this.#recipients.find(way.socket, message.recipient))
    if (recipient === 'unknown') throw new LinkDown('WhatsApp does not say whether it knows the number')
    if (recipient === 'absent') return this.#receipt(message.id, 'failed', { code: 'not_on_whatsapp' })
    if (await certain(this.#wantsNone(way, message, recipient.jid)))
      return this.#receipt(message.id, 'failed', { code: 'opted_out' })
    const prepared = await this.#prepared(way, message, recipient.jid)
    if ('error' in prepared) return this.#receipt(message.id, 'failed', prepared.error)
    await this.#relay(way, message, recipient.jid, prepared.contents)
    return undefined
  }

  /** They may have opted out under a hidden id (LID) before it was known to be theirs. */
  async #wantsNone({ socket }: Way, { recipient }: Message, jid: string): Promise<boolean> {
    if (recipient.endsWith('@lid')) return false
    const lid = hiddenPerson(
      (await socket.signalRepository.lidMapping.getLIDForPN(jid).catch(() => null)) ?? '',
    )
    return lid !== undefined && (await this.#parts.optedOut(lid, recipient))
  }

  /** It may have been sent before, so an error found now must not mark it failed. */
  async #offer(way: Way, message: Message): Promise<void> {
    // From here on: whatever goes wrong, it is not tried again at once.
    this.outbox.tried(message.id)
    const recipient = await this.#recipients.find(way.socket, message.recipient)
    if (typeof recipient === 'string') throw new Error(`the recipient is ${recipient} now`)
    const prepared = await this.#prepared(way, message, recipient.jid)
    if ('error' in prepared) throw new Error(prepared.error.code)
    await this.#relay(way, message, recipient.jid, prepared.contents)
  }

  async #relay(
    { socket }: Way,
    message: Message,
    jid: string,
    contents: readonly proto.IMessage[],
  ): Promise<void> {
    const relay = async () => {
      for (const [half, content] of contents.entries()) {
        if (contents.length > 1 && (await this.#halves.hasLeft(message.id, half))) continue
        // That this resolves means nothing: only the server's own acknowledgement does.
        await socket.relayMessage(jid, content, { messageId: whatsappIdOf(message.id, half) })
      }
    }
    this.outbox.trying(message)
    // It stays under way until it settles, however late: a second try meanwhile would only wait too.
    const over = relay().finally(() => this.outbox.tried(message.id))
    await inTime(over, sendMs)
  }

  /** The message as it goes out, on disk before it does: what is offered again is the same, bit for bit. */
  async #prepared(
    { library, socket }: Way,
    message: Message,
    jid: string,
  ): Promise<{ contents: proto.IMessage[] } | { error: Failure }> {
    const { Message: Proto } = library.proto
    const known = await certain(this.outbox.remembered(message))
    if (known.length > 0) return { contents: known.map(bytes => Proto.decode(bytes)) }
    let file: MediaFile | undefined
    try {
      file = message.mediaUrl === null ? undefined : await this.#parts.media(message)
    } catch (error) {
      const failure = mediaFailure(error)
      if (failure) return { error: failure }
      throw error
    }
    // Preparing a message sends nothing, so it may be retried, but not for ever.
    const making = contentsOf(message.text, file, this.#parts.habits).map(content =>
      library.generateWAMessage(jid, content, {
        userJid: socket.user!.id,
        upload: socket.waUploadToServer,
        logger: quietLogger(this.#parts.log) as never,
      }),
    )
    const made = await certain(Promise.all(making)).catch(error => {
      const tries = (this.#unready.get(message.id) ?? 0) + 1
      this.#unready.set(message.id, tries)
      if (tries < mostUnready) throw error
      return undefined
    })
    // Reached only when it is ready, or given up.
    this.#unready.delete(message.id)
    if (!made) return { error: { code: 'whatsapp_refused', detail: 'WhatsApp did not take the file.' } }
    const contents = made.map(one => one.message!)
    const encoded = contents.map(content => Proto.encode(content).finish())
    await certain(this.outbox.remember(message, encoded))
    return { contents }
  }

  /** Several in parallel: one by one, each would wait behind all new messages. */
  async offerAgain(way: () => Way | undefined, reconnected: boolean): Promise<void> {
    if (this.#offering && !reconnected) return
    this.#offering = true
    const due = this.outbox.due(reconnected)
    await inParallel(due.length, atOnce, async index => {
      const open = way()
      const message = due[index]!
      // What was due a while ago may have been acknowledged since, or be under way.
      const pending = this.outbox.pending(message.id)
      if (!open || !pending || (!reconnected && pending.triedAt === Infinity)) return
      try {
        await this.#offer(open, message)
      } catch (error) {
        this.#parts.log.warn({ message: message.id, err: error }, 'could not resend a message to WhatsApp')
      }
    })
    this.#offering = false
  }

  /** The server's own word, which the library keeps to itself when it is a good one. */
  async acknowledged({ attrs }: BinaryNode, way: () => Way | undefined): Promise<void> {
    const { id, error, t } = attrs
    const sent = id && (await this.outbox.sent(id))
    if (!sent) return
    const pending = this.outbox.pending(sent.messageId)
    const open = way()
    // Stale addressing: the recipient's devices are asked for again at the next try.
    if (error === '479' && pending && pending.tries < 2 && open) {
      this.#recipients.forget(pending.message.recipient)
      await this.send(open, pending.message)
      return
    }
    if (error === '463') this.#parts.restrictions.refused()
    if (error === undefined) this.#parts.restrictions.taken()
    const at = Number(t) * 1_000 || this.#parts.now()
    if (error === undefined) await this.#came(sent, 'sent', at)
    else this.#settle(this.#receipt(sent.messageId, 'failed', refusalOf(error), at))
  }

  /** A receipt of the recipient: 3 is delivered; 4, and 5 for a sound, is read. */
  async moved(id: string, status: number | undefined): Promise<void> {
    if (status === undefined || status < 3) return
    const sent = await this.outbox.sent(id)
    if (sent) await this.#came(sent, status === 3 ? 'delivered' : 'read')
  }

  /** Reports the progress; of two halves, the one further behind counts. */
  async #came({ messageId, half, halves }: Sent, step: Step, at?: number): Promise<void> {
    const whole = halves === undefined ? step : await this.#halves.note(messageId, half!, step)
    if (whole) this.#settle(this.#receipt(messageId, whole, undefined, at))
  }

  async forgetOld(): Promise<void> {
    await this.outbox.forgetOld()
    await this.#halves.forgetOld(this.#parts.now() - keepMs)
  }

  #settle(receipt: Receipt): void {
    this.outbox.settled(receipt.messageId)
    this.#parts.tell(receipt)
  }

  #receipt(messageId: string, outcome: Outcome, error?: Failure, at = this.#parts.now()): Receipt {
    return { messageId, deviceId: this.#parts.deviceId, outcome, at, ...(error && { error }) }
  }
}

/** For what comes before anything is sent: if it fails, nothing left for certain. */
function certain<T>(work: Promise<T>): Promise<T> {
  return work.catch(error => {
    throw new LinkDown('WhatsApp did not answer', { cause: error })
  })
}

async function inTime(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('WhatsApp did not take it in time')), ms)
  })
  try {
    await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function refusalOf(code: string): Failure {
  if (code === '463') return { code: 'whatsapp_restricted', raw: code }
  return { code: 'whatsapp_refused', detail: `WhatsApp refused the message (${code}).`, raw: code }
}
