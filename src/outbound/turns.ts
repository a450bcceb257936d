/** Who may fetch when: one slow host holds up nobody else, and one environment not the other. */

import { Limiter } from '../core/lib/limiter.ts'
import { limits } from '../core/limits.ts'

export class Turns {
  readonly #lines = new Map<string, { line: Limiter; users: number }>()

  /** Waits in the line of the host first: whoever waits there takes no place from the environment's others. */
  run<T>(environmentId: number, host: string, work: () => Promise<T>): Promise<T> {
    const { downloadsPerHost, downloadsPerEnvironment } = limits
    return this.#in(`${environmentId} ${host}`, downloadsPerHost.value, () =>
      this.#in(String(environmentId), downloadsPerEnvironment.value, work),
    )
  }

  async #in<T>(name: string, most: number, work: () => Promise<T>): Promise<T> {
    const known = this.#lines.get(name) ?? { line: new Limiter(most), users: 0 }
    this.#lines.set(name, known)
    known.users += 1
    try {
      return await known.line.run(work)
    } finally {
      known.users -= 1
      if (known.users === 0) this.#lines.delete(name)
    }
  }
}
