/** The command line: finds the command, runs it, and says how it ended with a code that scripts can use. */

import { BasestationError } from '../../sdk/src/index.ts'
import { readConfig } from '../config.ts'
import { Problem } from '../core/problem.ts'
import { ConfigProblem } from '../host/setting.ts'
import { version } from '../host/version.ts'
import { type Command, exitCodes, help, Refusal, readWords, UsageError } from './command.ts'
import { allCommands, commandsOf } from './commands.ts'
import { counted, harmless, Output } from './output.ts'
import { Unreachable } from './with-client.ts'

/** Where a command reads its settings, and what it writes to. */
export type Surroundings = {
  environment: Readonly<Record<string, string | undefined>>
  write: (text: string) => void
  complain: (text: string) => void
}

/** Runs a command. Resolves with its exit code. */
export async function main(args: readonly string[], around: Surroundings): Promise<number> {
  try {
    return await run(args, around)
  } catch (error) {
    const { code, name, text } = explained(error)
    const isJson = args.includes('--json')
    around.complain(isJson ? JSON.stringify({ error: { code: name, detail: text } }) : harmless(text))
    return code
  }
}

async function run(args: readonly string[], around: Surroundings): Promise<number> {
  const { environment, write, complain } = around
  const [first = '--help'] = args
  if (first === '--version') {
    write(`${version}\n`)
    return exitCodes.ok
  }
  const family = await commandsOf(first)
  const command = family.find(({ name }) => args.slice(0, name.split(' ').length).join(' ') === name)
  if (!command) {
    const known = family.length > 0 || ['--help', '-h', 'help'].includes(first)
    const text = overview(family.length > 0 ? family : await allCommands())
    if (known && (family.length === 0 || args.includes('--help'))) {
      write(`${text}\n`)
      return exitCodes.ok
    }
    const [, second = '-'] = args
    const given = second.startsWith('-') ? first : `${first} ${second}`
    complain(
      `${known && given === first ? `“${first}” needs a subcommand.` : `There is no command “${given}”.`}\n\n${text}`,
    )
    return exitCodes.usage
  }
  const given = readWords(command, args.slice(command.name.split(' ').length))
  if (given.flag('help')) {
    write(`${help(command)}\n`)
    return exitCodes.ok
  }
  const context = {
    given,
    config: readConfig(environment),
    environment,
    output: new Output(given.flag('json'), write),
  }
  return (await command.run(context)) ?? exitCodes.ok
}

function overview(list: readonly Command[]): string {
  const width = Math.max(...list.map(({ name, words = [] }) => [name, ...words].join(' ').length)) + 2
  return [
    'basestation COMMAND [options]',
    '',
    ...list.map(({ name, words = [], about }) => `  ${[name, ...words].join(' ').padEnd(width)}${about}`),
    '',
    'Every command takes --help and --json. Exit codes: 0 success, 1 failed, 2 usage error, 3 unreachable, 4 refused.',
  ].join('\n')
}

const outOfReach = new Set(['storage_unavailable', 'whatsapp_unreachable'])

type Explained = { code: number; name: string; text: string }

/** What people need to know of an error, and the exit code it stands for. */
function explained(error: unknown): Explained {
  const { message } = error as Error
  if (error instanceof UsageError) return { code: exitCodes.usage, name: 'usage', text: sentence(message) }
  if (error instanceof ConfigProblem) return { code: exitCodes.usage, name: 'settings', text: message }
  if (error instanceof Refusal) return { code: exitCodes.refused, name: 'refused', text: sentence(message) }
  if (error instanceof Unreachable) return { code: exitCodes.unreachable, name: 'unreachable', text: message }
  if (error instanceof BasestationError)
    return { code: exitCodes.refused, name: error.code, text: withReasons(error) }
  if (error instanceof Problem) {
    const code = outOfReach.has(error.code) ? exitCodes.unreachable : exitCodes.refused
    return { code, name: error.code, text: sentence(message) }
  }
  // What the system refused (a folder, an address) is not our bug, and its trace helps nobody.
  const ofSystem =
    (error as { syscall?: string; errcode?: number }).syscall ?? (error as { errcode?: number }).errcode
  return {
    code: exitCodes.failed,
    name: 'failed',
    text: ofSystem === undefined ? String((error as Error).stack) : sentence(message),
  }
}

const sentence = (text: string) =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? '' : '.'}`

function withReasons({ message, errors = [], retryAfter }: BasestationError): string {
  const reasons =
    errors.length > 1 || errors.some(({ pointer }) => pointer.startsWith('/devices/')) ? errors : []
  return [
    message,
    ...reasons.map(({ detail }) => `  ${detail}`),
    ...(retryAfter === undefined ? [] : [`Try again in ${counted(retryAfter, 'second')}.`]),
  ].join('\n')
}
