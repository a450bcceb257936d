/**
 * Notices a server that was asked and says nothing for too long. What it has said may lie unread while this process is
 * busy or was paused: so it looks once more, after everything was read, before it complains.
 */

const graceMs = 200

/** When something was last heard. Several questions to one server may share it. */
export class Ear {
  heardAt = performance.now()

  heard(): void {
    this.heardAt = performance.now()
  }
}

export class Silence {
  readonly #ms: number
  readonly #complain: () => void
  readonly #ear: Ear
  readonly #begunAt = performance.now()
  #timer: NodeJS.Timeout

  constructor(ms: number, complain: () => void, ear: Ear) {
    this.#ms = ms
    this.#complain = complain
    this.#ear = ear
    this.#timer = setTimeout(() => this.#look(), ms)
  }

  end(): void {
    clearTimeout(this.#timer)
  }

  #look(): void {
    const before = this.#ear.heardAt
    const left = Math.max(this.#begunAt, before) + this.#ms - performance.now()
    this.#timer =
      left > 0
        ? setTimeout(() => this.#look(), left)
        : setTimeout(() => (this.#ear.heardAt === before ? this.#complain() : this.#look()), graceMs)
  }
}

/** The answer, unless it does not come, and nothing else does either. */
export async function unlessSilent<T>(
  ms: number,
  answer: Promise<T>,
  late: () => Error,
  ear = new Ear(),
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const silence = new Silence(ms, () => reject(late()), ear)
  try {
    const given = await Promise.race([answer, promise])
    ear.heard()
    return given
  } finally {
    silence.end()
  }
}
