/** Sending: from what a client asks for to messages that are on disk. */

import type { Device } from '../devices/device.ts'
import { kindOf } from '../devices/kinds/kinds.ts'
import type { Environment } from '../environment.ts'
import type { Keep } from '../idempotency.ts'
import { parseTime } from '../lib/time.ts'
import { hiddenPerson } from '../people/number.ts'
import { invalid, Problem } from '../problem.ts'
import type { Store } from '../store.ts'
import { type Chosen, expectedSeconds, Weight } from './choose.ts'
import { type CarrierParts, DeviceFinder } from './device-finder.ts'
import { furthestMs, type NewMessage } from './message.ts'
import type { Accepted } from './message-store.ts'
import {
  invalidRecipient,
  nobody,
  optedOutDetail,
  optedOutEntry,
  type Rejected,
  recipientOf,
  sortRecipients,
} from './recipients.ts'

/** What a client asks to have sent. */
export type Draft = {
  message: string
  deviceId?: string
  mediaUrl?: string
  /** Seconds after which it is too late to hand it over. */
  ttl?: number
  simSlot?: number
  /** When to send it, in ISO 8601; at once when not given. */
  sendAt?: string
}
export type SingleDraft = Draft & { to: string }
export type BulkDraft = Draft & { recipients: readonly string[] }

export type Bulk = { messages: NewMessage[]; deviceId: string; rejected: Rejected[] }

/** What would become of a draft: a device and the time it takes, or why there is none. */
export type Preview = { recipients: string[]; rejected: Rejected[]; weight: Weight } & (
  | { carrier: Device; seconds: number }
  | { problem: Problem }
)

/** Makes the note by which an answer is kept, from what comes out of the commit; undefined: nothing is sent. */
export type Remember<Result> = (
  resultOf: (accepted: Accepted) => Result | undefined,
) => Keep<Accepted> | undefined

export type GatewayParts = CarrierParts & {
  store: Pick<Store, 'accept' | 'optedOut'>
  wake: (deviceId: string) => void
  newId: () => string
  /** Whether the numbering plans know the number. Asked only where the environment wants it. */
  isAssigned: (number: string) => boolean
  /** Called for messages that were accepted. */
  onAccept?: (environment: Environment, messages: number) => void
}

export const mostRecipients = 100
/** Devices that were not chosen, of which is told why. */
const mostPassed = 20
/** A time that is past by no more than this means now. */
const lateMs = 60_000

