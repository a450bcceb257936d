/** `Idempotency-Key`: the same request again gets the first one's answer, and has no second effect. */

import { type AnswerKey, answerName, fingerprintOf, type Keep, stillRunning } from '../core/answer.ts'
import { Problem } from '../core/problem.ts'
import type { Store } from '../core/store.ts'

/** Notes that the answer to what comes out of a commit is kept in it. Undefined: the client gave no key. */
export type Keeper = <Output>(answer: (output: Output) => object | undefined) => Keep<Output> | undefined

export const keepNothing: Keeper = () => undefined

export type IdempotencyParts = {
  store: Pick<Store, 'keptAnswer' | 'keepAnswer'>
  /** Answers with secrets in them are kept sealed. */
  seal: (text: string) => string
  open: (sealed: string) => string
}

type Asked = AnswerKey & {
  /** Everything that makes it this request and no other. */
  request: unknown
  isSecret: boolean
}

export type Answered = { body: string; replayed: boolean }

const longestKey = 255

export class Idempotency {
  readonly #parts: IdempotencyParts
  /** Requests that are being carried out here, and what each asks for. */
  readonly #running = new Map<string, string>()

  constructor(parts: IdempotencyParts) {
    this.#parts = parts
  }

  async once(asked: Asked, act: (keep: Keeper) => Promise<object>): Promise<Answered> {
    const { environmentId, operation, key, request, isSecret } = asked
    if (key === '' || key.length > longestKey || /[^\x20-\x7e]/.test(key))
      throw new Problem('invalid_request', `Idempotency-Key must be 1 to ${longestKey} printable characters.`)
    const name = answerName(asked)
    const fingerprint = fingerprintOf(request)
    const running = this.#running.get(name)
    if (running !== undefined) throw running === fingerprint ? stillRunning() : reused()
    this.#running.set(name, fingerprint)
    try {
      const { store, seal, open } = this.#parts
      const kept = await store.keptAnswer(asked)
      if (kept) {
        if (kept.fingerprint !== fingerprint) throw reused()
        return { body: isSecret ? open(kept.body) : kept.body, replayed: true }
      }
      let body: string | undefined
      const keepText = (text: string) => {
        body = text
        return isSecret ? seal(text) : text
      }
      const keep: Keeper = answer => ({
        environmentId,
        operation,
        key,
        fingerprint,
        answer: output => {
          const made = answer(output)
          return made && keepText(JSON.stringify(made))
        },
      })
      const made = await act(keep)
      // What changed nothing, or ended in a later commit than it began in.
      if (body === undefined) await store.keepAnswer(keep(() => made)!)
      return { body: body!, replayed: false }
    } finally {
      this.#running.delete(name)
    }
  }
}

const reused = () =>
  new Problem('idempotency_key_reused', 'This Idempotency-Key was used for another request.')
