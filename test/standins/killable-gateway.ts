/** A gateway in another process, killed (-9) and started again. The next one is loaded while the one before runs. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const program = join(import.meta.dirname, 'killable.ts')

export type KillableOptions = {
  database: string
  /** What its simulated phones put on the air, a line for each message. */
  ledger: string
  port?: number
  /** How often it is killed: behind the last kill none is loaded any more. */
  kills: number
  environment?: Record<string, string>
}

export class KillableGateway {
  readonly #options: KillableOptions
  #running: ChildProcess | undefined
  #next: ChildProcess | undefined
  #starts = 0

  constructor(options: KillableOptions) {
    this.#options = options
    this.#next = this.#load()
  }

  /** Resolves with its address when it listens. */
  async start(): Promise<string> {
    const child = this.#next
    if (child === undefined) throw new Error(`it was to be killed ${this.#options.kills} times`)
    this.#running = child
    this.#starts += 1
    child.stdin!.write('start\n')
    const died = once(child, 'exit').then(([code]) => {
      throw new Error(`the gateway ended with ${code} before it listened`)
    })
    const [line] = await Promise.race([once(child.stdout!, 'data'), died])
    died.catch(() => {})
    this.#next = this.#starts <= this.#options.kills ? this.#load() : undefined
    return String(line).trim()
  }

  async kill(): Promise<void> {
    const exit = once(this.#running!, 'exit')
    this.#running!.kill('SIGKILL')
    await exit
  }

  /** Kills it, and starts it again. */
  async restart(): Promise<string> {
    await this.kill()
    return await this.start()
  }

  /** For good. */
  end(): void {
    this.#running?.kill('SIGKILL')
    this.#next?.kill('SIGKILL')
  }

  #load(): ChildProcess {
    const { database, ledger, port = 0, environment } = this.#options
    return spawn(process.execPath, [program, database, ledger, String(port)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    })
  }
}

/** How much is done before the next kill: some, and by chance some more, so that kills come at any point of the work. */
export const untilNextKill = (least: number): number => least + Math.floor(Math.random() * least)
