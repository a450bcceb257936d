/** Takes messages back: at once while no device has them, else by asking the device, where it can be asked. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Device } from '../devices/device.ts'
import type { Environment } from '../environment.ts'
import type { Keep } from '../idempotency.ts'
import { Problem } from '../problem.ts'
import type { Store } from '../store.ts'
import type { Message, Status } from './message.ts'

export type CancelerParts = {
  store: Pick<Store, 'message' | 'cancel'>
  device: (id: string) => Device | undefined
  canCancel: (device: Device) => boolean
  /** How long a device has to confirm. */
  patienceMs: number
}

const lookMs = 100

export class Canceler {
  readonly #parts: CancelerParts

  constructor(parts: CancelerParts) {
    this.#parts = parts
  }

  async cancel(environment: Environment, id: string, keep?: Keep<Status | undefined>): Promise<Message> {
    const { store } = this.#parts
    const before = await this.#find(environment, id)
    const status = await store.cancel(environment.id, id, this.#mayAsk(before), keep)
    if (status === 'sending' && this.#mayAsk(before)) await this.#answer(environment, id)
    const after = await this.#find(environment, id)
    if (after.status === 'canceled') return after
    throw new Problem('not_cancelable', refusal(after, this.#mayAsk(before)))
  }

  #mayAsk({ deviceId }: Message): boolean {
    const device = this.#parts.device(deviceId)
    return device !== undefined && this.#parts.canCancel(device)
  }

  async #answer(environment: Environment, id: string): Promise<void> {
    const deadline = performance.now() + this.#parts.patienceMs
    while (performance.now() < deadline) {
      const { status, cancelAsked } = await this.#find(environment, id)
      // `cancelAsked` was cleared: the phone answered that it is too late.
      if (status !== 'sending' || !cancelAsked) return
      await sleep(lookMs)
    }
  }

  async #find(environment: Environment, id: string): Promise<Message> {
    const message = await this.#parts.store.message(environment.id, id)
    if (!message) throw new Problem('message_not_found', 'There is no message with this id.')
    return message
  }
}

function refusal({ status, cancelAsked }: Message, asked: boolean): string {
  if (status !== 'sending') return `The message is ${status} already.`
  if (asked && !cancelAsked) return 'Its phone has begun to send it.'
  return asked
    ? 'Its device has been asked not to send it and has not answered yet. Ask for its status later.'
    : 'A device has the message, and cannot be asked to give it back.'
}
