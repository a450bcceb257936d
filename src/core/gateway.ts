/** The verbs of the product: send, record what devices report, receive. */

import { type Candidate, choose, type Refusal, Weight } from './choose.ts'
import { canSendMedia, type Device, deviceKinds } from './device.ts'
import type { Environment } from './environment.ts'
import type { Fleet } from './fleet.ts'
import type { News } from './link.ts'
import { checkMediaUrl } from './media.ts'
import { type NewMessage, type Receipt, validityMs } from './message.ts'
import { normaliseNumber } from './number.ts'
import { Problem, type ProblemPart } from './problem.ts'
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

export type GatewayParts = {
  store: Pick<Store, 'accept' | 'record' | 'receive' | 'familiarDevice'>
  fleet: Fleet
  /** Looks at the devices again, now. */
  refresh: () => Promise<void>
  wake: (deviceId: string) => void
  now: () => number
  newId: () => string
  /** Whether the numbering plans know the number. Asked only where the environment wants it. */
  isAssigned: (number: string) => boolean
  queueLimit: number
  mediaHttpsOnly: boolean
  /** Hosts whose media may be private. */
  mediaAllowHosts?: ReadonlySet<string>
  /** Told of messages that were accepted. */
  onAccept?: (environment: Environment, messages: number) => void
  /** Told of each receipt, and whether it changed anything. */
  onReceipt?: (receipt: Receipt, moved: boolean) => void
}

export const mostRecipients = 100
/** A device that last spoke to somebody longer ago than this is as good as any other. */
const familiarMs = 30 * 24 * 3_600_000
/** A device's clock further off than this is not believed. */
const clockSlackMs = 10 * 60_000
const longestText = 100_000
const longestDetail = 500
/** No network has longer ones, and an index must hold it. */
const longestSender = 255

export class Gateway {
  readonly #parts: GatewayParts

  constructor(parts: GatewayParts) {
    this.#parts = parts
  }

  async send(environment: Environment, draft: SingleDraft): Promise<NewMessage> {
    const recipient = this.#recipient(environment, draft.to)
    if (recipient === undefined) throw invalidRecipient(draft.to)
    const weight = this.#weigh(draft)
    const carrier = await this.#carrier(environment, draft, weight, 1, recipient)
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
    const carrier = await this.#carrier(environment, draft, weight, accepted.length)
    const batchId = this.#parts.newId()
    const messages = accepted.map(to => this.#message(environment, draft, weight, carrier, to, batchId))
    await this.#accept(environment, carrier, messages)
    return { messages, deviceId: carrier.device.id, rejected }
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

  /** The device that takes the messages: the named one, or the best that can. */
  async #carrier(
    environment: Environment,
    draft: Draft,
    weight: Weight,
    count: number,
    recipient?: string,
  ): Promise<Candidate> {
    const named = draft.device_id === undefined ? undefined : await this.#named(environment, draft.device_id)
    if (draft.media_url !== undefined) {
      if (named && !canSendMedia(named.device.kind))
        throw new Problem(
          'media_requires_whatsapp',
          `${named.device.name} cannot send media: it is not a WhatsApp device.`,
        )
      checkMediaUrl(draft.media_url, this.#parts.mediaHttpsOnly, this.#parts.mediaAllowHosts)
    }
    const kinds = named ? [named.device.kind] : deviceKinds
    if (!kinds.some(kind => weight.fits(kind)))
      throw new Problem('message_too_long', weight.excess(kinds[0]!))
    const carrier = named ? await this.#online(named) : await this.#chosen(environment, weight, recipient)
    const room = this.#parts.queueLimit - this.#parts.fleet.waiting(environment.id)
    if (room < count)
      throw new Problem('queue_full', 'Too many messages are waiting to be sent.', { retryAfter: 60 })
    return carrier
  }

  async #named(environment: Environment, deviceId: string): Promise<Candidate> {
    const { fleet, refresh } = this.#parts
    const find = () => {
      const member = fleet.member(deviceId)
      return member?.device.environmentId === environment.id && member.device.removedAt === null
        ? member
        : undefined
    }
    const member = find()
    if (member) return member
    // It may have been added a moment ago by another process.
    await refresh()
    const fresh = find()
    if (!fresh) throw new Problem('invalid_device', 'device_id is not a device of this environment.')
    return fresh
  }

  async #online(member: Candidate): Promise<Candidate> {
    if (!member.online) await this.#parts.refresh()
    if (!member.online)
      throw new Problem('device_offline', `${member.device.name} is offline.`, { retryAfter: 30 })
    return member
  }

  async #chosen(environment: Environment, weight: Weight, recipient: string | undefined): Promise<Candidate> {
    const { fleet, store, now, refresh } = this.#parts
    let candidates = fleet.candidates(environment.id)
    const familiar =
      recipient !== undefined && candidates.length > 1
        ? await store.familiarDevice(environment.id, recipient, now() - familiarMs)
        : undefined
    let choice = choose(candidates, weight, now(), familiar)
    if ('refusals' in choice) {
      await refresh()
      candidates = fleet.candidates(environment.id)
      choice = choose(candidates, weight, now(), familiar)
    }
    if ('candidate' in choice) return choice.candidate
    throw noDevice(choice.refusals)
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

function noDevice(refusals: readonly Refusal[]): Problem {
  const reachable = refusals.filter(({ code }) => code !== 'offline' && code !== 'cannot_send_media')
  const tooLong = reachable.find(({ code }) => code === 'message_too_long')
  if (tooLong && reachable.every(({ code }) => code === 'message_too_long'))
    return new Problem('message_too_long', tooLong.detail)
  const errors: ProblemPart[] = refusals
    .slice(0, 50)
    .map(({ deviceId, code, detail }) => ({ pointer: `/devices/${deviceId}`, code, detail }))
  const detail =
    refusals.length === 0 ? 'This environment has no device yet.' : 'No device can take the message now.'
  return new Problem('no_device_available', detail, { errors, retryAfter: 30 })
}

const believable = (at: number, now: number) => (Math.abs(at - now) <= clockSlackMs ? at : now)

/** What comes from outside may hold anything; neither database keeps NUL, and no client should meet half a character. */
const clean = (text: string) => text.slice(0, longestText).toWellFormed().replaceAll('\0', '')
