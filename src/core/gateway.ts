/** The verbs of the product: send, record what devices report, receive. */

import { type CarrierParts, Carriers } from './carriers.ts'
import { type Candidate, expectedSeconds, Weight } from './choose.ts'
import type { Device } from './device.ts'
import type { Environment } from './environment.ts'
import type { News } from './link.ts'
import { type NewMessage, type Receipt, validityMs } from './message.ts'
import { normaliseNumber } from './number.ts'
import { Problem } from './problem.ts'
import type { Incoming } from './received.ts'
import type { Store } from './store.ts'

/** What a client asks to have sent. */
export type Draft = {
  message: string
  device_id?: string
  media_url?: string
  /** Seconds after which it is too late to hand it over. */
  ttl?: number
  sim_slot?: number
}
export type SingleDraft = Draft & { to: string }
export type BulkDraft = Draft & { recipients: readonly string[] }

export type Rejected = {
  index: number
  to: string
  code: 'invalid_recipient' | 'duplicate_recipient'
  detail: string
}
export type Bulk = { messages: NewMessage[]; deviceId: string; rejected: Rejected[] }

/** What would become of a draft: a device and the time it takes, or why there is none. */
export type Preview = { recipients: string[]; rejected: Rejected[]; weight: Weight } & (
  | { carrier: Device; seconds: number }
  | { problem: Problem }
)

export type GatewayParts = CarrierParts & {
  store: Pick<Store, 'accept' | 'record' | 'receive'>
  wake: (deviceId: string) => void
  newId: () => string
  /** Whether the numbering plans know the number. Asked only where the environment wants it. */
  isAssigned: (number: string) => boolean
  /** Told of messages that were accepted. */
  onAccept?: (environment: Environment, messages: number) => void
  /** Told of each receipt, and whether it changed anything. */
  onReceipt?: (receipt: Receipt, moved: boolean) => void
}

export const mostRecipients = 100
/** A device's clock further off than this is not believed. */
const clockSlackMs = 10 * 60_000
const longestText = 100_000
const longestDetail = 500
/** No network has longer ones, and an index must hold it. */
const longestSender = 255

export class Gateway {
  readonly #parts: GatewayParts
  readonly #carriers: Carriers

  constructor(parts: GatewayParts) {
    this.#parts = parts
    this.#carriers = new Carriers(parts)
  }

  async send(environment: Environment, draft: SingleDraft): Promise<NewMessage> {
    const recipient = this.#recipient(environment, draft.to)
    if (recipient === undefined) throw invalidRecipient(draft.to)
    const weight = this.#weigh(draft)
    const carrier = await this.#carriers.find(environment, draft, weight, 1, recipient)
    const message = this.#message(environment, draft, weight, carrier, recipient, null)
    await this.#accept(environment, carrier, [message])
    return message
  }

  async sendBulk(environment: Environment, draft: BulkDraft): Promise<Bulk> {
    if (draft.recipients.length > mostRecipients)
      throw new Problem(
        'too_many_recipients',
        `At most ${mostRecipients} recipients in one request; these are ${draft.recipients.length}.`,
      )
    const { accepted, rejected } = this.#sort(environment, draft.recipients)
    if (accepted.length === 0)
      throw new Problem('no_valid_recipients', 'None of the recipients can be texted.', {
        errors: rejected.map(({ index, code, detail }) => ({
          pointer: `/recipients/${index}`,
          code,
          detail,
        })),
      })
    const weight = this.#weigh(draft)
    const carrier = await this.#carriers.find(environment, draft, weight, accepted.length)
    const batchId = this.#parts.newId()
    const messages = accepted.map(to => this.#message(environment, draft, weight, carrier, to, batchId))
    await this.#accept(environment, carrier, messages)
    return { messages, deviceId: carrier.device.id, rejected }
  }

  /** What would happen to a message, without sending it. */
  async preview(environment: Environment, draft: BulkDraft): Promise<Preview> {
    const { accepted, rejected } = this.#sort(environment, draft.recipients)
    const weight = this.#weigh(draft)
    const count = Math.max(1, accepted.length)
    const alone = draft.recipients.length === 1 ? accepted[0] : undefined
    const about = { recipients: accepted, rejected, weight }
    try {
      const carrier = await this.#carriers.find(environment, draft, weight, count, alone)
      const seconds = expectedSeconds(carrier, weight, count, this.#parts.now())
      return { ...about, carrier: carrier.device, seconds }
    } catch (error) {
      if (error instanceof Problem) return { ...about, problem: error }
      throw error
    }
  }

  /** What a link may tell about its device. */
  news(device: Device): Omit<News, 'online'> {
    return {
      receipt: receipt => this.record({ ...receipt, deviceId: device.id }),
      received: incoming => this.receive({ ...incoming, deviceId: device.id }),
    }
  }

  async record(receipt: Receipt): Promise<void> {
    const { store, now, onReceipt } = this.#parts
    const { error } = receipt
    const moved = await store.record({
      ...receipt,
      at: believable(receipt.at, now()),
      ...(error?.detail !== undefined && {
        error: { ...error, detail: clean(error.detail).slice(0, longestDetail) },
      }),
    })
    onReceipt?.(receipt, moved)
  }

  async receive(incoming: Incoming): Promise<void> {
    await this.#parts.store.receive({
      ...incoming,
      sender: clean(normaliseNumber(incoming.sender) ?? incoming.sender).slice(0, longestSender),
      text: clean(incoming.text),
      externalId: incoming.externalId === null ? null : clean(incoming.externalId).slice(0, longestDetail),
    })
  }

