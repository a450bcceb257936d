/** An answer that is kept: the same request again gets it, and has no second effect. */

import { hash } from 'node:crypto'
import type { Awaitable } from './lib/awaitable.ts'
import { Problem } from './problem.ts'

export type AnswerKey = {
  environmentId: number
  /** The name of the route, whichever of its paths was used. */
  operation: string
  /** What the client gave as its Idempotency-Key. */
  key: string
}

/** What to keep in the commit of an effect. */
export type Keep<Output> = AnswerKey & {
  /** What was asked for, in short. */
  fingerprint: string
  /** The answer to what the effect turned out to be; undefined: it is none worth keeping. */
  answer: (output: Output) => string | undefined
}

export type KeptAnswer = { fingerprint: string; body: string }

/** For so long a key stands for its first request. */
export const answerMs = 24 * 3_600_000

/** The same for the same request, however its fields are ordered. */
export const fingerprintOf = (request: unknown): string => hash('sha256', ordered(request), 'base64url')

const ordered = (value: unknown): string =>
  JSON.stringify(value, (_name, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? ''

/** The request under this key is being carried out: whoever asks once more, a moment later, gets its answer. */
export const stillRunning = (): Problem =>
  new Problem('idempotency_in_progress', 'A request with this Idempotency-Key is being carried out.')

/** All that a key stands for, in one. */
export const answerName = ({ environmentId, operation, key }: AnswerKey): string =>
  JSON.stringify([environmentId, operation, key])

/** Port: what we need remembered of answers. */
export interface AnswerStore {
  keptAnswer(key: AnswerKey): Awaitable<KeptAnswer | undefined>
  /** Keeps an answer that had no effect on anything else. */
  keepAnswer(keep: Keep<void>): Promise<void>
  /** Forgets answers that are too old to be asked for. Returns how many. */
  forgetAnswers(limit: number): Promise<number>
}
