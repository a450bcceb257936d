/** `Idempotency-Key`: the same request again gets the first one's answer, and has no second effect. */

import { type AnswerKey, answerName, fingerprintOf, type Keep, stillRunning } from '../../core/idempotency.ts'
import { Problem } from '../../core/problem.ts'
import type { Store } from '../../core/store.ts'
import { StreamAnswer } from '../server/stream-answer.ts'

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
    const begun = await this.#begin(asked)
    try {
      if (begun.kept !== undefined) return { body: begun.kept, replayed: true }
      const made = await act(begun.keep)
      // No commit has stored the answer: nothing changed, or it took several commits.
      if (begun.body() === undefined) await this.#parts.store.keepAnswer(begun.keep(() => made)!)
      return { body: begun.body()!, replayed: false }
    } finally {
      begun.end()
    }
  }

  /** For an answer that comes in pieces. Only the last is kept, and only if it is worth it. */
  async stream(
    asked: Asked,
    type: string,
    act: (keep: Keeper) => Promise<StreamAnswer>,
  ): Promise<StreamAnswer> {
    const begun = await this.#begin(asked)
    try {
      const { kept } = begun
      const answer = kept === undefined ? await act(begun.keep) : StreamAnswer.again(type, `${kept}\n`)
      answer.whenEnded(begun.end)
      return answer
    } catch (error) {
      begun.end()
      throw error
    }
  }

  async #begin(asked: Asked): Promise<Begun> {
    const { environmentId, operation, key, request, isSecret } = asked
    if (key === '' || key.length > longestKey || /[^\x20-\x7e]/.test(key))
      throw new Problem('invalid_request', `Idempotency-Key must be 1 to ${longestKey} printable characters.`)
    const name = answerName(asked)
    const fingerprint = fingerprintOf(request)
    const running = this.#running.get(name)
    if (running !== undefined) throw running === fingerprint ? stillRunning() : reused()
    this.#running.set(name, fingerprint)
    const end = () => void this.#running.delete(name)
    try {
      const { store, seal, open } = this.#parts
      const kept = await store.keptAnswer(asked)
      if (kept && kept.fingerprint !== fingerprint) throw reused()
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
      return { kept: kept && (isSecret ? open(kept.body) : kept.body), keep, body: () => body, end }
    } catch (error) {
      end()
      throw error
    }
  }
}

/** A request that is being carried out. */
type Begun = {
  /** The answer it had the first time. */
  kept: string | undefined
  keep: Keeper
  /** What was kept of it by now. */
  body: () => string | undefined
  end: () => void
}

const reused = () =>
  new Problem('idempotency_key_reused', 'This Idempotency-Key was used for another request.')
