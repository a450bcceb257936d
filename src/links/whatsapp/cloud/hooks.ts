/** What Meta posts: whether it is really Meta, and to which number it belongs. */

import type { AttentionCode } from '../../../core/devices/attention.ts'
import type { Device } from '../../../core/devices/device.ts'
import { cloudNumber } from '../../../core/devices/kinds/whatsapp.ts'
import type { Vault } from '../../../core/devices/vault.ts'
import type { Amendment } from '../../../core/inbox/amendment.ts'
import type { Incoming } from '../../../core/inbox/received.ts'
import type { Receipt } from '../../../core/messages/message.ts'
import { Problem } from '../../../core/problem.ts'
import { TwoPart } from '../two-part.ts'
import { type CloudAccount, readAccount } from './account.ts'
import { type CloudStatus, type Posted, read } from './from-cloud.ts'
import { cloudInboxType } from './line.ts'
import { isSame, isSignedWith } from './signature.ts'

export type CloudHookParts = {
  devices: () => Promise<readonly Device[]>
  vault: (deviceId: string) => Vault
  record: (receipt: Receipt) => Promise<void>
  receive: (incoming: Incoming) => Promise<void>
  amend: (amendment: Amendment, otherwise: Incoming | undefined) => Promise<void>
  /** Makes the device's line read what was put into the vault. */
  wake: (deviceId: string) => void
  heard: (deviceId: string, seenAt: number, attention: readonly AttentionCode[]) => Promise<void>
  now: () => number
}

type Number = { device: Device; account: CloudAccount }

/** How often it is noted that something came. */
const heardMs = 30_000

export class CloudHooks {
  readonly #parts: CloudHookParts

  constructor(parts: CloudHookParts) {
    this.#parts = parts
  }

  /** Meta asks once whether this is the right address. */
  async answers(verifyToken: string): Promise<boolean> {
    const numbers = await this.#numbers()
    return numbers.some(({ account }) => isSame(verifyToken, account.verifyToken))
  }

  /** Everything in it is stored when the promise resolves. */
  async take(body: Buffer, signature: unknown): Promise<void> {
    const numbers = await this.#numbers()
    const own = numbers.filter(({ account }) => isSignedWith(account.appSecret, body, signature))
    if (own.length === 0) throw unsigned()
    for (const posted of read(parsed(body), this.#parts.now())) {
      const number = own.find(({ account }) => account.phoneNumberId === posted.phoneNumberId)
      if (number) await this.#apply(number.device, posted)
    }
  }

  async #numbers(): Promise<Number[]> {
    const { devices, vault } = this.#parts
    const cloud = (await devices()).filter(
      ({ driver, removedAt }) => driver === cloudNumber.driver && removedAt === null,
    )
    const numbers = await Promise.all(
      cloud.map(async device => ({ device, account: await readAccount(vault(device.id)) })),
    )
    return numbers.flatMap(({ device, account }) => (account ? [{ device, account }] : []))
  }

  async #apply(device: Device, { statuses, messages }: Posted): Promise<void> {
    const { record, receive, amend, vault, wake, heard, now } = this.#parts
    if (now() - (device.seenAt ?? 0) > heardMs || device.attention.includes('no_webhook'))
      await heard(
        device.id,
        now(),
        device.attention.filter(code => code !== 'no_webhook'),
      )
    const receipts = await Promise.all(statuses.map(status => this.#receipt(device, status)))
    await Promise.all(receipts.flatMap(receipt => (receipt ? [record(receipt)] : [])))
    for (const message of messages)
      if (message.file) {
        const id = message.incoming.externalId!
        await vault(device.id).write([{ type: cloudInboxType, id, value: JSON.stringify(message) }])
      } else if (message.amendment) {
        const { id: deviceId } = device
        // A withdrawal from a message that is not stored is ignored.
        const otherwise = message.incoming.text === '' ? undefined : { ...message.incoming, deviceId }
        await amend({ ...message.amendment, deviceId }, otherwise)
      } else await receive({ ...message.incoming, deviceId: device.id })
    if (messages.some(({ file }) => file)) wake(device.id)
  }

  /** Undefined: the other half has not left yet. */
  async #receipt(device: Device, { half, ...status }: CloudStatus): Promise<Receipt | undefined> {
    const receipt = { ...status, deviceId: device.id }
    if (half === undefined || status.outcome === 'failed') return receipt
    const halves = new TwoPart(this.#parts.vault(device.id))
    const whole = await halves.note(status.messageId, half, status.outcome)
    return whole && { ...receipt, outcome: whole }
  }
}

export const unsigned = () => new Problem('invalid_signature', 'The signature does not fit any number.')

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new Problem('invalid_json', 'The body is not JSON.')
  }
}
