/** What the gateway says when it refuses: the same codes as on the wire. */

import type { Problem } from './api.ts'

export type ProblemCode = Problem['code']

export class BasestationError extends Error {
  /** Stable: decide by this. `no_answer`: something that is not a gateway answered. */
  readonly code: ProblemCode | 'no_answer'
  readonly status: number
  readonly requestId: string | undefined
  readonly errors: Problem['errors']
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined

  constructor(status: number, problem: Problem | undefined, retryAfter: number | undefined) {
    super(problem?.detail ?? `The address answered ${status}, but not as a Basestation gateway does.`)
    this.name = 'BasestationError'
    this.code = problem?.code ?? 'no_answer'
    this.status = status
    this.requestId = problem?.request_id
    this.errors = problem?.errors
    this.retryAfter = retryAfter
  }
}

export const isProblem = (answer: unknown): answer is Problem =>
  typeof answer === 'object' && answer !== null && 'code' in answer && 'detail' in answer
