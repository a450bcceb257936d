/** Where the phones are: their event streams at this node, who is online, and who needs a look. */

import type { Device } from '../../core/device.ts'
import type { Link, LinkKind, News } from '../../core/link.ts'
import type { Log } from '../../core/log.ts'
import { Loop } from '../../core/loop.ts'
import type { Phone } from '../../core/phone.ts'
import type { Store } from '../../core/store.ts'
import { Contact } from './contact.ts'
import type { Stream } from './stream.ts'
import { settingsKey } from './to-phone.ts'
import { cancels, isAtLeast } from './version.ts'

export type SwitchboardParts = {
  store: Pick<Store, 'notePhone' | 'phones' | 'describe' | 'unacknowledged'>
  /** Notes that this node has the device's line. */
  present: (deviceId: string) => Promise<void>
  /** Whether anything waits for the device. */
  hasWork: (deviceId: string) => boolean
  now: () => number
  log: Log
}

const tickMs = 1_000
const reviewMs = 10_000
const keepAliveMs = 15_000
/** How far behind the stored time of the last sign of life may be. */
export const seenMs = 30_000

/** A line that the dispatcher opened, and what it was told last. */
type Line = { news: News; online: boolean; attention: string; settings: string }

export class Switchboard implements LinkKind {
  readonly kind = 'android'
  readonly #parts: SwitchboardParts
  readonly #contacts = new Map<string, Contact>()
  readonly #lines = new Map<string, Line>()
  readonly #notedAt = new Map<string, number>()
  readonly #loop: Loop
  #reviewedAt = -Infinity
  #keptAliveAt = 0
  #stopped = false

