/** What queries have in common: times, numbers and ids as people write them. */

import { parseTime } from '../../core/lib/time.ts'
import { isUuid } from '../../core/lib/uuid.ts'
import { normaliseNumber } from '../../core/people/number.ts'
import { badParameter as bad } from '../../edge/query.ts'

export function timeOf(name: string, given: string): number {
  const at = parseTime(given)
  if (at === undefined) throw bad(name, 'must be an ISO 8601 date-time such as 2026-11-15T09:30:00Z')
  return at
}

export function uuidOf(name: string, given: string): string {
  const id = given.toLowerCase()
  if (!isUuid(id)) throw bad(name, 'must be a UUID')
  return id
}

/** An unencoded `+` arrives as a blank. Names such as ACME stay as they are. */
export function senderOf(given: string): string {
  const meant = /^ \d/.test(given) ? `+${given.slice(1)}` : given
  return normaliseNumber(meant) ?? given
}

export function numberOf(name: string, given: string): string {
  const number = normaliseNumber(senderOf(given))
  if (number === undefined) throw bad(name, 'must be a number in international format, such as +14155550123')
  return number
}