export class Gateway {
  readonly #parts: GatewayParts
  readonly #finder: DeviceFinder

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.#finder = new DeviceFinder(parts)
  }

  async send(
    environment: Environment,
    draft: SingleDraft,
    remember?: Remember<NewMessage>,
  ): Promise<NewMessage> {
    const hidden = hiddenPerson(draft.to)
    if (hidden !== undefined) return await this.#answer(environment, draft, hidden, remember)
    const recipient = recipientOf(environment, draft.to, this.#parts.isAssigned)
    if (recipient === undefined) throw invalidRecipient(draft.to)
    return await this.#sendTo(environment, draft, recipient, remember)
  }

  /** Somebody whose number is hidden can be written to only by the number that they wrote to. */
  async #answer(
    environment: Environment,
    draft: SingleDraft,
    person: string,
    remember: Remember<NewMessage> | undefined,
  ): Promise<NewMessage> {
    const { store, fleet } = this.#parts
    const deviceId = draft.deviceId ?? (await store.lastDevice(environment.id, person, 0))
    const device = deviceId === undefined ? undefined : fleet.member(deviceId)?.device
    if (deviceId === undefined || (device && kindOf(device).addedBy !== 'linking'))
      throw new Problem(
        'invalid_recipient',
        `${person} hides their number: only the linked WhatsApp number that they wrote to can answer.`,
      )
    return await this.#sendTo(environment, { ...draft, deviceId }, person, remember)
  }

  async #sendTo(
    environment: Environment,
    draft: SingleDraft,
    recipient: string,
    remember: Remember<NewMessage> | undefined,
  ): Promise<NewMessage> {
    const weight = this.#weigh(draft)
    const sendAt = this.#sendAt(draft)
    const carrier = await this.#finder.find(environment, draft, weight, 1, recipient, sendAt !== null)
    const message = this.#message(environment, draft, weight, carrier, recipient, null, sendAt)
    const resultOf = ({ optedOut }: Accepted) => (optedOut.size === 0 ? message : undefined)
    const accepted = await this.#accept(environment, carrier, [message], remember?.(resultOf))
    const sent = resultOf(accepted)
    if (!sent) throw new Problem('recipient_opted_out', optedOutDetail(recipient))
    return sent
  }

  async sendBulk(environment: Environment, draft: BulkDraft, remember?: Remember<Bulk>): Promise<Bulk> {
    if (draft.recipients.length > mostRecipients)
      throw new Problem(
        'too_many_recipients',
        `At most ${mostRecipients} recipients in one request; these are ${draft.recipients.length}.`,
      )
    const { accepted, rejected } = sortRecipients(environment, draft.recipients, this.#parts.isAssigned)
    if (accepted.length === 0) throw nobody(rejected)
    const weight = this.#weigh(draft)
    const sendAt = this.#sendAt(draft)
    const numbers = accepted.map(({ number }) => number)
    const carrier = await this.#finder.find(
      environment,
      draft,
      weight,
      numbers.length,
      undefined,
      sendAt !== null,
    )
    const batchId = this.#parts.newId()
    const messages = numbers.map(to =>
      this.#message(environment, draft, weight, carrier, to, batchId, sendAt),
    )
    const outcomeOf = ({ optedOut }: Accepted): Bulk => ({
      messages: messages.filter(({ id }) => !optedOut.has(id)),
      deviceId: carrier.candidate.device.id,
      rejected: [
        ...rejected,
        ...accepted.filter((_, place) => optedOut.has(messages[place]!.id)).map(optedOutEntry),
      ].sort((a, b) => a.index - b.index),
    })
    const resultOf = (known: Accepted) => {
      const bulk = outcomeOf(known)
      return bulk.messages.length > 0 ? bulk : undefined
    }
    const known = await this.#accept(environment, carrier, messages, remember?.(resultOf))
    const bulk = resultOf(known)
    if (!bulk) throw nobody(outcomeOf(known).rejected)
    return bulk
  }

  /** What would happen to a message, without sending it. */
  async preview(environment: Environment, draft: BulkDraft): Promise<Preview> {
    const sorted = sortRecipients(environment, draft.recipients, this.#parts.isAssigned)
    const numbers = sorted.accepted.map(({ number }) => number)
    const out = await this.#parts.store.optedOut(environment.id, numbers)
    const recipients = numbers.filter(number => !out.has(number))
    const rejected = [
      ...sorted.rejected,
      ...sorted.accepted.filter(({ number }) => out.has(number)).map(optedOutEntry),
    ].sort((a, b) => a.index - b.index)
    const weight = this.#weigh(draft)
    const count = Math.max(1, recipients.length)
    const alone = draft.recipients.length === 1 ? recipients[0] : undefined
    const about = { recipients, rejected, weight }
    try {
      const isLater = this.#sendAt(draft) !== null
      const { candidate } = await this.#finder.find(environment, draft, weight, count, alone, isLater)
      const seconds = expectedSeconds(candidate, weight, count, this.#parts.now())
      return { ...about, carrier: candidate.device, seconds }
    } catch (error) {
      if (error instanceof Problem) return { ...about, problem: error }
      throw error
    }
  }

  #sendAt({ sendAt }: Draft): number | null {
    if (sendAt === undefined) return null
    const at = parseTime(sendAt)
    const now = this.#parts.now()
    if (at === undefined)
      throw invalid('/send_at', 'send_at must be an ISO 8601 date-time such as 2026-11-15T09:30:00Z.')
    if (at > now + furthestMs) throw invalid('/send_at', 'send_at must not be more than 35 days ahead.')
    // A moment ago is now: clocks differ, and requests take their time.
    if (at < now - lateMs) throw invalid('/send_at', 'send_at is in the past.')
    return at <= now ? null : at
  }

  #weigh(draft: Draft): Weight {
    if (draft.message.trim() === '')
      throw new Problem('invalid_request', 'message must not be empty.', {
        errors: [{ pointer: '/message', code: 'empty', detail: 'must not be empty' }],
      })
    return new Weight({ text: draft.message, media: draft.mediaUrl !== undefined })
  }

  #message(
    environment: Environment,
    draft: Draft,
    weight: Weight,
    { candidate, why, passed }: Chosen,
    recipient: string,
    batchId: string | null,
    sendAt: number | null,
  ): NewMessage {
    const ttlMs = (draft.ttl ?? environment.settings.validitySeconds) * 1_000
    return {
      id: this.#parts.newId(),
      environmentId: environment.id,
      batchId,
      deviceId: candidate.device.id,
      pinned: draft.deviceId !== undefined,
      recipient,
      text: draft.message,
      mediaUrl: draft.mediaUrl ?? null,
      simSlot: draft.simSlot ?? null,
      parts: weight.parts(kindOf(candidate.device)),
      sendAt,
      expiresAt: (sendAt ?? this.#parts.now()) + ttlMs,
      choice: { why, passed: passed.slice(0, mostPassed) },
    }
  }

  async #accept(
    environment: Environment,
    { candidate }: Chosen,
    messages: readonly NewMessage[],
    keep: Keep<Accepted> | undefined,
  ): Promise<Accepted> {
    const { store, fleet, wake, onAccept } = this.#parts
    const [{ parts, sendAt = null }] = messages as readonly [NewMessage]
    // Before the commit, so that requests of the same moment spread over the devices.
    if (sendAt === null) fleet.noteAccepted(candidate, messages.length, messages.length * parts)
    const accepted = await store.accept(messages, keep)
    const count = messages.length - accepted.optedOut.size
    if (count > 0) onAccept?.(environment, count)
    if (sendAt === null) wake(candidate.device.id)
    return accepted
  }
}
