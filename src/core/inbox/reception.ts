/** What devices report: receipts for messages, and messages that came in. */

import type { Device } from '../devices/device.ts'
import type { Fleet } from '../devices/fleet.ts'
import type { Settings } from '../environment.ts'
import { cut } from '../lib/cut.ts'
import type { News } from '../link.ts'
import type { Failure, Receipt } from '../messages/message.ts'
import { normaliseNumber } from '../people/number.ts'
import { wishOf } from '../people/opt-out.ts'
import type { Store } from '../store.ts'
import type { Amendment } from './amendment.ts'
import { type Incoming, numberOfDevice } from './received.ts'

export type ReceptionParts = {
  store: Pick<Store, 'record' | 'receive' | 'amend'>
  fleet: Pick<Fleet, 'member'>
  /** Looks at the devices again, now. */
  refresh: () => Promise<void>
  settings: (environmentId: number) => Settings
  /** A number in the format of a device's own country, in international format. */
  complete: (number: string, devicePhone: string) => string | undefined
  now: () => number
  /** Called for each receipt, with whether it changed anything. */
  onReceipt?: (receipt: Receipt, moved: boolean) => void
}

/** A device's clock further off than this is not believed. */
const clockSlackMs = 10 * 60_000
const longestText = 100_000
const longestDetail = 500
const longestEmoji = 32
/** No network has longer ones, and an index must hold it. */
const longestSender = 255

export class Reception {
  readonly #parts: ReceptionParts

  constructor(parts: ReceptionParts) {
    this.#parts = parts
  }

  /** What a link may tell about its device. */
  news(device: Device): Omit<News, 'online'> {
    return {
      receipt: receipt => this.record({ ...receipt, deviceId: device.id }),
      received: incoming => this.receive({ ...incoming, deviceId: device.id }),
      amended: (amendment, otherwise) =>
        this.amend({ ...amendment, deviceId: device.id }, otherwise && { ...otherwise, deviceId: device.id }),
    }
  }

  async record(receipt: Receipt): Promise<void> {
    const { store, now, onReceipt } = this.#parts
    const { error } = receipt
    const moved = await store.record({
      ...receipt,
      at: believable(receipt.at, now()),
      ...(error && { error: cleaned(error) }),
    })
    onReceipt?.(receipt, moved)
  }

  async receive(incoming: Incoming): Promise<void> {
    const { fleet, refresh, settings, store } = this.#parts
    // It may have been added a moment ago by another process.
    if (!fleet.member(incoming.deviceId)) await refresh()
    const device = fleet.member(incoming.deviceId)?.device
    const text = clean(incoming.text, longestText)
    const wish = device && wishOf(text, settings(device.environmentId))
    await store.receive({
      ...incoming,
      sender: clean(this.#sender(incoming, device), longestSender),
      text,
      ...(wish && { wish }),
      externalId: incoming.externalId === null ? null : clean(incoming.externalId, longestDetail),
    })
  }

  async amend(amendment: Amendment, otherwise: Incoming | undefined): Promise<void> {
    const { change } = amendment
    const isKnown = await this.#parts.store.amend({
      ...amendment,
      id: clean(amendment.id, longestDetail),
      ...(change.kind === 'edited' && { change: { ...change, text: clean(change.text, longestText) } }),
      ...(change.kind === 'reaction' && { change: { ...change, emoji: clean(change.emoji, longestEmoji) } }),
    })
    if (!isKnown && otherwise) await this.receive(otherwise)
  }

  /** In international format where it can be: networks also tell numbers as one dials them at home. */
  #sender({ sender, metadata }: Incoming, device: Device | undefined): string {
    const number = normaliseNumber(sender)
    if (number !== undefined) return number
    const home = numberOfDevice(metadata, device?.phone ?? '')
    return (home !== '' && this.#parts.complete(sender, home)) || sender
  }
}

const believable = (at: number, now: number) => (Math.abs(at - now) <= clockSlackMs ? at : now)

/** What comes from outside may hold anything; neither database keeps NUL, and no client should meet half a character. */
const clean = (text: string, most: number) => cut(text, most).toWellFormed().replaceAll('\0', '')

/** What a device or a network said may hold anything. */
const cleaned = ({ code, detail, raw }: Failure): Failure => ({
  code,
  ...(detail !== undefined && { detail: clean(detail, longestDetail) }),
  ...(raw !== undefined && { raw: clean(raw, longestDetail) }),
})
