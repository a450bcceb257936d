/** Work that must see what was there when it was asked for, and never runs twice at once. */

export class Rerun {
  readonly #work: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Whoever comes while a run is under way shares the next one. */
  run(): Promise<void> {
    if (!this.#running) return this.#start()
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.#start()
      })
    return this.#next
  }

  #start(): Promise<void> {
    this.#running = this.#work().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }
}
