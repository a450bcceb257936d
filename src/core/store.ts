/** Port: what we need remembered. Every verb is one transaction, on disk when its promise resolves. */

import type { Key, KeyDraft, Rotation } from './access/key.ts'
import type { SecretStore } from './access/secret-store.ts'
import type { UserStore } from './access/user-store.ts'
import type { Description, Device, Load, Node } from './devices/device.ts'
import type { DeviceChange, DeviceDraft } from './devices/device-draft.ts'
import type { Invitation, Phone, PhoneNote, Proof } from './devices/phone.ts'
import type { VaultStore } from './devices/vault.ts'
import type { Environment, Settings } from './environment.ts'
import type { EventWithSubject, JournalEvent } from './events/event.ts'
import type { AnswerKey, Keep, KeptAnswer } from './idempotency.ts'
import type { Amendment } from './inbox/amendment.ts'
import type { ConversationFilter, ConversationPage, Thread, ThreadPlace } from './inbox/conversation.ts'
import type { InboxFilter, InboxPage, Incoming, MediaFile, Received } from './inbox/received.ts'
import type { Awaitable } from './lib/awaitable.ts'
import type { Message, NewMessage, Receipt, Status } from './messages/message.ts'
import type { MessageFilter, MessagePage } from './messages/message-list.ts'
import type { OptOut, OptOutPage, OptOutSource } from './people/opt-out.ts'
import type { Tally } from './stats/stats.ts'
import type {
  Delivery,
  DeliveryRecord,
  DeliveryState,
  DisabledReason,
  Webhook,
  WebhookChange,
  WebhookDraft,
} from './webhooks/webhook.ts'

/** What a device was given, and when to ask again if its pace was the reason for not giving more. */
export type Claim = { messages: Message[]; retryAt: number | null }

/** What became of messages that were to be accepted. */
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

/** Who tells an address, and for how long it may be relied on. `insteadOf`: a process that has ended. */
export type Hold = { id: string; node: string; untilMs: number; insteadOf?: string }

/** What became of some tellings to one address. */
export type Settlement = Omit<Hold, 'insteadOf'> & {
  /** Where it was told. */
  url: string
  /** Everything up to there was tried. */
  position: number
  /** Whether any of it was taken; not given: nothing was told. */
  isWell?: boolean
  deliveries: readonly Delivery[]
  replay?: { id: string; position: number; isOver: boolean }
  restsUntil: number | null
  disable?: DisabledReason
}

export type DeliveryFilter = { limit: number; beforeSeq?: number; state?: DeliveryState }

/** A stretch of the journal that is told again, and how far that has got. */
export type Replay = { id: string; position: number; untilSeq: number }

/** Whom to forget. `token` takes the place of the number where something must. */
export type Erasure = { environmentId: number; number: string; token: string; limit: number }
export type Erased = { messages: number; received: number; files: number }

export type Old = { environmentId: number; before: number; limit: number }

/** A key's requests are counted in fixed windows of this length. */
export const requestWindowMs = 60_000
export type Window = { startedAt: number; count: number }

export interface Store extends VaultStore, UserStore, SecretStore {
  // Messages
  /** Keeps new messages, all or none but for those whose recipient opted out, queued for their devices or scheduled. */
  accept(messages: readonly NewMessage[], keep?: Keep<Accepted>): Promise<Accepted>
  /** Queues what was scheduled for now or earlier. Returns the devices it is for. */
  fallDue(limit: number): Promise<string[]>
  /** When the next scheduled message falls due. */
  nextDue(): Awaitable<number | undefined>
  /** Hands a device up to `limit` queued messages, oldest first, within its pace. They become `sending`. */
  claim(
    deviceId: string,
    limit: number,
    /** Messages that rest, by seq. */ except?: readonly number[],
  ): Promise<Claim>
  /** The same for a phone that asks. Undefined: it was let in again since, and this is its predecessor asking. */
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
  /** Everything that happened to a message, in order. */
  story(messageSeq: number): Awaitable<JournalEvent[]>
  /** Ends a message that no device has; with `ask`, notes for the device that has it. Returns the state it is in now. */
  cancel(
    environmentId: number,
    id: string,
    ask: boolean,
    keep?: Keep<Status | undefined>,
  ): Promise<Status | undefined>
  /** What a device was handed and has not answered for, oldest first. */
  unanswered(deviceId: string, afterSeq: number, limit: number): Awaitable<Message[]>
  /** What a phone must be shown again: given in this registration, still valid, and not yet acknowledged. */
  unacknowledged(deviceId: string, registration: number, limit: number): Awaitable<Message[]>
  /** The phones that have not acknowledged what they were given before then. */
  slowToAcknowledge(before: number): Awaitable<string[]>
  /** Messages that phones are to be asked not to send. */
  toCancel(limit: number): Awaitable<Message[]>
  /** Queued messages of a device that may go to another one. */
  movable(deviceId: string, limit: number, onlyStrangers?: boolean): Awaitable<Message[]>
  /** Messages that a restore holds back. */
  heldCount(): Awaitable<number>
  /** The device that last exchanged messages with this number since then. */
  lastDevice(environmentId: number, number: string, since: number): Awaitable<string | undefined>

