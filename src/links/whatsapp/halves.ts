/** Messages that go out as two, such as a sound and its words: what is said of the message is the lesser of both. */

import type { Vault } from '../../core/vault.ts'

export const steps = ['sent', 'delivered', 'read'] as const
export type Step = (typeof steps)[number]

/** How far each half has come; -1: nowhere yet. */
type Progress = number[]

const halvesType = 'halves'

export class Halves {
  readonly #vault: Vault
  #last: Promise<unknown> = Promise.resolve()

  constructor(vault: Vault) {
    this.#vault = vault
  }

  /** Notes that a half has come so far, and says how far both have. Undefined: the other has not left yet. */
  note(messageId: string, half: number, step: Step): Promise<Step | undefined> {
    const mine = this.#last.then(
      () => this.#note(messageId, half, step),
      () => this.#note(messageId, half, step),
    )
    this.#last = mine.catch(() => {})
    return mine
  }

  async hasLeft(messageId: string, half: number): Promise<boolean> {
    return (await this.#progress(messageId))[half]! >= 0
  }

  async #note(messageId: string, half: number, step: Step): Promise<Step | undefined> {
    const progress = await this.#progress(messageId)
    progress[half] = Math.max(progress[half]!, steps.indexOf(step))
    // On disk before it is told: after a crash the other half must not seem to be alone.
    await this.#vault.write([{ type: halvesType, id: messageId, value: JSON.stringify(progress) }])
    return steps[Math.min(...progress)]
  }

  async #progress(messageId: string): Promise<Progress> {
    const text = (await this.#vault.read(halvesType, [messageId])).get(messageId)
    return text === undefined ? [-1, -1] : (JSON.parse(text) as Progress)
  }

  async forgetOld(before: number): Promise<void> {
    await this.#vault.forget(halvesType, before)
  }
}
