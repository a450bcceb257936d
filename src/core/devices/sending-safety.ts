/** How carefully a number sends that is blocked when it sends too eagerly: a WhatsApp number. */

import type { Limits, Pace } from './pace.ts'

export type Safety = {
  /** Between two messages lies a random time of so many seconds at least, */
  gapLeast: number
  /** and at most. */
  gapMost: number
  /** People it may write to for the first time on one day (UTC); null: no limit. */
  newChatsPerDay: number | null
  /** For so many days after it was added it sends less, and more each day. */
  warmUpDays: number
}

const firstDay = 20
const growth = 1.6
const dayMs = 86_400_000

type Cautious = Limits & {
  safety: Safety | null
  createdAt: number
  /** Until then WhatsApp lets it begin no new chats. */
  restrictedUntil: number | null
}

const ageDays = ({ createdAt }: Cautious, now: number) => Math.max(0, Math.floor((now - createdAt) / dayMs))

/** When its warm-up is over; null: it has none, or had. */
export function warmUpEndsAt(device: Cautious, now: number): number | null {
  const days = device.safety?.warmUpDays ?? 0
  return ageDays(device, now) < days ? device.createdAt + days * dayMs : null
}

/** The limits that hold now: those that were set, and those of the warm-up. */
export function limitsOf(device: Cautious, now: number): Limits {
  const { perMinute, perDay } = device
  if (warmUpEndsAt(device, now) === null) return { perMinute, perDay }
  const warm = Math.round(firstDay * growth ** ageDays(device, now))
  return { perMinute, perDay: Math.min(perDay ?? Infinity, warm) }
}

/** How many people it may write to today for the first time. */
export function newChatsToday(device: Cautious, now: number): number {
  const most = device.safety?.newChatsPerDay ?? Infinity
  if (most === Infinity || warmUpEndsAt(device, now) === null) return most
  return Math.ceil((most * (ageDays(device, now) + 1)) / (device.safety!.warmUpDays + 1))
}

export function newChatsLeft(device: Cautious, pace: Pace, now: number): number {
  if ((device.restrictedUntil ?? 0) > now) return 0
  const met = pace.day === Math.floor(now / dayMs) ? (pace.newChats ?? 0) : 0
  return Math.max(0, newChatsToday(device, now) - met)
}

/** Shorter ones are waited for. */
const longRestMs = 60_000

/** It sends nothing for a while: what waits for it had better go elsewhere. */
export const isResting = ({ heldUntil = 0 }: Pace, now: number): boolean => heldUntil > now + longRestMs

/** It may write to nobody new for a while. */
export const isRestricted = ({ restrictedUntil }: Pick<Cautious, 'restrictedUntil'>, now: number): boolean =>
  (restrictedUntil ?? 0) > now + longRestMs

/** One of both: others come first, and what waits for it may go to them. */
export const isHeldBack = (device: Pick<Cautious, 'restrictedUntil'>, pace: Pace, now: number): boolean =>
  isResting(pace, now) || isRestricted(device, now)

/** When new chats may be begun again, at the earliest, if they may not now. */
export const newChatsAt = ({ restrictedUntil }: Cautious, now: number): number =>
  (restrictedUntil ?? 0) > now ? restrictedUntil! : newDay(now)

const newDay = (now: number) => (Math.floor(now / dayMs) + 1) * dayMs

/** Random: even intervals look automated. */
export const gapMs = ({ gapLeast, gapMost }: Safety): number =>
  Math.round((gapLeast + Math.random() * Math.max(0, gapMost - gapLeast)) * 1_000)

/** What a message costs in time, on average, for comparing devices. */
export const averageGapMs = (safety: Safety | null): number =>
  safety ? ((safety.gapLeast + Math.max(safety.gapLeast, safety.gapMost)) / 2) * 1_000 : 0
