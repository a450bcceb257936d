/** The load generator in C: compiled when it is needed, it costs the machine far less than one in JavaScript. */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export type Shot = {
  port: number
  connections: number
  requests: number
  /** Requests a second; without it, each connection sends its next as soon as the last was answered. */
  rate?: number
  /** As it goes over the wire. Each ######## in it becomes a number that was not used before. */
  request: string
}

export type Measured = { seconds: number; failed: number; p50: number; p99: number }

export class Generator {
  readonly #program: string

  private constructor(program: string) {
    this.#program = program
  }

  /** Undefined where there is no compiler. */
  static compile(folder: string): Generator | undefined {
    const program = join(folder, 'load')
    const { status } = spawnSync('cc', ['-O2', '-o', program, join(import.meta.dirname, 'load.c')])
    return status === 0 ? new Generator(program) : undefined
  }

  async run({ port, connections, requests, rate = 0, request }: Shot): Promise<Measured> {
    const args = [port, connections, requests, rate].map(String)
    const child = spawn(this.#program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    child.stdin.end(request)
    const [printed] = await Promise.all([text(child.stdout), once(child, 'exit')])
    if (child.exitCode !== 0) throw new Error(`the load generator ended with ${child.exitCode}`)
    const measured = JSON.parse(printed) as Measured
    if (measured.failed > 0) throw new Error(`${measured.failed} requests failed`)
    return measured
  }

  /** Reads whatever comes from a port. Ends with the other side. */
  sink(port: number): void {
    spawn(this.#program, ['sink', String(port)], { stdio: 'ignore' }).unref()
  }
}
