/** ISO 8601 times as people and machines write them. */

const form =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+\- ]\d\d(?::?\d\d)?)?)?$/i

/**
 * Milliseconds since 1970, or undefined. Without an offset a time is UTC and a bare date is midnight UTC. A blank in
 * the place of an offset's sign is read as `+`, because that is what an unencoded `+` becomes in a query string.
 */
export function parseTime(text: string): number | undefined {
  const match = form.exec(text.trim())
  if (!match) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = match
  const at = Date.UTC(+year!, +month! - 1, +day!, +hour, +minute, +second)
  const back = new Date(at)
  // Date.UTC rolls 31 February over into March; a time that does not come back as written does not exist.
  const same =
    back.getUTCFullYear() === +year! &&
    back.getUTCMonth() === +month! - 1 &&
    back.getUTCDate() === +day! &&
    +hour < 24 &&
    +minute < 60 &&
    +second < 60
  if (!same) return undefined
  const offset = zoneOffset(zone)
  if (offset === undefined) return undefined
  return at + Number(fraction.padEnd(3, '0').slice(0, 3)) - offset
}

function zoneOffset(zone: string): number | undefined {
  if (zone.toUpperCase() === 'Z') return 0
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0')
  const hours = Number(digits.slice(0, 2))
  const minutes = Number(digits.slice(2))
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

export const isoTime = (at: number): string => new Date(at).toISOString()
export const isoTimeOrNull = (at: number | null): string | null => (at === null ? null : isoTime(at))

/** Whether so much time has passed. Also when the clock was set back since: rather once too early than an hour too late. */
export const hasPassed = (ms: number, since: number, now: number): boolean => now - since >= ms || since > now