  // Received messages
  /** Keeps a received message once, however often the device hands it over. */
  /** Notes an edit, a deletion or a reaction. False: there is no such message here. */
  amend(amendment: Amendment): Promise<boolean>
  receive(incoming: Incoming): Promise<Received>
  inbox(environmentId: number, filter: InboxFilter): Awaitable<InboxPage>
  media(environmentId: number, id: string): Awaitable<MediaFile | undefined>

  // Conversations
  conversations(environmentId: number, filter: ConversationFilter): Awaitable<ConversationPage>
  /** How many have something that nobody has seen, counted up to a limit. */
  unreadConversations(environmentId: number, limit: number): Awaitable<number>
  thread(
    environmentId: number,
    person: string,
    page: { limit: number; below?: ThreadPlace; withSent: boolean },
  ): Awaitable<Thread>
  /** Somebody has seen all of it. False: this person never wrote. */
  readConversation(environmentId: number, person: string): Promise<boolean>

  // Devices
  enrol(draft: DeviceDraft, keep?: Keep<Device>): Promise<Device>
  change(deviceId: string, change: DeviceChange): Promise<Device | undefined>
  retire(deviceId: string): Promise<Device | undefined>
  /** Notes that a node's link to the device is up or down. */
  /** With `insteadOf`, only if nobody holds the link but whom it names. False: another node was quicker. */
  presence(deviceId: string, node: string, online: boolean, insteadOf?: string | null): Promise<boolean>
  /** Notes that a node ends of its own accord: its devices are offline and free for other nodes. */
  leave(node: string): Promise<void>
  /** Notes that the node is alive. */
  beat(node: string): Promise<void>
  /** All devices, removed ones too. */
  devices(): Awaitable<Device[]>
  loads(): Awaitable<Load[]>
  nodes(): Awaitable<Node[]>
  /** Changes whenever any device does: a cheap way to see that `devices` is worth reading again. */
  devicesVersion(): Awaitable<number>
  /** When the oldest queued message of each device was accepted. */
  oldestWaiting(): Awaitable<{ deviceId: string; createdAt: number }[]>

  /** Keeps what a device says about itself. */
  describe(deviceId: string, description: Description): Promise<void>

  // Android phones
  /** Opens the way in for a phone. False: there is no such device. */
  invite(deviceId: string, invitation: Invitation, keep?: Keep<boolean>): Promise<boolean>
  /** Whether it is worth asking: the token is known, or some code is open. Strangers must not keep the writer busy. */
  mayAdmit(proof: Proof): Awaitable<boolean>
  /** Lets a phone in with a token of its own, which ends the one before. A code is used up; a wrong one is counted. */
  admit(proof: Proof, tokenHash: string): Promise<Phone | undefined>
  /** Notes when a phone did what it does seldom. */
  notePhone(deviceId: string, note: PhoneNote): Promise<void>
  /** All phones whose device was not removed. */
  phones(): Awaitable<Phone[]>
  phoneByToken(tokenHash: string): Awaitable<Phone | undefined>
  /** The phone that posts to this address, or did until lately; then with the key it had then. */
  phoneByHook(hook: string): Awaitable<Phone | undefined>

  // Keys and environments
  addKey(draft: KeyDraft, hash: string, hint: string, keep?: Keep<Key>): Promise<Key>
  revokeKey(id: string): Promise<Key | undefined>
  /** A new key like this one, which goes on working until then. */
  rotateKey(rotation: Rotation, keep?: Keep<Key | undefined>): Promise<Key | undefined>
  touchKey(id: string): Promise<void>
  key(hash: string): Awaitable<Key | undefined>
  keys(): Awaitable<Key[]>
  environments(): Awaitable<Environment[]>
  configure(environmentId: number, settings: Settings): Promise<void>
  /** Counts a request in the key's window. Only where several nodes must share the count. */
  countRequest?(keyId: string): Promise<Window>

  /** Notes under which address the gateway is reached, for commands beside it. */
  announce(publicUrl: string): Promise<void>
  announced(): Awaitable<string | undefined>

