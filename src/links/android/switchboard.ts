/** Where the phones are: their event streams at this node, who is online, and who needs a look. */

import type { Device } from '../../core/devices/device.ts'
import { android } from '../../core/devices/kinds/android.ts'
import type { Phone } from '../../core/devices/phone.ts'
import type { Log } from '../../core/lib/log.ts'
import { Loop } from '../../core/lib/loop.ts'
import { hasPassed } from '../../core/lib/time.ts'
import type { Link, LinkKind, News } from '../../core/link.ts'
import type { Store } from '../../core/store.ts'
import { Contact } from './contact.ts'
import type { Stream } from './stream.ts'
import { settingsKey } from './to-phone.ts'
import { cancels, isAtLeast } from './version.ts'

export type SwitchboardParts = {
  store: Pick<
    Store,
    'notePhone' | 'phones' | 'describe' | 'unacknowledged' | 'slowToAcknowledge' | 'toCancel'
  >
  /** Notes that this node has the device's line. */
  present: (deviceId: string) => Promise<void>
  /** When the device can be given what waits for it; undefined when nothing does. */
  readyAt: (deviceId: string) => number | undefined
  now: () => number
  log: Log
}

const tickMs = 1_000
const pulseMs = 1_000
const keepAliveMs = 15_000
const reviewMs = 10_000
/** A phone that has not acknowledged its messages for this long is asked to pull again. */
const acknowledgeMs = 15_000
const mostToCancel = 1_000
/** How far behind the stored time of the last sign of life may be. */
export const seenMs = 30_000

/** A line that the dispatcher opened, and what it was told last. */
type Line = { news: News; online: boolean; attention: string; settings: string; limits: string }

/**
 * The node that has a phone's stream need not be the one that holds its line, nor the one its calls reach: what must be
 * the same on all of them is in the database.
 */
export class Switchboard implements LinkKind {
  readonly kind = android.name
  readonly isPulled = true
  readonly #parts: SwitchboardParts
  readonly #contacts = new Map<string, Contact>()
  readonly #lines = new Map<string, Line>()
  readonly #notedAt = new Map<string, number>()
  readonly #loop: Loop
  /** A loop of its own: hanging storage must not stop the keep-alives that proxies need. */
  readonly #pulse: Loop
  #reviewedAt = -Infinity
  #keptAliveAt = 0
  #stopped = false

  constructor(parts: SwitchboardParts) {
    this.#parts = parts
    const complain = (error: unknown) => parts.log.error({ err: error }, 'phone check failed; will retry')
    this.#loop = new Loop(tickMs, () => this.#tick(), complain)
    this.#pulse = new Loop(pulseMs, async () => this.#keepAlive(), complain)
  }

  async start(): Promise<void> {
    await this.#review()
    this.#loop.start()
    this.#pulse.start()
  }

