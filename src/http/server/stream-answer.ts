/** An answer that comes piece by piece, for as long as somebody listens. */
export class StreamAnswer {
  readonly type: string
  /** It is the end of an answer that was given before. */
  readonly replayed: boolean
  readonly #pieces: (signal: AbortSignal) => AsyncIterable<string>
  readonly #stop = new AbortController()
  #hasBegun = false
  #onEnd = () => {}

  /** The signal aborts when the stream must end. */
  constructor(type: string, pieces: (signal: AbortSignal) => AsyncIterable<string>, replayed = false) {
    this.type = type
    this.replayed = replayed
    this.#pieces = pieces
  }

  static again(type: string, lastPiece: string): StreamAnswer {
    const pieces = async function* () {
      yield lastPiece
    }
    return new StreamAnswer(type, pieces, true)
  }

  /** Called once its last piece is made, which may be after nobody listens any more. */
  whenEnded(onEnd: () => void): void {
    this.#onEnd = onEnd
  }

  stop(): void {
    this.#stop.abort()
    if (!this.#hasBegun) this.#onEnd()
  }

  async *text(): AsyncGenerator<string> {
    this.#hasBegun = true
    try {
      yield* this.#pieces(this.#stop.signal)
    } finally {
      this.#onEnd()
    }
  }
}
