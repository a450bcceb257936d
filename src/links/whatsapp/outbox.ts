/** What was handed to WhatsApp and has not been acknowledged: remembered before it is sent, offered again until it is. */

import { createHash } from 'node:crypto'
import type { Message } from '../../core/message.ts'
import type { Vault } from '../../core/vault.ts'

/** A recipient who could not read a message may ask for it again for so long. */
const keepMs = 14 * 24 * 3_600_000
/** Without an acknowledgement for so long, it is offered again. */
const acknowledgeMs = 45_000
const mostTries = 4

export type Pending = { message: Message; triedAt: number; tries: number }

/**
 * Looks as the app's own ids do, and is always the same for the same message: whatever is offered twice is one message to
 * whoever receives it.
 */
export const whatsappIdOf = (messageId: string): string =>
  `3EB0${createHash('sha256').update(messageId).digest('hex').slice(0, 18).toUpperCase()}`

type Sent = { messageId: string; bytes: string }

export class Outbox {
  readonly #vault: Vault
  readonly #now: () => number
  readonly #pending = new Map<string, Pending>()

  constructor(vault: Vault, now: () => number) {
    this.#vault = vault
    this.#now = now
  }

  /** Keeps what is about to be sent. */
  async remember(message: Message, bytes: Uint8Array): Promise<void> {
    const id = whatsappIdOf(message.id)
    const sent: Sent = { messageId: message.id, bytes: Buffer.from(bytes).toString('base64') }
    await this.#vault.write([{ type: 'sent', id, value: JSON.stringify(sent) }])
  }

  tried(message: Message): void {
    const id = whatsappIdOf(message.id)
    const tries = (this.#pending.get(id)?.tries ?? 0) + 1
    this.#pending.set(id, { message, triedAt: this.#now(), tries })
  }

  /** With the device since before this process began. */
  resume(message: Message): void {
    this.#pending.set(whatsappIdOf(message.id), { message, triedAt: -Infinity, tries: 0 })
  }

  settled(id: string): void {
    this.#pending.delete(id)
  }

  pending(id: string): Pending | undefined {
    return this.#pending.get(id)
  }

  /** What should be offered again: all of it after a reconnect, else what has waited long enough. */
  due(reconnected: boolean): Message[] {
    const now = this.#now()
    const list = [...this.#pending.values()].filter(({ message }) => message.expiresAt > now)
    return list
      .filter(({ triedAt, tries }) => reconnected || (now - triedAt >= acknowledgeMs && tries < mostTries))
      .map(({ message }) => message)
  }

  /** Forgets messages whose validity is over: they have ended without us. */
  tidy(): void {
    for (const [id, { message }] of this.#pending)
      if (message.expiresAt <= this.#now()) this.#pending.delete(id)
  }

  async bytes(id: string): Promise<Uint8Array | undefined> {
    const sent = await this.#sent(id)
    return sent && Buffer.from(sent.bytes, 'base64')
  }

  /** Our id of what WhatsApp knows by its own. */
  async messageId(id: string): Promise<string | undefined> {
    return this.#pending.get(id)?.message.id ?? (await this.#sent(id))?.messageId
  }

  async forgetOld(): Promise<void> {
    await this.#vault.forget('sent', this.#now() - keepMs)
  }

  async #sent(id: string): Promise<Sent | undefined> {
    const text = (await this.#vault.read('sent', [id])).get(id)
    return text === undefined ? undefined : (JSON.parse(text) as Sent)
  }
}
