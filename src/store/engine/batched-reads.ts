/** Questions asked in the same turn of the event loop are answered together. */

type Waiting<Input, Output> = {
  input: Input
  resolve: (output: Output) => void
  reject: (error: unknown) => void
}

export class BatchedReads<Input, Output> {
  readonly #answer: (inputs: Input[]) => Promise<Output[]>
  #waiting: Waiting<Input, Output>[] = []

  /** The answers come in the order of the inputs. */
  constructor(answer: (inputs: Input[]) => Promise<Output[]>) {
    this.#answer = answer
  }

  ask(input: Input): Promise<Output> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject })
      if (this.#waiting.length === 1) setImmediate(() => void this.#flush())
    })
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting
    this.#waiting = []
    try {
      const outputs = await this.#answer(waiting.map(({ input }) => input))
      for (const [index, { resolve }] of waiting.entries()) resolve(outputs[index]!)
    } catch (error) {
      for (const { reject } of waiting) reject(error)
    }
  }
}
