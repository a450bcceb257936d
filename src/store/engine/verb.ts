import type { Transaction } from './transaction.ts'

/** Carries out all calls of one verb that came together. Answers in the order of the calls. */
export type Verb<Input, Output> = (tx: Transaction, inputs: readonly Input[]) => Promise<Output[]>