  #recipient(environment: Environment, given: string): string | undefined {
    const number = normaliseNumber(given)
    if (
      number !== undefined &&
      environment.settings.numberCheck === 'plan' &&
      !this.#parts.isAssigned(number)
    )
      return undefined
    return number
  }

  #sort(
    environment: Environment,
    recipients: readonly string[],
  ): { accepted: string[]; rejected: Rejected[] } {
    const accepted = new Set<string>()
    const rejected: Rejected[] = []
    recipients.forEach((to, index) => {
      const number = this.#recipient(environment, to)
      if (number === undefined)
        rejected.push({ index, to, code: 'invalid_recipient', detail: invalidRecipient(to).message })
      else if (accepted.has(number))
        rejected.push({ index, to, code: 'duplicate_recipient', detail: `${number} is in the list already.` })
      else accepted.add(number)
    })
    return { accepted: [...accepted], rejected }
  }

  #weigh(draft: Draft): Weight {
    if (draft.message.trim() === '')
      throw new Problem('invalid_request', 'message must not be empty.', {
        errors: [{ pointer: '/message', code: 'empty', detail: 'must not be empty' }],
      })
    return new Weight({ text: draft.message, media: draft.media_url !== undefined })
  }

  #message(
    environment: Environment,
    draft: Draft,
    weight: Weight,
    carrier: Candidate,
    recipient: string,
    batchId: string | null,
  ): NewMessage {
    return {
      id: this.#parts.newId(),
      environmentId: environment.id,
      batchId,
      deviceId: carrier.device.id,
      pinned: draft.device_id !== undefined,
      recipient,
      text: draft.message,
      mediaUrl: draft.media_url ?? null,
      simSlot: draft.sim_slot ?? null,
      parts: weight.parts(carrier.device.kind),
      expiresAt: this.#parts.now() + (draft.ttl === undefined ? validityMs.default : draft.ttl * 1_000),
    }
  }

  async #accept(
    environment: Environment,
    carrier: Candidate,
    messages: readonly NewMessage[],
  ): Promise<void> {
    const { store, fleet, wake, onAccept } = this.#parts
    // Before the commit, so that requests of the same moment spread over the devices.
    fleet.noteAccepted(carrier, messages.length, messages.length * messages[0]!.parts)
    await store.accept(messages)
    onAccept?.(environment, messages.length)
    wake(carrier.device.id)
  }
}

function invalidRecipient(given: string): Problem {
  return new Problem(
    'invalid_recipient',
    `“${given.slice(0, 40)}” is not a phone number in international format, such as +14155550123.`,
  )
}

const believable = (at: number, now: number) => (Math.abs(at - now) <= clockSlackMs ? at : now)

/** What comes from outside may hold anything; neither database keeps NUL, and no client should meet half a character. */
const clean = (text: string) => text.slice(0, longestText).toWellFormed().replaceAll('\0', '')
