/** What was handed to WhatsApp and has not been acknowledged: remembered before it is sent, offered again until it is. */

import { createHash } from 'node:crypto'
import type { Vault } from '../../../core/devices/vault.ts'
import type { Message } from '../../../core/messages/message.ts'

/** A recipient who could not read a message may ask for it again for so long. */
export const keepMs = 14 * 24 * 3_600_000
/** A message without an acknowledgement for this long is sent again. */
const acknowledgeMs = 45_000
const mostTries = 4

export type Pending = { message: Message; triedAt: number; tries: number }

/**
 * Looks as the app's own ids do, and is always the same for the same message: whatever is offered twice is one message to
 * whoever receives it. A message that goes out as two has an id for each.
 */
export const whatsappIdOf = (messageId: string, half = 0): string =>
  `3EB0${createHash('sha256')
    .update(half === 0 ? messageId : `${messageId}/${half}`)
    .digest('hex')
    .slice(0, 18)
    .toUpperCase()}`

/** What is known of something that was sent. */
export type Sent = {
  messageId: string
  bytes: string
  /** Which of how many. */
  half?: number
  halves?: number
}

const sentType = 'sent'

export class Outbox {
  readonly #vault: Vault
  readonly #now: () => number
  readonly #pending = new Map<string, Pending>()

  constructor(vault: Vault, now: () => number) {
    this.#vault = vault
    this.#now = now
  }

  /** Keeps what is about to be sent, all of it in one commit. */
  async remember(message: Message, contents: readonly Uint8Array[]): Promise<void> {
    await this.#vault.write(
      contents.map((bytes, half) => {
        const many = contents.length > 1 && { half, halves: contents.length }
        const sent: Sent = { messageId: message.id, bytes: Buffer.from(bytes).toString('base64'), ...many }
        return { type: sentType, id: whatsappIdOf(message.id, half), value: JSON.stringify(sent) }
      }),
    )
  }

  /** What was remembered of a message: one, two or nothing. */
  async remembered(message: Message): Promise<Uint8Array[]> {
    const ids = [0, 1].map(half => whatsappIdOf(message.id, half))
    const found = await this.#vault.read(sentType, ids)
    return ids.flatMap(id => {
      const text = found.get(id)
      return text === undefined ? [] : [Buffer.from((JSON.parse(text) as Sent).bytes, 'base64')]
    })
  }

  /** It is on its way to the server. */
  trying(message: Message): void {
    const tries = (this.#pending.get(message.id)?.tries ?? 0) + 1
    this.#pending.set(message.id, { message, triedAt: Infinity, tries })
  }

  /** It was handed to the server, or could not be. */
  tried(messageId: string): void {
    const pending = this.#pending.get(messageId)
    if (pending) pending.triedAt = this.#now()
  }

  /** With the device since before this process began. */
  resume(message: Message): void {
    this.#pending.set(message.id, { message, triedAt: -Infinity, tries: 0 })
  }

  settled(messageId: string): void {
    this.#pending.delete(messageId)
  }

  pending(messageId: string): Pending | undefined {
    return this.#pending.get(messageId)
  }

  /** What should be offered again: all of it after a reconnect, else what has waited long enough. */
  due(reconnected: boolean): Message[] {
    const now = this.#now()
    const list = [...this.#pending.values()].filter(({ message }) => message.expiresAt > now)
    return list
      .filter(({ triedAt, tries }) => reconnected || (now - triedAt >= acknowledgeMs && tries < mostTries))
      .map(({ message }) => message)
  }

  /** Forgets expired messages: their expiry is handled elsewhere. */
  tidy(): void {
    for (const [id, { message }] of this.#pending)
      if (message.expiresAt <= this.#now()) this.#pending.delete(id)
  }

  async bytes(id: string): Promise<Uint8Array | undefined> {
    const sent = await this.sent(id)
    return sent && Buffer.from(sent.bytes, 'base64')
  }

  /** What went out under one of WhatsApp's ids. */
  async sent(id: string): Promise<Sent | undefined> {
    const text = (await this.#vault.read(sentType, [id])).get(id)
    return text === undefined ? undefined : (JSON.parse(text) as Sent)
  }

  async forgetOld(): Promise<void> {
    await this.#vault.forget({ type: sentType, before: this.#now() - keepMs })
  }
}