  // Answers
  keptAnswer(key: AnswerKey): Awaitable<KeptAnswer | undefined>
  /** Keeps an answer that had no effect on anything else. */
  keepAnswer(keep: Keep<void>): Promise<void>
  /** Forgets answers that are too old to be asked for. Returns how many. */
  forgetAnswers(limit: number): Promise<number>

  // Webhooks
  addWebhook(draft: WebhookDraft, keep?: Keep<Webhook>): Promise<Webhook>
  changeWebhook(environmentId: number, id: string, change: WebhookChange): Promise<Webhook | undefined>
  /** Gives it a new secret; the one before signs too until then. */
  rotateWebhook(
    environmentId: number,
    id: string,
    secret: string,
    previousUntil: number,
    keep?: Keep<Webhook | undefined>,
  ): Promise<Webhook | undefined>
  removeWebhook(environmentId: number, id: string): Promise<boolean>
  /** Clears up after removed ones, some at a time. Returns how much there was. */
  clearRemoved(limit: number): Promise<number>
  webhooks(): Awaitable<Webhook[]>
  webhook(environmentId: number, id: string): Awaitable<Webhook | undefined>
  /** One process at a time tells an address. Undefined: another does, or it is not to be told. */
  holdWebhook(hold: Hold): Promise<Webhook | undefined>
  letGoWebhooks(node: string): Promise<void>
  /** Keeps what became of some tellings. Undefined: another process tells this address now. */
  settle(settlement: Settlement): Promise<Webhook | undefined>
  dueDeliveries(webhookId: string, limit: number): Awaitable<Delivery[]>
  /** When the next delivery is to be tried again. */
  nextDelivery(webhookId: string): Awaitable<number | undefined>
  delivery(webhookId: string, eventSeq: number): Awaitable<DeliveryRecord | undefined>
  deliveries(webhookId: string, filter: DeliveryFilter): Awaitable<DeliveryRecord[]>
  redeliver(webhookId: string, eventSeq: number, keep?: Keep<void>): Promise<void>
  /** Events of this stretch of the journal are told once more. */
  addReplay(webhookId: string, afterSeq: number, untilSeq: number, keep?: Keep<string>): Promise<string>
  nextReplay(webhookId: string): Awaitable<Replay | undefined>
  /** Forgets what became of events that were told before then. Returns how many. */
  forgetDeliveries(before: number, limit: number): Promise<number>

  // Opt-outs
  /** Adds a number to those who want no messages, and cancels what waits for it. */
  optOut(environmentId: number, number: string, source: OptOutSource, keep?: Keep<OptOut>): Promise<OptOut>
  /** Takes it off. False: it was not there. */
  optIn(environmentId: number, number: string): Promise<boolean>
  /** Both names are one person's: whoever opted out under one did under both. True: they did. */
  sameOptOut(environmentId: number, number: string, alias: string): Promise<boolean>
  optOuts(environmentId: number, page: OptOutPage): Awaitable<OptOut[]>
  /** Those of the numbers that opted out. */
  optedOut(environmentId: number, numbers: readonly string[]): Awaitable<Set<string>>

  // Forgetting
  /** Blanks texts and numbers of one person: some of each. Whoever asks goes on until nothing is left. */
  erase(erasure: Erasure): Promise<Erased>
  /** Notes that a person was forgotten, and how much there was of them. */
  noteErased(environmentId: number, counts: Erased): Promise<void>
  /** Forgets texts and files of messages from before then, oldest first. Returns how many; as many as the limit: more may be left. */
  forgetTexts(old: Old): Promise<number>
  /** Removes messages, and what is told of them in the journal, from before then, oldest first. */
  removeOld(old: Old): Promise<number>
  /** Files that belong to nothing any more. */
  removedFiles(limit: number): Awaitable<string[]>
  /** They are gone from the folder. */
  noteRemoved(files: readonly string[]): Promise<void>

  // The journal
  events(afterSeq: number, limit: number): Awaitable<JournalEvent[]>
  /** The same, each with what it is about. */
  tellable(afterSeq: number, limit: number): Awaitable<EventWithSubject[]>
  /** The number of the newest event. */
  journalHead(): Awaitable<number>
  /** The number of the last event before then. */
  seqBefore(at: number): Awaitable<number>

  /** Counts what happened since it was last asked, for `tallies`. Returns how many events it went through. */
  tally(limit: number): Promise<number>
  /** How many are with a device, and for another time; counted up to a limit. */
  underWay(environmentId: number): Awaitable<{ sending: number; scheduled: number }>
  tallies(environmentId: number, since: number): Awaitable<Tally[]>

  /** Throws unless something can be written. */
  ping(): Promise<void>
  close(): Promise<void>
}
