/** Several gateways on one database, each a process of its own that can be paused, killed and started again. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from './port.ts'

const program = join(import.meta.dirname, 'killable.ts')

export type ClusterOptions = {
  database: string
  /** What all simulated phones put on the air, a line for each message. */
  ledger: string
  environment?: Record<string, string>
}

export class ClusterNode {
  readonly name: string
  readonly port: number
  readonly #options: ClusterOptions
  #child: ChildProcess | undefined
  #starts = 0
  isPaused = false

  private constructor(name: string, port: number, options: ClusterOptions) {
    this.name = name
    this.port = port
    this.#options = options
  }

  static async of(name: string, options: ClusterOptions): Promise<ClusterNode> {
    return new ClusterNode(name, await freePort(), options)
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The name under which it works now: each start is another node. */
  get node(): string {
    return `${this.name}${this.#starts}`
  }

  get pid(): number {
    return this.#child!.pid!
  }

  async start(): Promise<void> {
    const { database, ledger, environment } = this.#options
    this.#starts += 1
    // A name that says nothing about the process: whether it lives must be seen from its lease alone.
    const child = spawn(process.execPath, [program, database, ledger, String(this.port)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...environment, NODE_NAME: this.node },
    })
    this.#child = child
    this.isPaused = false
    child.stdin.write('start\n')
    const died = once(child, 'exit').then(([code]) => {
      throw new Error(`${this.node} ended with ${code} before it listened`)
    })
    await Promise.race([once(child.stdout, 'data'), died])
    died.catch(() => {})
  }

  pause(): void {
    this.isPaused = true
    this.#child!.kill('SIGSTOP')
  }

  resume(): void {
    this.isPaused = false
    this.#child!.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    const exit = once(this.#child!, 'exit')
    this.#child!.kill('SIGKILL')
    await exit
  }

  /** As an operator does; resolves when it has ended. */
  async stop(): Promise<void> {
    const exit = once(this.#child!, 'exit')
    this.#child!.kill('SIGTERM')
    await exit
  }

  /** For good, whatever its state. */
  end(): void {
    this.#child?.kill('SIGKILL')
  }
}
