/** What verbs need: a reader, a writer, and the clock. */

import type { Keep } from '../../core/idempotency.ts'
import type { Dialect, Sql } from './sql.ts'
import type { Verb } from './verb.ts'

export type Ground = {
  dialect: Dialect
  reader: Sql
  /** For what ends in a write: see Driver. */
  unsyncedReader: Sql
  now: () => number
  /** With `keep`, the answer is kept in the same commit. */
  run<Input, Output>(
    verb: Verb<Input, Output>,
    input: Input,
    keep?: Keep<Output> | undefined,
  ): Promise<Output>
  /** The same for a verb that takes what it is called with. */
  write<Input, Output>(verb: Verb<Input, Output>): (input: Input) => Promise<Output>
}
