/** The answers that go on for hours: how many each key has open, and their end when the gateway stops. */

import type { ServerResponse } from 'node:http'
import { Problem } from '../../core/problem.ts'
import type { StreamAnswer } from './stream-answer.ts'

export class Streams {
  readonly #mostPerKey: number
  readonly #open = new Set<StreamAnswer>()
  readonly #perKey = new Map<string, number>()

  constructor(mostPerKey: number) {
    this.#mostPerKey = mostPerKey
  }

  /**
   * A place for one more, and how to give it back. Each event costs time for each stream it goes to: one key must not
   * take it from the others.
   */
  take(keyId: string): () => void {
    const count = this.#perKey.get(keyId) ?? 0
    if (count >= this.#mostPerKey)
      throw new Problem(
        'too_many_streams',
        `This key has ${this.#mostPerKey} streams open, which is the most it may have. Close one first.`,
        { retryAfter: 5 },
      )
    this.#perKey.set(keyId, count + 1)
    let isBack = false
    return () => {
      if (isBack) return
      isBack = true
      const left = this.#perKey.get(keyId)! - 1
      if (left > 0) this.#perKey.set(keyId, left)
      else this.#perKey.delete(keyId)
    }
  }

  /** Follows a stream to its end, and gives its place back. */
  add(answer: StreamAnswer, response: ServerResponse, leave: () => void): void {
    const end = () => {
      this.#open.delete(answer)
      leave()
      answer.stop()
    }
    this.#open.add(answer)
    response.once('close', end)
    // A connection that is already closed emits no second close event.
    if (response.destroyed || response.socket?.destroyed) end()
  }

  stop(): void {
    for (const answer of this.#open) answer.stop()
  }
}
