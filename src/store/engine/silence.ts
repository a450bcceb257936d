/**
 * Notices a server that was asked and says nothing for too long. What it has said may lie unread while this process is
 * busy or was paused: so it looks once more, after everything was read, before it complains.
 */

const graceMs = 200

export class Silence {
  readonly #ms: number
  readonly #complain: () => void
  #heardAt = performance.now()
  #timer: NodeJS.Timeout

  constructor(ms: number, complain: () => void) {
    this.#ms = ms
    this.#complain = complain
    this.#timer = setTimeout(() => this.#look(), ms)
  }

  heard(): void {
    this.#heardAt = performance.now()
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    const left = this.#heardAt + this.#ms - performance.now()
    const before = this.#heardAt
    this.#timer =
      left > 0
        ? setTimeout(() => this.#look(), left)
        : setTimeout(() => (this.#heardAt === before ? this.#complain() : this.#look()), graceMs)
  }
}

/** The answer, unless it does not come in time. */
export async function unlessSilent<T>(ms: number, answer: Promise<T>, late: () => Error): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const silence = new Silence(ms, () => reject(late()))
  try {
    return await Promise.race([answer, promise])
  } finally {
    silence.end()
  }
}
