/** A limited amount to share: callers take some of it and give it back. */
export class Budget {
  readonly #most: number
  #taken = 0

  constructor(most: number) {
    this.#most = most
  }

  /** How to give it back, or undefined when there is not so much left. */
  take(amount: number): (() => void) | undefined {
    if (this.#taken + amount > this.#most) return undefined
    this.#taken += amount
    let isBack = false
    return () => {
      if (!isBack) this.#taken -= amount
      isBack = true
    }
  }
}
