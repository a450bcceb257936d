/** Versions of the app, and what each one can. */

export type Version = readonly [major: number, minor: number, patch: number]

/** From `me.capcom.smsgateway/1.68.0`, which the app sends with every call but the event stream. */
export function versionOf(userAgent: string | undefined): string | undefined {
  return /^me\.capcom\.smsgateway\/(\d{1,4}\.\d{1,4}(?:\.\d{1,4})?)/.exec(userAgent ?? '')?.[1]
}

export function isAtLeast(version: string | undefined, [major, minor, patch]: Version): boolean {
  if (version === undefined) return false
  const [itsMajor = 0, itsMinor = 0, itsPatch = 0] = version.split('.').map(Number)
  if (itsMajor !== major) return itsMajor > major
  if (itsMinor !== minor) return itsMinor > minor
  return itsPatch >= patch
}

/** Below it the app cannot be notified of messages at once on every phone. */
export const oldestGood: Version = [1, 53, 1]
/** An older app would send a message that is listed as being canceled. */
export const cancels: Version = [1, 67, 0]
