/** What the store does: each verb carries out all calls of it that came together, in one transaction. */

import type { Awaitable } from '../../core/lib/awaitable.ts'
import type { Transaction } from './transaction.ts'

/** Answers in the order of the calls. */
export type Verb<Input, Output> = (tx: Transaction, inputs: readonly Input[]) => Promise<Output[]>

/** A verb that carries out one call after the other. */
export const each =
  <Input, Output>(work: (tx: Transaction, input: Input) => Awaitable<Output>): Verb<Input, Output> =>
  async (tx, inputs) => {
    const outputs: Output[] = []
    for (const input of inputs) outputs.push(await work(tx, input))
    return outputs
  }
