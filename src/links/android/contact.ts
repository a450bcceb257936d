/**
 * What this node knows of one phone: its event streams, when it last called, and whether it was asked to call.
 *
 *     nudge ─▶ asked ──it calls────────────────▶ calm
 *                └──no call for 90 s───────────▶ deaf: its streams lead nowhere, and are cut
 *
 *     stream open ──lost─▶ reconnecting (90 s, still online) ─▶ without a stream: online for 20 minutes after each call
 *
 * Nudges are at least 2 s apart, and wait until the device's pace allows a message.
 */

import type { AttentionCode } from '../../core/devices/attention.ts'
import type { About } from '../../core/devices/device.ts'
import type { Phone } from '../../core/devices/phone.ts'
import { hasPassed } from '../../core/lib/time.ts'
import type { PhoneEvent, Stream } from './stream.ts'
import { isAtLeast, oldestGood } from './version.ts'

/** A stream lost for less long is a reconnect, not an outage. */
const reconnectMs = 90_000
/** The app asks by itself every 15 minutes. */
const callMs = 20 * 60_000
/** By then a phone that will open a stream has done so. */
const streamDueMs = 2 * 60_000
/** Each event makes the app start its pull again, so they must not come closer together. */
const nudgeMs = 2_000
/** A phone that was asked to call and did not for so long has a stream that leads nowhere. */
const deafMs = 90_000
/** How often a phone is reminded of what it has not acknowledged: at first, and at last. */
const reminderMs = 15_000
const seldomMs = 600_000
/** How often it is asked again not to send a message. */
const cancelMs = 5_000
/** A phone that has a message answers within this time that it has canceled it. */
const unknownMs = 60_000
const refusalMs = 3_600_000
const lowBattery = 20
/**
 * Some apps open a second stream, and a phone in a bad network leaves dead ones behind at each reconnect: those are the
 * oldest, so the oldest goes.
 */
const mostStreams = 16

export class Contact {
  readonly deviceId: string
  readonly #now: () => number
  readonly #streams = new Set<Stream>()
  #registration = 0
  #tokenHash: string | null = null
  #registeredAt: number | null = null
  #streamAt: number | null = null
  #calledAt: number | null = null
  #refusedAt: number | null = null
  #about: About = {}
  /** Before then the phone would be given nothing: its pace is used up. */
  #notBefore = 0
  #nudgedAt = -Infinity
  /** Since when it has been asked to call, and has not. */
  #askedAt: number | undefined
  #timer: NodeJS.Timeout | undefined
  #reminder = { since: -Infinity, waitMs: reminderMs }
  readonly #cancelAskedAt = new Map<string, number>()
  readonly #cancelShownAt = new Map<string, number>()

  constructor(deviceId: string, now: () => number) {
    this.deviceId = deviceId
    this.#now = now
  }

