/** What a command is, and how its words are read. */

import { type ParseArgsOptionDescriptor, parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import { Problem } from '../core/problem.ts'
import type { Output } from './output.ts'

export type OptionSpec = ParseArgsOptionDescriptor & {
  about: string
  /** What stands for the value in the help, such as N. */
  value?: string
}

export type Given = {
  text(name: string): string | undefined
  flag(name: string): boolean
  words: readonly string[]
}

export type Context = {
  given: Given
  config: Config
  environment: Readonly<Record<string, string | undefined>>
  output: Output
}

export type Command = {
  /** One or two words: `serve`, `keys create`. */
  name: string
  about: string
  /** Words that must follow, such as ID. */
  words?: readonly string[]
  options?: Readonly<Record<string, OptionSpec>>
  /** More for `--help`. */
  more?: string
  /** Returns the exit code; nothing means 0. */
  run(context: Context): Promise<number | undefined>
}

/** Exit codes that scripts can rely on. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, unreachable: 3, refused: 4 } as const

export class UsageError extends Error {}

/** A rule that the API has too. There it names a field; here that is an option, and breaking it is wrong usage. */
export function ruled<Result>(rule: () => Result): Result {
  try {
    return rule()
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid_request') throw error
    const { message, errors = [] } = error
    const field = errors[0]?.pointer.split('/').at(-1)
    const isNamed = field && message.startsWith(`${field} `)
    throw new UsageError(isNamed ? `--${field.replaceAll('_', '-')}${message.slice(field.length)}` : message)
  }
}

/** Valid usage, but not possible in the current state. */
export class Refusal extends Error {}

const everywhere: Readonly<Record<string, OptionSpec>> = {
  json: { type: 'boolean', about: 'print JSON' },
  help: { type: 'boolean', short: 'h', about: 'show this help' },
}

export const optionsOf = (command: Command): Readonly<Record<string, OptionSpec>> => ({
  ...command.options,
  ...everywhere,
})

export function readWords(command: Command, args: readonly string[]): Given {
  const wanted = command.words ?? []
  let parsed: { values: Record<string, unknown>; positionals: string[] }
  try {
    parsed = parseArgs({
      args: [...args],
      options: optionsOf(command),
      allowPositionals: true,
    }) as typeof parsed
  } catch (error) {
    const { message } = error as Error
    const [, name] = /^Option '(--[\w-]+)[^']*' argument is ambiguous/.exec(message) ?? []
    throw new UsageError(name ? `${name} must not begin with a hyphen` : message.split('. ')[0]!)
  }
  const { values, positionals } = parsed
  if (values.help !== true) {
    if (positionals.length < wanted.length) throw new UsageError(`${wanted[positionals.length]} is missing`)
    if (positionals.length > wanted.length)
      throw new UsageError(`“${positionals[wanted.length]}” is an unexpected argument`)
  }
  return {
    text: name => values[name] as string | undefined,
    flag: name => values[name] === true,
    words: positionals,
  }
}

export function required(given: Given, name: string): string {
  const text = given.text(name)
  if (text === undefined || text.trim() === '') throw new UsageError(`--${name} is missing`)
  return text
}

/** A whole number of at least `least`; `none` stands for no limit where that is allowed. */
export function wholeNumber(given: Given, name: string, least: number): number | undefined {
  const text = given.text(name)
  if (text === undefined) return undefined
  if (!/^\d{1,9}$/.test(text) || Number(text) < least)
    throw new UsageError(`--${name} must be a number from ${least}`)
  return Number(text)
}

/** `90d`, `12h`, `30m` as milliseconds. */
export function duration(given: Given, name: string): number | undefined {
  const text = given.text(name)
  if (text === undefined) return undefined
  const match = /^(\d{1,6})([mhdw])$/.exec(text)
  if (!match || Number(match[1]) === 0) throw new UsageError(`--${name} must look like 30m, 12h, 90d or 4w`)
  const unit = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }[match[2] as 'm']
  return Number(match[1]) * unit
}

export function help(command: Command): string {
  const options = optionsOf(command)
  const rows = Object.entries(options).map(([name, { short, value, about, type }]) => [
    `  ${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ` ${value ?? 'TEXT'}` : ''}`,
    about,
  ])
  const width = Math.max(...rows.map(([left]) => left!.length)) + 2
  return [
    `basestation ${[command.name, ...(command.words ?? [])].join(' ')} [options]`,
    '',
    `${command.about}.`,
    ...(command.more ? ['', command.more] : []),
    '',
    ...rows.map(([left, right]) => left!.padEnd(width) + right),
  ].join('\n')
}
