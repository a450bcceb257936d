/** The program as people run it: commands and the gateway, each a process of its own. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { main } from '../../src/cli/main.ts'
import { until } from './gateway.ts'

const path = join(import.meta.dirname, '../../src/cli/basestation.ts')

// biome-ignore lint/suspicious/noExplicitAny: what is printed has many shapes; the assertions say which
export type Printed = any

/** What every process needs, and nothing that would be a setting. */
export function passedOn(): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE !== undefined && { NODE_COMPILE_CACHE }) }
}

export class Program {
  readonly #environment: Record<string, string>

  constructor(environment: Record<string, string>) {
    this.#environment = { ...passedOn(), LOG_LEVEL: 'error', ...environment }
  }

  start(args: string) {
    const command = [path, ...args.split(' ')]
    return spawn(process.execPath, command, { env: this.#environment, stdio: ['ignore', 'pipe', 'pipe'] })
  }

  /** A gateway that listens. */
  async serve(): Promise<ChildProcess> {
    const gateway = this.start('serve')
    let welcome = ''
    gateway.stdout.on('data', chunk => {
      welcome += chunk
    })
    await until('it listens', () => welcome.includes('/docs'))
    return gateway
  }

  /** Runs a command that tells its steps, one JSON object a line, in a process of its own, and does something at each. */
  async steps(args: string, at: (step: Printed) => void | Promise<void>) {
    const child = this.start(`${args} --json`)
    const steps: Printed[] = []
    let rest = ''
    child.stdout.on('data', chunk => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      for (const line of lines) {
        steps.push(JSON.parse(line))
        void at(steps.at(-1))
      }
    })
    let error = ''
    child.stderr.on('data', chunk => {
      error += chunk
    })
    const [code] = await once(child, 'close')
    return { code, steps, error }
  }

  /** Runs a command here: as the program does, without the time that a process takes to begin. */
  async run(args: string): Promise<Ran> {
    return await ranHere([...args.split(' '), '--json'], this.#environment)
  }

  /** What a command prints as JSON. */
  async json(args: string): Promise<Printed> {
    return JSON.parse((await this.run(args)).out)
  }
}

export type Ran = { code: number; out: string; error: string }

export async function ranHere(args: readonly string[], environment: Record<string, string>): Promise<Ran> {
  let [out, error] = ['', '']
  const before = process.umask(0o077)
  try {
    const code = await main(args, {
      environment,
      write: text => {
        out += text
      },
      complain: text => {
        error += `${text}\n`
      },
    })
    return { code, out, error }
  } finally {
    process.umask(before)
  }
}
