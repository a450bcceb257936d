/** Secrets come from files: arguments can be read by everybody on the machine. */

import { readFileSync } from 'node:fs'
import { type Given, UsageError } from './command.ts'

export function secretFrom(given: Given, option: string): string | undefined {
  const path = given.text(option)
  if (path === undefined) return undefined
  let secret: string
  try {
    secret = readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`--${option}: ${(error as Error).message}`)
  }
  if (secret === '') throw new UsageError(`--${option}: the file is empty`)
  return secret
}