  /** Takes in what the database knows, which other nodes may have written. Values older than the known ones are ignored. */
  learn({ device, registration, tokenHash, registeredAt, streamAt }: Phone): void {
    if (registration < this.#registration) return
    if (registration > this.#registration) {
      this.#registration = registration
      this.#tokenHash = tokenHash
      this.#registeredAt = registeredAt
      this.#streamAt = null
      this.#refusedAt = null
      this.cut(tokenHash)
    }
    this.#streamAt = latest(this.#streamAt, streamAt)
    this.#calledAt = latest(this.#calledAt, device.seenAt)
    if (this.#askedAt !== undefined && (device.seenAt ?? 0) >= this.#askedAt) this.#askedAt = undefined
    this.#about = device.about
  }

  describe(about: About): void {
    this.#about = { ...this.#about, ...about }
  }

  called(): void {
    this.#calledAt = this.#now()
    this.#askedAt = undefined
  }

  signatureRefused(): void {
    this.#refusedAt = this.#now()
  }

  get about(): About {
    return this.#about
  }

  get registration(): number {
    return this.#registration
  }

  get hasStream(): boolean {
    return this.#streams.size > 0
  }

  /** The last moment a stream was there. */
  get streamAt(): number | null {
    return this.hasStream ? this.#now() : this.#streamAt
  }

  add(stream: Stream): void {
    this.#streams.add(stream)
    // All of them get every event: which one the app listens to cannot be known.
    if (this.#streams.size > mostStreams) this.#drop(this.#streams.values().next().value!)
  }

  /** A stream ended by itself. One of an earlier registration says nothing about this one. */
  lost(stream: Stream): void {
    if (this.#streams.delete(stream) && stream.tokenHash === this.#tokenHash) this.#streamAt = this.#now()
  }

  /** Ends the streams that were opened with another token than this; without one, all. */
  cut(except?: string | null): void {
    for (const stream of this.#streams) if (stream.tokenHash !== except) this.#drop(stream)
  }

  /** Does not wait for the other side: a stream that leads nowhere would never say that it ended. */
  #drop(stream: Stream): void {
    this.lost(stream)
    stream.end()
  }

  push(event: PhoneEvent, data?: object): void {
    for (const stream of this.#streams) stream.push(event, data)
  }

  keepAlive(): void {
    for (const stream of this.#streams) stream.keepAlive()
  }

  /** It has fetched everything: a nudge that is still scheduled would be useless. */
  satisfied(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** The pace allows nothing before then. */
  rest(until: number): void {
    this.#notBefore = until
    this.satisfied()
    this.nudge()
  }

  /** Tells the phone to ask for messages: at once, or as soon as it makes sense, but not before `from`. */
  nudge(from = 0): void {
    if (this.#timer || !this.hasStream) return
    const pause = hasPassed(nudgeMs, this.#nudgedAt, this.#now()) ? 0 : this.#nudgedAt + nudgeMs
    const due = Math.max(from, this.#notBefore, pause)
    const wait = due - this.#now()
    if (wait > 0) {
      this.#timer = setTimeout(
        () => {
          this.#timer = undefined
          this.nudge()
        },
        Math.min(wait, 2 ** 31 - 1),
      )
      this.#timer.unref()
      return
    }
    this.#nudgedAt = this.#now()
    this.#askedAt ??= this.#now()
    this.push('MessageEnqueued')
  }

  /**
   * It has not acknowledged what it was given: perhaps the answer got lost, and it must not wait for the app's next
   * poll. A repeated pull sends nothing twice. Reminders to a silent phone back off.
   */
  remind(): void {
    const { since, waitMs } = this.#reminder
    const first = since === -Infinity
    if (!hasPassed(waitMs, since, this.#now())) return
    this.#reminder = { since: this.#now(), waitMs: first ? waitMs : Math.min(seldomMs, 2 * waitMs) }
    this.nudge()
  }

  /** It has acknowledged everything. */
  atEase(): void {
    this.#reminder = { since: -Infinity, waitMs: reminderMs }
  }

  /** Asks it not to send these. What is no longer in the list was answered. */
  askToCancel(messageIds: readonly string[]): void {
    for (const id of this.#cancelAskedAt.keys()) if (!messageIds.includes(id)) this.#cancelAskedAt.delete(id)
    for (const messageId of messageIds) {
      const since = this.#cancelAskedAt.get(messageId) ?? -Infinity
      if (!hasPassed(cancelMs, since, this.#now())) continue
      this.#cancelAskedAt.set(messageId, this.#now())
      this.push('MessageCancelled', { messageId })
    }
  }

  /**
   * It was given a list in which these are to be canceled. Those that it was shown before, a while ago, and has said nothing
   * about: it never had them, and will not send what it is told to cancel.
   */
  shownToCancel(messageIds: readonly string[]): string[] {
    for (const id of this.#cancelShownAt.keys()) if (!messageIds.includes(id)) this.#cancelShownAt.delete(id)
    return messageIds.filter(id => {
      const since = this.#cancelShownAt.get(id)
      if (since === undefined) this.#cancelShownAt.set(id, this.#now())
      return since !== undefined && hasPassed(unknownMs, since, this.#now())
    })
  }

  isDeaf(): boolean {
    return this.hasStream && this.#askedAt !== undefined && this.#now() - this.#askedAt > deafMs
  }

  hangUpDeaf(): void {
    this.#askedAt = undefined
    this.cut()
  }

  isOnline(): boolean {
    if (this.hasStream) return true
    const now = this.#now()
    if (this.#streamAt !== null && now - this.#streamAt < reconnectMs) return true
    return this.#lacksStream(now) && this.#calledAt !== null && now - this.#calledAt < callMs
  }

  attention(): AttentionCode[] {
    if (this.#registeredAt === null) return ['not_connected']
    const now = this.#now()
    const { appVersion, batteryPercent, charging } = this.#about
    const found: (AttentionCode | false)[] = [
      this.#lacksStream(now) && now - this.#registeredAt > streamDueMs && 'no_event_stream',
      appVersion !== undefined && !isAtLeast(appVersion, oldestGood) && 'app_outdated',
      batteryPercent !== undefined && batteryPercent < lowBattery && 'battery_low',
      charging === false && 'not_charging',
      this.#refusedAt !== null && now - this.#refusedAt < refusalMs && 'signature_refused',
      !this.isOnline() && 'phone_offline',
    ]
    return found.filter(code => code !== false)
  }

  close(): void {
    this.satisfied()
    this.cut()
  }

  /** It never opened a stream, or stopped doing so long ago. */
  #lacksStream(now: number): boolean {
    if (this.hasStream || this.#registeredAt === null) return false
    return this.#streamAt === null || now - this.#streamAt >= callMs
  }
}

const latest = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b)