  constructor(parts: SwitchboardParts) {
    this.#parts = parts
    this.#loop = new Loop(
      tickMs,
      () => this.#tick(),
      error => parts.log.error({ err: error }, 'could not look after the phones'),
    )
  }

  async start(): Promise<void> {
    await this.#review()
    this.#loop.start()
  }

  /** Ends the streams, so that phones go to another node or come back. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#loop.stop()
    const open = [...this.#contacts.values()].filter(contact => contact.hasStream)
    for (const contact of this.#contacts.values()) contact.close()
    await Promise.all(open.map(contact => this.#note(contact))).catch(() => {})
  }

  open(device: Device, news: News): Link {
    const contact = this.contact(device.id)
    const line: Line = {
      news,
      online: false,
      attention: device.attention.join(),
      settings: settingsKey(device),
    }
    this.#lines.set(device.id, line)
    this.look(contact)
    return {
      wake: () => contact.nudge(),
      adapt: changed => {
        if (settingsKey(changed) === line.settings) return
        line.settings = settingsKey(changed)
        contact.push('SettingsUpdated')
        contact.rest(0)
      },
      cancel: messageId => contact.push('MessageCancelled', { messageId }),
      close: async () => {
        if (this.#lines.get(device.id) === line) this.#lines.delete(device.id)
        // Removed, or held by another node now. If removed, its streams end with this review.
        this.#reviewedAt = -Infinity
        this.#loop.wake()
      },
    }
  }

  /** An older app would send what it is told to cancel. */
  canCancel(device: Device): boolean {
    return isAtLeast(this.#contacts.get(device.id)?.appVersion ?? device.about.appVersion, cancels)
  }

  contact(deviceId: string): Contact {
    let contact = this.#contacts.get(deviceId)
    if (!contact) {
      contact = new Contact(deviceId, this.#parts.now)
      this.#contacts.set(deviceId, contact)
    }
    return contact
  }

  /** A phone opened a stream. It is told to fetch everything: after a fresh enrolment it would wait a day. */
  join(phone: Phone, stream: Stream): void {
    if (this.#stopped) {
      stream.end()
      return
    }
    const contact = this.contact(phone.device.id)
    contact.learn(phone)
    contact.called()
    contact.add(stream)
    stream.push('WebhooksUpdated')
    stream.push('SettingsUpdated')
    this.look(contact)
    if (!this.#lines.has(contact.deviceId)) this.#parts.present(contact.deviceId).catch(() => {})
    this.#note(contact).catch(() => {})
    void this.#offerWork(phone, stream)
  }

  leave(phone: Phone, stream: Stream): void {
    const contact = this.contact(phone.device.id)
    contact.lost(stream)
    if (!contact.hasStream && !this.#stopped) this.#note(contact).catch(() => {})
  }

  async #offerWork({ device, registeredAt }: Phone, stream: Stream): Promise<void> {
    try {
      const unacknowledged = await this.#hasUnacknowledged(device.id, registeredAt)
      if (unacknowledged) this.contact(device.id).expectAcknowledgement()
      if (unacknowledged || this.#parts.hasWork(device.id)) stream.push('MessageEnqueued')
    } catch {
      // Without storage there is nothing to give; the app asks by itself when a stream opens.
    }
  }

  async #hasUnacknowledged(deviceId: string, registeredAt: number | null): Promise<boolean> {
    return (await this.#parts.store.unacknowledged(deviceId, registeredAt ?? 0, 1)).length > 0
  }

  /** Keeps for other nodes, and for the next start, that the phone was here. */
  async #note(contact: Contact): Promise<void> {
    const { store, now } = this.#parts
    this.#notedAt.set(contact.deviceId, now())
    const { streamAt } = contact
    await Promise.all([
      streamAt !== null && store.notePhone(contact.deviceId, { streamAt }),
      store.describe(contact.deviceId, { seenAt: now() }),
    ])
  }

  async #tick(): Promise<undefined> {
    const { now, log } = this.#parts
    if (now() - this.#reviewedAt >= reviewMs) await this.#review()
    const keepAlive = now() - this.#keptAliveAt >= keepAliveMs
    if (keepAlive) this.#keptAliveAt = now()
    const notes: Promise<void>[] = []
    for (const contact of this.#contacts.values()) {
      if (keepAlive) contact.keepAlive()
      if (contact.isDeaf()) {
        log.warn({ device: contact.deviceId }, 'a phone does not react to its event stream; it is hung up')
        contact.hangUpDeaf()
      }
      if (contact.hasStream && now() - (this.#notedAt.get(contact.deviceId) ?? 0) >= seenMs)
        notes.push(this.#note(contact))
      if (contact.acknowledgementIsDue)
        contact.acknowledged(!(await this.#hasUnacknowledged(contact.deviceId, contact.registeredAt)))
      this.look(contact)
    }
    await Promise.all(notes)
  }

  /** Reads all phones again: another node, or the command line, may have changed them. */
  async #review(): Promise<void> {
    const { store, present, now } = this.#parts
    this.#reviewedAt = now()
    const phones = new Map((await store.phones()).map(phone => [phone.device.id, phone]))
    for (const phone of phones.values()) this.contact(phone.device.id).learn(phone)
    for (const [deviceId, contact] of this.#contacts) {
      const phone = phones.get(deviceId)
      contact.cut(phone?.tokenHash ?? null)
      if (phone) {
        // A stream here, and yet offline: the node that held the line let it go.
        if (contact.hasStream && !phone.device.online && !this.#lines.has(deviceId)) await present(deviceId)
      } else if (!this.#lines.has(deviceId)) {
        contact.close()
        this.#contacts.delete(deviceId)
        this.#notedAt.delete(deviceId)
      }
    }
  }

  /** Tells the gateway what changed. What cannot be stored now is noted again at a later look. */
  look(contact: Contact): void {
    const line = this.#lines.get(contact.deviceId)
    if (!line) return
    const online = contact.isOnline()
    if (online !== line.online) {
      line.online = online
      line.news.online(online).catch(() => {})
    }
    const attention = contact.attention()
    if (attention.join() === line.attention) return
    const before = line.attention
    line.attention = attention.join()
    this.#parts.store.describe(contact.deviceId, { attention }).catch(() => {
      line.attention = before
    })
  }
}