  /** Ends the streams, so that phones go to another node or come back. */
  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all([this.#loop.stop(), this.#pulse.stop()])
    const open = [...this.#contacts.values()].filter(contact => contact.hasStream)
    for (const contact of this.#contacts.values()) contact.close()
    await Promise.all(open.map(contact => this.#note(contact)))
  }

  open(device: Device, news: News): Link {
    const contact = this.contact(device.id)
    const line: Line = {
      news,
      online: false,
      attention: device.attention.join(),
      settings: settingsKey(device),
      limits: limitsOf(device),
    }
    this.#lines.set(device.id, line)
    this.look(contact)
    return {
      wake: () => this.#nudge(contact),
      adapt: changed => {
        if (settingsKey(changed) !== line.settings) contact.push('SettingsUpdated')
        line.settings = settingsKey(changed)
        if (limitsOf(changed) === line.limits) return
        line.limits = limitsOf(changed)
        contact.rest(0)
      },
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
    return isAtLeast(this.#contacts.get(device.id)?.about.appVersion ?? device.about.appVersion, cancels)
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
    const contact = this.contact(phone.device.id)
    contact.learn(phone)
    // A newer registration was made while this one was connecting.
    if (this.#stopped || phone.registration !== contact.registration) {
      stream.end()
      return
    }
    contact.called()
    contact.add(stream)
    stream.push('WebhooksUpdated')
    stream.push('SettingsUpdated')
    this.look(contact)
    if (!this.#lines.has(contact.deviceId)) this.#parts.present(contact.deviceId).catch(() => {})
    void this.#note(contact)
    void this.#offerWork(phone, stream)
  }

  leave(phone: Phone, stream: Stream): void {
    const contact = this.contact(phone.device.id)
    contact.lost(stream)
    if (!contact.hasStream && !this.#stopped) void this.#note(contact)
  }

  async #offerWork({ device, registration }: Phone, stream: Stream): Promise<void> {
    try {
      const { store, readyAt } = this.#parts
      const some =
        readyAt(device.id) !== undefined ||
        (await store.unacknowledged(device.id, registration, 1)).length > 0
      if (some) stream.push('MessageEnqueued')
    } catch {
      // Without storage there is nothing to give; the app asks by itself when a stream opens.
    }
  }

  #nudge(contact: Contact): void {
    const at = this.#parts.readyAt(contact.deviceId)
    if (at !== undefined) contact.nudge(at)
  }

  /** Keeps for other nodes, and for the next start, that the phone was here. Never rejects: there is a next time. */
  async #note(contact: Contact): Promise<void> {
    const { store, now, log } = this.#parts
    this.#notedAt.set(contact.deviceId, now())
    const { streamAt, registration } = contact
    try {
      await Promise.all([
        streamAt !== null && store.notePhone(contact.deviceId, { streamAt, registration }),
        store.describe(contact.deviceId, { seenAt: now() }),
      ])
    } catch (error) {
      log.warn({ device: contact.deviceId, err: error }, 'could not record that a phone is online')
    }
  }

  #keepAlive(): undefined {
    const { now } = this.#parts
    if (!hasPassed(keepAliveMs, this.#keptAliveAt, now())) return
    this.#keptAliveAt = now()
    for (const contact of this.#contacts.values()) contact.keepAlive()
  }

  async #tick(): Promise<undefined> {
    const { now, log } = this.#parts
    if (hasPassed(reviewMs, this.#reviewedAt, now())) await this.#review()
    const here = [...this.#contacts.values()].filter(contact => contact.hasStream)
    for (const contact of here) {
      if (contact.isDeaf()) {
        log.warn({ device: contact.deviceId }, 'closed the event stream of a phone that does not react')
        contact.hangUpDeaf()
      }
      this.#nudge(contact)
    }
    for (const contact of this.#contacts.values()) this.look(contact)
    const stale = here.filter(({ deviceId }) => hasPassed(seenMs, this.#notedAt.get(deviceId) ?? 0, now()))
    await Promise.all(stale.map(contact => this.#note(contact)))
    if (here.length > 0) await this.#askToCancel(here)
  }

  async #askToCancel(contacts: readonly Contact[]): Promise<void> {
    const messages = await this.#parts.store.toCancel(mostToCancel)
    const wanted = Map.groupBy(messages, ({ deviceId }) => deviceId)
    for (const contact of contacts)
      if (isAtLeast(contact.about.appVersion, cancels))
        contact.askToCancel((wanted.get(contact.deviceId) ?? []).map(({ id }) => id))
  }

  /** Reads all phones again: another node, or the command line, may have changed them. */
  async #review(): Promise<void> {
    const { store, present, now } = this.#parts
    this.#reviewedAt = now()
    const slow = new Set(await store.slowToAcknowledge(now() - acknowledgeMs))
    const phones = new Map((await store.phones()).map(phone => [phone.device.id, phone]))
    for (const phone of phones.values()) this.contact(phone.device.id).learn(phone)
    const astray: string[] = []
    for (const [deviceId, contact] of this.#contacts) {
      const phone = phones.get(deviceId)
      if (phone) {
        if (slow.has(deviceId)) contact.remind()
        else contact.atEase()
        // Has a stream here but is offline: the node that held its line released it.
        if (contact.hasStream && !phone.device.online && !this.#lines.has(deviceId)) astray.push(deviceId)
      } else if (contact.registration > 0 || !this.#lines.has(deviceId)) {
        contact.close()
        if (this.#lines.has(deviceId)) continue
        this.#contacts.delete(deviceId)
        this.#notedAt.delete(deviceId)
      }
    }
    for (const deviceId of astray) await present(deviceId)
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

const limitsOf = ({ perMinute, perDay }: Device) => `${perMinute} ${perDay}`
