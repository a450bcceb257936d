/** The answers that go on for hours: how many each key has open, and their end when the gateway stops. */

import type { ServerResponse } from 'node:http'
import { Problem } from '../core/problem.ts'
import type { StreamAnswer } from './stream-answer.ts'

export class Streams {
  readonly #mostPerKey: number
  readonly #open = new Set<StreamAnswer>()
  readonly #perKey = new Map<string, number>()

  constructor(mostPerKey: number) {
    this.#mostPerKey = mostPerKey
  }

  /** Each event costs time for each stream it goes to: one key must not take it from the others. */
  requireRoom(keyId: string): void {
    if ((this.#perKey.get(keyId) ?? 0) < this.#mostPerKey) return
    throw new Problem(
      'too_many_streams',
      `This key has ${this.#mostPerKey} streams open, which is the most it may have. Close one first.`,
      { retryAfter: 5 },
    )
  }

  add(keyId: string, answer: StreamAnswer, response: ServerResponse): void {
    this.#open.add(answer)
    this.#perKey.set(keyId, (this.#perKey.get(keyId) ?? 0) + 1)
    response.once('close', () => {
      this.#open.delete(answer)
      const left = this.#perKey.get(keyId)! - 1
      if (left > 0) this.#perKey.set(keyId, left)
      else this.#perKey.delete(keyId)
      answer.stop()
    })
  }

  stop(): void {
    for (const answer of this.#open) answer.stop()
  }
}
