/** Work that is done again and again: when woken, or after an interval. */

/** Milliseconds until the next round; 0: at once; undefined: the loop's usual interval. */
export type Round = () => Promise<number | undefined>

const troubleMs = 1_000

export class Loop {
  readonly #round: Round
  readonly #intervalMs: number
  readonly #onError: (error: unknown) => void
  #running: Promise<void> | undefined
  #stopped = true
  #awake = false
  #rouse: (() => void) | undefined

  constructor(intervalMs: number, round: Round, onError: (error: unknown) => void) {
    this.#intervalMs = intervalMs
    this.#round = round
    this.#onError = onError
  }

  start(): void {
    if (!this.#stopped) return
    this.#stopped = false
    // Stopped and started again at once, the round under way goes on, and there is no second one beside it.
    this.#running = Promise.resolve(this.#running).then(() => this.#run())
  }

  /** Finishes the round under way. Safe to call twice, and before start. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#rouse?.()
    await this.#running
  }

  wake(): void {
    this.#awake = true
    this.#rouse?.()
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      this.#awake = false
      let delay: number | undefined
      try {
        delay = await this.#round()
      } catch (error) {
        this.#onError(error)
        // Trouble seldom ends at once; without a pause a broken disk would also burn the processor.
        delay = troubleMs
        this.#awake = false
      }
      if (delay !== 0) await this.#sleep(delay ?? this.#intervalMs)
    }
  }

  #sleep(ms: number): Promise<void> | undefined {
    if (this.#awake || this.#stopped) return undefined
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        this.#rouse = undefined
        resolve()
      }
      const timer = setTimeout(done, Math.min(ms, 2 ** 31 - 1))
      this.#rouse = done
    })
  }
}
