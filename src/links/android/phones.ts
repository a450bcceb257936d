/** Android phones with the SMSGate app: what they ask for and what they report. */

import type { About } from '../../core/devices/device.ts'
import { hashDeviceToken, newDeviceToken, type Phone, type Proof } from '../../core/devices/phone.ts'
import type { Vault } from '../../core/devices/vault.ts'
import { NoRoom } from '../../core/inbox/no-room.ts'
import type { Incoming } from '../../core/inbox/received.ts'
import type { Log } from '../../core/lib/log.ts'
import type { Receipt } from '../../core/messages/message.ts'
import { normaliseNumber } from '../../core/people/number.ts'
import type { Store } from '../../core/store.ts'
import { AnnouncedMms } from './announced-mms.ts'
import { failureOf } from './failures.ts'
import { receiptsOf, unmasked } from './from-phone.ts'
import { type Attachment, read } from './hooks.ts'
import { type Switchboard, seenMs } from './switchboard.ts'
import { messagesToPhone } from './to-phone.ts'

export type AndroidParts = {
  store: Pick<
    Store,
    | 'mayAdmit'
    | 'admit'
    | 'notePhone'
    | 'phoneByToken'
    | 'phoneByHook'
    | 'describe'
    | 'unacknowledged'
    | 'toCancel'
    | 'message'
    | 'change'
  >
  switchboard: Switchboard
  /** Hands the phone messages, within its pace. */
  pull: Store['pull']
  record: (receipt: Receipt) => Promise<void>
  receive: (incoming: Incoming) => Promise<void>
  vault: (deviceId: string) => Vault
  /** Puts a file into the media folder, for good when the promise resolves. */
  saveFile: (id: string, bytes: Buffer) => Promise<void>
  now: () => number
  log: Log
}

/** The app pulls once per nudge, so this is the most it takes at a time. */
const page = 100

export class AndroidPhones {
  readonly #parts: AndroidParts
  readonly #mms: AnnouncedMms

  constructor(parts: AndroidParts) {
    this.#parts = parts
    this.#mms = new AnnouncedMms(parts.vault, parts.now)
  }

  /** Lets a phone in, with a fresh token; the previous token stops working. */
  async admit(proof: Proof, about: About): Promise<{ phone: Phone; token: string } | undefined> {
    const { store, switchboard, log } = this.#parts
    const token = newDeviceToken()
    const phone = await store.admit(proof, hashDeviceToken(token))
    if (!phone) return undefined
    // Learning of a new registration also ends the streams of the one before.
    switchboard.contact(phone.device.id).learn(phone)
    await this.heard(phone, about)
    log.info({ device: phone.device.id, app: about.appVersion }, 'a phone was enrolled')
    return { phone, token }
  }

  /** Whether there is anything for this proof to open. */
  async mayAdmit(proof: Proof): Promise<boolean> {
    return await this.#parts.store.mayAdmit(proof)
  }

  /** The phone that has this token. */
  async find(token: string): Promise<Phone | undefined> {
    return await this.#parts.store.phoneByToken(hashDeviceToken(token))
  }

  async findByHook(hook: string): Promise<Phone | undefined> {
    return await this.#parts.store.phoneByHook(hook)
  }

  /** A phone called: it is alive, and may have said something about itself. */
  async heard(phone: Phone, told: About): Promise<void> {
    const { store, switchboard, now } = this.#parts
    const { device } = phone
    const contact = switchboard.contact(device.id)
    contact.learn(phone)
    contact.called()
    const about = { ...told, ...(told.sims && { sims: unmasked(told.sims, device.about.sims) }) }
    contact.describe(about)
    switchboard.look(contact)
    const news = Object.entries(about).some(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(device.about[name as keyof About]),
    )
    // If its stream is at another node, that one soon sees this call in the database.
    if (news || !contact.hasStream || now() - (device.seenAt ?? 0) >= seenMs)
      await store.describe(device.id, { about, seenAt: now() })
  }

