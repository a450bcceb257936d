/** Port: what we need remembered of messages on their way out. */

import type { Keep } from '../idempotency.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Message, NewMessage, Receipt, Status } from './message.ts'
import type { MessageFilter, MessagePage } from './message-list.ts'

/** What a device was given, and when to ask again if its pace was the reason for not giving more. */
export type Claim = { messages: Message[]; retryAt: number | null }

/** The outcome of accepting messages. */
export type Accepted = {
  /** Those that were not, because their recipient wants none. */ optedOut: ReadonlySet<string>
}

/** A queued message's way to another device. */
export type Transfer = {
  messageId: string
  from: string
  to: string
  oldParts: number
  parts: number
  reason: string
}

/** What was let go: messages that are queued again, and messages a device had taken, which are not sent again. */
export type Unheld = { queued: number; taken: number }

export type ClaimOptions = {
  /** Of the lease under which it is claimed: if another node has taken the link since, nothing is. */
  epoch?: number
  /** Messages that rest, by seq. */
  except?: readonly number[]
}

export interface MessageStore {
  /** Keeps new messages, all or none but for those whose recipient opted out, queued for their devices or scheduled. */
  accept(messages: readonly NewMessage[], keep?: Keep<Accepted>): Promise<Accepted>
  /** Queues what was scheduled for now or earlier. Returns the devices it is for. */
  fallDue(limit: number): Promise<string[]>
  /** When the next scheduled message falls due. */
  nextDue(): Awaitable<number | undefined>
  /** Hands a device up to `limit` queued messages, oldest first, within its pace. They become `sending`. */
  claim(deviceId: string, limit: number, options?: ClaimOptions): Promise<Claim>
  /** The same for a phone that asks. Undefined: the phone has registered again since; this token is stale. */
  pull(deviceId: string, registration: number, limit: number): Promise<Claim | undefined>
  /** Takes a claim back that certainly never left the gateway. */
  release(message: Message): Promise<void>
  /** Moves a message forward on a device's word. False: late, repeated or not this device's, so nothing changed. */
  record(receipt: Receipt): Promise<boolean>
  /** Ends what outlived its validity: `queued` as expired, `sending` as unknown. Returns how many. */
  expire(limit: number): Promise<number>
  /** Gives queued messages to other devices. */
  transfer(transfers: readonly Transfer[]): Promise<void>
  /** Ends what waited for a removed device by name, and what that device had taken. Returns how many. */
  abandon(deviceId: string, limit: number): Promise<number>
  /** Lets go what a restore held back. */
  unhold(limit: number): Promise<Unheld>
  message(environmentId: number, id: string): Awaitable<Message | undefined>
  messages(environmentId: number, filter: MessageFilter): Awaitable<MessagePage>
  /** Ends a message that no device has; with `ask`, notes for the device that has it. Returns the state it is in now. */
  cancel(
    environmentId: number,
    id: string,
    ask: boolean,
    keep?: Keep<Status | undefined>,
  ): Promise<Status | undefined>
  /** What earlier leases handed to a device is from now on this one's, which offers it again. */
  adopt(deviceId: string, epoch: number): Promise<void>
  /** What a device was handed and has not answered for, oldest first. */
  unanswered(deviceId: string, afterSeq: number, limit: number): Awaitable<Message[]>
  /** What a phone must be shown again: given in this registration, still valid, and not yet acknowledged. */
  unacknowledged(deviceId: string, registration: number, limit: number): Awaitable<Message[]>
  /** The phones that have not acknowledged what they were given before then. */
  slowToAcknowledge(before: number): Awaitable<string[]>
  /** Messages that phones are to be asked not to send: all, or those of one. */
  toCancel(limit: number, deviceId?: string): Awaitable<Message[]>
  /** Queued messages of a device that may go to another one. */
  movable(deviceId: string, limit: number, onlyStrangers?: boolean): Awaitable<Message[]>
  /** Messages that a restore holds back. */
  heldCount(): Awaitable<number>
  /** The device that last exchanged messages with this number since then. */
  lastDevice(environmentId: number, number: string, since: number): Awaitable<string | undefined>
  /** How many are with a device, and for another time; counted up to a limit. */
  underWay(environmentId: number): Awaitable<{ sending: number; scheduled: number }>
  /** When the oldest queued message of each device was accepted. */
  oldestWaiting(): Awaitable<{ deviceId: string; createdAt: number }[]>
}
