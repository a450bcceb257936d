/** Messages that go out as two, such as a sound and its words: the status is that of the half further behind. */

import type { Vault } from '../../core/devices/vault.ts'

export const steps = ['sent', 'delivered', 'read'] as const
export type Step = (typeof steps)[number]

const halvesType = 'halves'
const halves = [0, 1]

/** One entry for each step of each half: concurrent writes, also by other nodes, overwrite nothing. */
const placeOf = (messageId: string, half: number, step: Step) => `${messageId}/${half}/${step}`

export class TwoPart {
  readonly #vault: Vault

  constructor(vault: Vault) {
    this.#vault = vault
  }

  /** Stores a half's step and returns the one both have reached. Undefined: the other was not sent yet. */
  async note(messageId: string, half: number, step: Step): Promise<Step | undefined> {
    // Stored before it is reported: after a crash the other half must still find it.
    await this.#vault.write([{ type: halvesType, id: placeOf(messageId, half, step), value: '1' }])
    const reached = await Promise.all(halves.map(one => this.#reached(messageId, one)))
    return steps[Math.min(...reached)]
  }

  async hasLeft(messageId: string, half: number): Promise<boolean> {
    return (await this.#reached(messageId, half)) >= 0
  }

  /** -1: it has not left. */
  async #reached(messageId: string, half: number): Promise<number> {
    const found = await this.#vault.read(
      halvesType,
      steps.map(step => placeOf(messageId, half, step)),
    )
    return steps.findLastIndex(step => found.has(placeOf(messageId, half, step)))
  }

  async forgetOld(before: number): Promise<void> {
    await this.#vault.forget({ type: halvesType, before })
  }
}
