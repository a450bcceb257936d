/**
 * MMS that a phone announced and has not downloaded yet. Without mobile data it never does: then at least the
 * announcement is shown, so that nobody waits for an answer to what was never seen.
 */

import type { Vault } from '../../core/devices/vault.ts'
import { attachmentId } from '../../core/inbox/attachment.ts'
import type { Incoming } from '../../core/inbox/received.ts'

type Announced = { incoming: Incoming; at: number }

const type = 'announced-mms'
/** A phone that can download does so within minutes. */
const patienceMs = 15 * 60_000
const mostAnnounced = 100

export class AnnouncedMms {
  readonly #vault: (deviceId: string) => Vault
  readonly #now: () => number

  constructor(vault: (deviceId: string) => Vault, now: () => number) {
    this.#vault = vault
    this.#now = now
  }

  /** When there are too many, the oldest is handed on at once. */
  async note(incoming: Incoming, receive: (incoming: Incoming) => Promise<void>): Promise<void> {
    const { deviceId } = incoming
    const vault = this.#vault(deviceId)
    const known = await this.#all(deviceId)
    if (known.length >= mostAnnounced) {
      const [place, oldest] = known[0]!
      await receive(oldest.incoming)
      await vault.write([{ type, id: place, value: null }])
    }
    const value = JSON.stringify({ incoming, at: this.#now() } satisfies Announced)
    // The phone's own id may hold anything.
    const id = attachmentId(incoming.externalId ?? String(this.#now()))
    await vault.write([{ type, id, value }])
  }

  /** One came from this sender. Downloads do not say which announcement they belong to: the oldest, then. */
  async downloaded(deviceId: string, sender: string): Promise<void> {
    const oldest = (await this.#all(deviceId)).find(([, { incoming }]) => incoming.sender === sender)
    if (oldest) await this.#vault(deviceId).write([{ type, id: oldest[0], value: null }])
  }

  /** Hands on those that were waited for long enough. */
  async overdue(deviceId: string, receive: (incoming: Incoming) => Promise<void>): Promise<void> {
    for (const [id, { incoming, at }] of await this.#all(deviceId)) {
      if (at > this.#now() - patienceMs) continue
      await receive(incoming)
      await this.#vault(deviceId).write([{ type, id, value: null }])
    }
  }

  async #all(deviceId: string): Promise<[string, Announced][]> {
    const found = [...(await this.#vault(deviceId).list(type))]
    return found
      .map(([id, value]): [string, Announced] => [id, JSON.parse(value)])
      .sort(([, a], [, b]) => a.at - b.at)
  }
}