  /**
   * What the phone is to send: what it has not acknowledged yet, then new messages as far as its pace allows; and what it
   * is not to send any more. Undefined: it was let in again meanwhile.
   */
  async list({ device, registration }: Phone) {
    const { store, switchboard, pull } = this.#parts
    const again = await store.unacknowledged(device.id, registration, page)
    const claim = await pull(device.id, registration, page - again.length)
    if (!claim) return undefined
    const contact = switchboard.contact(device.id)
    if (claim.retryAt !== null) contact.rest(claim.retryAt)
    else if (again.length + claim.messages.length < page) contact.satisfied()
    const canceled = switchboard.canCancel(device) ? await store.toCancel(page, device.id) : []
    await this.#giveUp(
      device.id,
      canceled.filter(({ reported }) => reported === null).map(({ id }) => id),
    )
    return messagesToPhone([...again, ...claim.messages, ...canceled])
  }

  /** What it never acknowledged, and is silent about although it was told to cancel it, is canceled. */
  async #giveUp(deviceId: string, messageIds: readonly string[]): Promise<void> {
    const { record, switchboard, now } = this.#parts
    const unknown = switchboard.contact(deviceId).shownToCancel(messageIds)
    await Promise.all(
      unknown.map(messageId => record({ messageId, deviceId, outcome: 'canceled', at: now() })),
    )
  }

  /** Reports about messages; those it does not know, or that are not this phone's, change nothing. */
  async report({ device }: Phone, items: readonly unknown[]): Promise<void> {
    const { record, now } = this.#parts
    const receipts = items.flatMap(item => receiptsOf(item, device.id, now()))
    await Promise.all(receipts.map(record))
  }

  /** What came by post, and is known to be the phone's own. */
  async take(phone: Phone, version: About, body: unknown): Promise<void> {
    const { record, receive, now } = this.#parts
    const { received, announced, receipt, about } = read(body, phone, now())
    await this.heard(phone, { ...version, ...about })
    if (announced) await this.#mms.note(announced, receive)
    // Pings come every few minutes, which is often enough to look.
    if (about) await this.#mms.overdue(phone.device.id, receive)
    if (receipt) await record(receipt.outcome === 'failed' ? await this.#explained(phone, receipt) : receipt)
    if (received) {
      const { files, ...incoming } = received
      // First the files, then the message that names them: a message never names a file that is not there.
      const missing = await this.#save(files)
      await receive(missing === 0 ? incoming : withoutFiles(incoming, missing))
      if (incoming.type === 'mms') await this.#mms.downloaded(phone.device.id, incoming.sender)
    }
    if (about) await this.#learnNumber(phone, about)
  }

  /** Returns how many there was no room for: all or none, so that no partial message looks complete. */
  async #save(files: readonly Attachment[]): Promise<number> {
    const { saveFile, log } = this.#parts
    try {
      for (const { id, bytes } of files) await saveFile(id, bytes)
      return 0
    } catch (error) {
      if (!(error instanceof NoRoom)) throw error
      log.error(
        { err: error, files: files.length },
        'not enough disk space for attachments; stored the message without them',
      )
      return files.length
    }
  }

  /** A failure by post does not say whether the network had taken the message; we may know. */
  async #explained({ device }: Phone, receipt: Receipt): Promise<Receipt> {
    const message = await this.#parts.store.message(device.environmentId, receipt.messageId)
    return { ...receipt, error: failureOf(receipt.error?.detail, (message?.sentAt ?? null) !== null) }
  }

  /** The phone tells its own number only in one place, and often not at all. */
  async #learnNumber({ device }: Phone, { sims = [] }: About): Promise<void> {
    const number = sims.length === 1 ? sims[0]!.number : null
    if (device.phone === '' && number !== null && normaliseNumber(number) === number)
      await this.#parts.store.change(device, { phone: number })
  }

  /** It has its settings now, and with them the key to sign with. */
  async settled({ device, keyAt }: Phone): Promise<void> {
    const { store, now } = this.#parts
    if (keyAt === null) await store.notePhone(device.id, { keyAt: now() })
  }

  signatureRefused({ device }: Phone): void {
    const { switchboard, log } = this.#parts
    switchboard.contact(device.id).signatureRefused()
    log.warn({ device: device.id }, 'rejected a post of a phone: wrong signature')
  }
}

function withoutFiles(incoming: Incoming, missing: number): Incoming {
  const { media: _, ...rest } = incoming
  const { media: __, ...metadata } = incoming.metadata
  return {
    ...rest,
    metadata: { ...metadata, media_missing: missing, media_missing_because: NoRoom.reason },
  }
}
