/** How fast a device may be handed messages: never more than so many SMS parts in any 60 seconds or on one day. */

export type Limits = { perMinute: number | null; perDay: number | null }

/** What the device was handed lately: parts by second for the last minute, and the sum of the current day (UTC). */
export type Pace = {
  recent: readonly (readonly [second: number, parts: number])[]
  day: number
  dayParts: number
  /** People who were written to for the first time on that day. */
  newChats?: number
  /** Nothing may be handed over before: the pause between two messages. */
  restUntil?: number
  /** The same, because the network holds the number back. */
  heldUntil?: number
}

export const freshPace: Pace = { recent: [], day: 0, dayParts: 0 }

const minuteMs = 60_000
const dayMs = 86_400_000
const dayOf = (now: number) => Math.floor(now / dayMs)

/** Whether its sums are those of the day of that moment. */
export const isOfDay = (pace: Pace, at: number): boolean => pace.day === dayOf(at)

/** A second still counts while any moment of it can lie within the last minute: the limit holds in every window. */
const counts = (second: number, now: number) => (second + 1) * 1_000 > now - minuteMs

export const recentParts = (pace: Pace, now: number): number =>
  pace.recent.reduce((sum, [second, parts]) => (counts(second, now) ? sum + parts : sum), 0)

export const dayPartsLeft = (limits: Limits, pace: Pace, now: number): number =>
  limits.perDay === null
    ? Infinity
    : Math.max(0, limits.perDay - (pace.day === dayOf(now) ? pace.dayParts : 0))

/**
 * Whether a message of so many parts may be handed over now. One that is longer than a limit as a whole goes alone, as
 * the first of its minute or day: waiting would not make it shorter, and it would hold up all behind it.
 */
export function mayHand(limits: Limits, pace: Pace, parts: number, now: number): boolean {
  const freshDay = pace.day !== dayOf(now) || pace.dayParts === 0
  if (dayPartsLeft(limits, pace, now) < parts && !(freshDay && parts > (limits.perDay ?? 0))) return false
  if (limits.perMinute === null) return true
  const used = recentParts(pace, now)
  return used === 0 || used + parts <= limits.perMinute
}

export function afterHanding(pace: Pace, parts: number, now: number, isNewChat = false): Pace {
  const second = Math.floor(now / 1_000)
  const recent = pace.recent.filter(([at]) => counts(at, now) && at !== second)
  const sameSecond = pace.recent.find(([at]) => at === second)?.[1] ?? 0
  const day = dayOf(now)
  const met = (pace.day === day ? (pace.newChats ?? 0) : 0) + Number(isNewChat)
  return {
    recent: [...recent, [second, sameSecond + parts]],
    day,
    dayParts: (pace.day === day ? pace.dayParts : 0) + parts,
    ...(met > 0 && { newChats: met }),
  }
}

/** Takes back what was counted for a message that certainly never left. */
export function beforeHanding(pace: Pace, parts: number, handedAt: number): Pace {
  const second = Math.floor(handedAt / 1_000)
  return {
    ...pace,
    recent: pace.recent
      .map(([at, count]) => [at, at === second ? Math.max(0, count - parts) : count] as const)
      .filter(([, count]) => count > 0),
    dayParts: pace.day === dayOf(handedAt) ? Math.max(0, pace.dayParts - parts) : pace.dayParts,
  }
}

/** The earliest time at which a message that may not be handed over now can fit. */
export function nextChance(limits: Limits, pace: Pace, parts: number, now: number): number {
  if (dayPartsLeft(limits, pace, now) < parts) return (dayOf(now) + 1) * dayMs
  const oldest = pace.recent.find(([second]) => counts(second, now))
  return oldest ? (oldest[0] + 1) * 1_000 + minuteMs : now
}

/** Seconds a message would wait behind `waitingParts` others. An estimate: it only compares devices. */
export function expectedWait(
  limits: Limits,
  pace: Pace,
  waitingParts: number,
  parts: number,
  now: number,
): number {
  if (limits.perMinute === null) return waitingParts / 1_000
  const over = recentParts(pace, now) + waitingParts + parts - limits.perMinute
  return over <= 0 ? 0 : (over / limits.perMinute) * 60
}
