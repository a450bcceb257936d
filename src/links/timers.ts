/** What a line has to do later. Nothing of it happens once the line is closed, and nothing keeps the process alive. */

export class Timers {
  readonly #timers = new Set<NodeJS.Timeout>()
  #closed = false

  after(ms: number, work: () => void): void {
    if (this.#closed) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      work()
    }, ms)
    timer.unref()
    this.#timers.add(timer)
  }

  close(): void {
    this.#closed = true
    for (const timer of this.#timers) clearTimeout(timer)
  }
}
