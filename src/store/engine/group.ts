/** Group commit: verbs that are called together share one transaction, and so one wait for the disk. */

import { type Keep, stillRunning } from '../../core/idempotency.ts'
import { answered, type Kept, keepAll } from '../access/kept-responses.ts'
import type { Clock } from './clock.ts'
import { type Driver, StorageFault } from './driver.ts'
import { Transaction } from './transaction.ts'
import type { Verb } from './verb.ts'

type Call = {
  input: unknown
  /** When it came. */
  at: number
  /** The answer to it is kept in the same commit. */
  keep: Keep<unknown> | undefined
  resolve: (output: unknown) => void
  reject: (error: unknown) => void
}
type Waiting = { verb: Verb<never, unknown>; call: Call }
type ByVerb = ReadonlyMap<Verb<never, unknown>, Call[]>

export type GroupOptions = {
  clock: Clock
  /** Calls that may share a transaction. 1: none do, which is only good for comparing. */
  most?: number
  /** Called for each commit, with how many calls it carried and how long it took. */
  onCommit?: (calls: number, seconds: number) => void
  /** Called when storage can no longer be trusted. */
  onFatal?: (error: StorageFault) => void
}

export class Group {
  readonly #driver: Driver
  readonly #options: GroupOptions
  #waiting: Waiting[] = []
  #running = false

  constructor(driver: Driver, options: GroupOptions) {
    this.#driver = driver
    this.#options = options
  }

  run<Input, Output>(verb: Verb<Input, Output>, input: Input, keep?: Keep<Output>): Promise<Output> {
    return new Promise<Output>((resolve, reject) => {
      this.#waiting.push({
        verb: verb as Verb<never, unknown>,
        call: {
          input,
          at: performance.now(),
          keep: keep as Keep<unknown> | undefined,
          resolve: resolve as Call['resolve'],
          reject,
        },
      })
      if (this.#running) return
      this.#running = true
      // Whatever else arrives in this turn of the event loop comes along, and so does what still has to be looked up:
      // answers to questions of this turn come at its end.
      setImmediate(() => setImmediate(() => void this.#drain()))
    })
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.splice(0, this.#options.most ?? 1_000)
      const byVerb = new Map<Verb<never, unknown>, Call[]>()
      for (const { verb, call } of calls) {
        const same = byVerb.get(verb)
        if (same) same.push(call)
        else byVerb.set(verb, [call])
      }
      await this.#commit(byVerb, calls.length)
      // On SQLite everything so far ran without pause: let the requests in that came meanwhile.
      if (this.#waiting.length > 0) await new Promise(setImmediate)
    }
    this.#running = false
  }

  async #commit(byVerb: ByVerb, count: number): Promise<void> {
    const started = performance.now()
    let answers: { call: Call; output: unknown }[]
    try {
      answers = await this.#driver.transact(async sql => {
        const tx = await Transaction.begin(sql, this.#driver.dialect, this.#options.clock)
        const repeated = await repeatedOf(tx, byVerb)
        const outputs: { call: Call; output: unknown }[] = [...repeated].map(call => ({
          call,
          output: again,
        }))
        const kept: Kept[] = []
        for (const [verb, all] of byVerb) {
          const calls = repeated.size === 0 ? all : all.filter(call => !repeated.has(call))
          if (calls.length === 0) continue
          const results = await verb(tx, calls.map(({ input }) => input) as never[])
          for (const [index, call] of calls.entries()) {
            outputs.push({ call, output: results[index] })
            const body = call.keep?.answer(results[index])
            if (body !== undefined) kept.push({ ...call.keep!, body })
          }
        }
        if (kept.length > 0) keepAll(tx, kept)
        tx.finish()
        return outputs
      })
    } catch (error) {
      await this.#refuse(byVerb, count, error)
      return
    }
    this.#options.onCommit?.(count, (performance.now() - started) / 1_000)
    for (const { call, output } of answers) {
      if (output === again) call.reject(stillRunning())
      else call.resolve(output)
    }
  }

  /** One call must not spoil the others': unless storage itself is at fault, each is tried alone. */
  async #refuse(byVerb: ByVerb, count: number, error: unknown): Promise<void> {
    if (error instanceof StorageFault) {
      if (error.fatal) this.#options.onFatal?.(error)
      this.#refuseLate(error)
    }
    for (const [verb, calls] of byVerb)
      for (const call of calls) {
        if (count === 1 || error instanceof StorageFault) call.reject(error)
        else await this.#commit(new Map([[verb, [call]]]), 1)
      }
  }

  /** Those who have waited for a storage that did not come need not wait for it again. */
  #refuseLate(error: StorageFault): void {
    const late = performance.now() - patienceMs
    const isLate = ({ call }: Waiting) => call.at < late
    for (const { call } of this.#waiting.filter(isLate)) call.reject(error)
    this.#waiting = this.#waiting.filter(one => !isLate(one))
  }
}

/** How long a call waits for a commit that then fails, before it fails too. */
const patienceMs = 1_500

/** What a call gets whose answer was kept by another a moment ago. */
const again = Symbol('again')

async function repeatedOf(tx: Transaction, byVerb: ByVerb): Promise<Set<Call>> {
  const keeping = [...byVerb.values()].flat().filter(({ keep }) => keep !== undefined)
  if (keeping.length === 0) return new Set()
  const taken = await answered(
    tx,
    keeping.map(({ keep }) => keep!),
  )
  return new Set(keeping.filter(({ keep }) => taken.has(keep!)))
}
