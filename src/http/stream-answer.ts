/** An answer that comes piece by piece, for as long as somebody listens. */
export class StreamAnswer {
  readonly type: string
  readonly #pieces: (signal: AbortSignal) => AsyncIterable<string>
  readonly #stop = new AbortController()

  /** The signal says that nobody listens any more. */
  constructor(type: string, pieces: (signal: AbortSignal) => AsyncIterable<string>) {
    this.type = type
    this.#pieces = pieces
  }

  stop(): void {
    this.#stop.abort()
  }

  text(): AsyncIterable<string> {
    return this.#pieces(this.#stop.signal)
  }
}
