/** Limits parallel downloads: a slow host or a busy environment does not delay the others. */

import { Limiter } from '../core/lib/limiter.ts'
import { limits } from '../core/limits.ts'

export class Turns {
  readonly #lines = new Map<string, { line: Limiter; users: number }>()

  /** Queues for the host first: while waiting there, it takes none of the environment's slots. */
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
