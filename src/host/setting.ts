/** What a setting is, and how the usual kinds of values are read from text. */

import { isNetwork } from '../core/access/network.ts'

export type Option<T, Default extends string | undefined = string | undefined> = {
  /** What it does, for `basestation config` and the README. */
  about: string
  /** As one would write it; undefined: none. */
  default: Default
  /** Never shown, and also read from the file that `NAME_FILE` names. */
  secret?: true
  /** The value, or a complaint: why the text is not one. */
  read: (text: string) => T | Complaint
}

export class Complaint {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export const text = (given: string) => given
export const whole = (least: number, most: number) => (given: string) => {
  const value = Number(given)
  return /^\d+$/.test(given) && value >= least && value <= most
    ? value
    : new Complaint(`must be a whole number from ${least} to ${most}`)
}
export const flag = (given: string) => {
  if (['1', 'true', 'yes', 'on'].includes(given.toLowerCase())) return true
  if (['0', 'false', 'no', 'off', ''].includes(given.toLowerCase())) return false
  return new Complaint('must be 1, 0, true or false')
}
export const oneOf =
  <T extends string>(...words: readonly T[]) =>
  (given: string) =>
    words.includes(given as T) ? (given as T) : new Complaint(`must be one of ${words.join(', ')}`)
export const origin = (given: string) =>
  URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)
    ? given.replace(/\/+$/, '')
    : new Complaint('must be an http or https address')
export const hostName = (given: string) =>
  /^[a-z0-9.-]+(:\d+)?$/i.test(given) ? given.toLowerCase() : new Complaint('must be a host name')
export const database = (given: string) =>
  /^(sqlite:.+|postgres(ql)?:\/\/.+)$/.test(given)
    ? given
    : new Complaint('must begin with sqlite: or postgres://')
export const hosts = (given: string) =>
  new Set(
    given
      .toLowerCase()
      .split(',')
      .map(host => host.trim()),
  )
export const networks = (given: string) => {
  const list = given.split(',').map(entry => entry.trim())
  const bad = list.find(entry => !isNetwork(entry))
  return bad === undefined ? list : new Complaint(`“${bad}” is neither an address nor a network`)
}

/** Settings that cannot be used: all complaints at once. */
export class ConfigProblem extends Error {
  readonly complaints: readonly string[]
  constructor(complaints: readonly string[]) {
    super(`These settings cannot be used:\n${complaints.map(line => `  ${line}`).join('\n')}`)
    this.complaints = complaints
  }
}
