/** Work that can wait, and must not be done for each single wish. */

/** Done so long after it was asked for, however often that is, and never more often than that. */
export class Later {
  readonly #ms: number
  readonly #work: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #isAskedAgain = false

  constructor(ms: number, work: () => void) {
    this.#ms = ms
    this.#work = work
  }

  ask(): void {
    if (this.#timer !== undefined) {
      this.#isAskedAgain = true
      return
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#work()
      if (!this.#isAskedAgain) return
      this.#isAskedAgain = false
      this.ask()
    }, this.#ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
