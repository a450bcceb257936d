/** Android phones with the SMSGate app: what they ask for and what they report. */

import type { About } from '../../core/device.ts'
import type { Log } from '../../core/log.ts'
import type { Receipt } from '../../core/message.ts'
import { hashDeviceToken, newDeviceToken, type Phone, type Proof } from '../../core/phone.ts'
import type { Incoming } from '../../core/received.ts'
import type { Claim, Store } from '../../core/store.ts'
import { receiptsOf } from './from-phone.ts'
import { read } from './hooks.ts'
import { type Switchboard, seenMs } from './switchboard.ts'
import { messagesToPhone } from './to-phone.ts'

export type AndroidParts = {
  store: Pick<
    Store,
    'admit' | 'notePhone' | 'phoneByToken' | 'phoneByHook' | 'describe' | 'unacknowledged' | 'change'
  >
  switchboard: Switchboard
  /** Hands the device messages, within its pace. */
  claim: (deviceId: string, limit: number) => Promise<Claim>
  record: (receipt: Receipt) => Promise<void>
  receive: (incoming: Incoming) => Promise<void>
  /** Puts a file into the media folder, for good when the promise resolves. */
  saveFile: (id: string, bytes: Buffer) => Promise<void>
  now: () => number
  log: Log
}

/** The app asks once for each time it is told to, so this is what it takes in one go. */
const page = 100

export class AndroidPhones {
  readonly #parts: AndroidParts

  constructor(parts: AndroidParts) {
    this.#parts = parts
  }

  /** Lets a phone in, with a fresh token; whoever used the one before is out. */
  async admit(proof: Proof, about: About): Promise<{ phone: Phone; token: string } | undefined> {
    const { store, switchboard, log } = this.#parts
    const token = newDeviceToken()
    const phone = await store.admit(proof, hashDeviceToken(token))
    if (!phone) return undefined
    await this.heard(phone, about)
    switchboard.contact(phone.device.id).cut(phone.tokenHash)
    log.info({ device: phone.device.id, app: about.appVersion }, 'a phone was enrolled')
    return { phone, token }
  }

  /** The phone that has this token. */
  async find(token: string): Promise<Phone | undefined> {
    return await this.#parts.store.phoneByToken(hashDeviceToken(token))
  }

  async findByHook(hook: string): Promise<Phone | undefined> {
    return await this.#parts.store.phoneByHook(hook)
  }

  /** A phone called: it is alive, and may have said something about itself. */
  async heard(phone: Phone, about: About): Promise<void> {
    const { store, switchboard, now } = this.#parts
    const { device } = phone
    const contact = switchboard.contact(device.id)
    contact.learn(phone)
    contact.called()
    contact.describe(about)
    switchboard.look(contact)
    const news = Object.entries(about).some(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(device.about[name as keyof About]),
    )
    if (news || now() - (device.seenAt ?? 0) >= seenMs)
      await store.describe(device.id, { about, seenAt: now() })
  }

  /** What the phone is to send: what it has not acknowledged yet, then new messages as far as its pace allows. */
  async list({ device, registeredAt }: Phone) {
    const { store, switchboard, claim } = this.#parts
    const again = await store.unacknowledged(device.id, registeredAt ?? 0, page)
    const { messages, retryAt } =
      again.length < page ? await claim(device.id, page - again.length) : { messages: [], retryAt: null }
    const contact = switchboard.contact(device.id)
    if (retryAt !== null) contact.rest(retryAt)
    else if (again.length + messages.length < page) contact.satisfied()
    if (messages.length > 0) contact.expectAcknowledgement()
    const able = switchboard.canCancel(device)
    return messagesToPhone([...again, ...messages].filter(({ cancelAsked }) => able || !cancelAsked))
  }

  /** Reports about messages; those it does not know, or that are not this phone's, change nothing. */
  async report({ device }: Phone, items: readonly unknown[]): Promise<void> {
    const { record, now } = this.#parts
    const receipts = items.flatMap(item => receiptsOf(item, device.id, now()))
    await Promise.all(receipts.map(record))
  }

  /** What came by post, and is known to be the phone's own. */
  async take(phone: Phone, version: About, body: unknown): Promise<void> {
    const { record, receive, saveFile, now } = this.#parts
    const { received, receipt, about } = read(body, phone, now())
    await this.heard(phone, { ...version, ...about })
    if (receipt) await record(receipt)
    if (received) {
      const { files, ...incoming } = received
      // First the files, then the message that names them: a message never names a file that is not there.
      for (const { id, bytes } of files) await saveFile(id, bytes)
      await receive(incoming)
    }
    if (about) await this.#learnNumber(phone, about)
  }

  /** The phone tells its own number only in one place, and often not at all. */
  async #learnNumber({ device }: Phone, { sims = [] }: About): Promise<void> {
    const number = sims.length === 1 ? sims[0]!.number : null
    if (device.phone === '' && number !== null && /^\+\d{7,15}$/.test(number))
      await this.#parts.store.change(device.id, { phone: number })
  }

  /** It has its settings now, and with them the key to sign with. */
  async settled({ device, keyAt }: Phone): Promise<void> {
    const { store, now } = this.#parts
    if (keyAt === null) await store.notePhone(device.id, { keyAt: now() })
  }

  signatureRefused({ device }: Phone): void {
    const { switchboard, log } = this.#parts
    switchboard.contact(device.id).signatureRefused()
    log.warn({ device: device.id }, 'refused what a phone posted: its signature is wrong')
  }
}
