/** Work that is done so many at a time, whoever asks; the rest waits in line. */

export class Limiter {
  readonly #most: number
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(most: number) {
    this.#most = most
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>(resolve => this.#waiting.push(resolve))
    else this.#running += 1
    try {
      return await work()
    } finally {
      // The place goes to whoever waits longest, and only if nobody does is it free.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
