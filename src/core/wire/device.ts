/** How a device is shown, over the API and on the command line alike. */

import { type AttentionCode, attentionFor } from '../devices/attention.ts'
import type { Device, Load } from '../devices/device.ts'
import { type Enrolment, signsOf } from '../devices/enrolment.ts'
import { sendsMedia } from '../devices/kinds/kind.ts'
import { type Kind, kindOf } from '../devices/kinds/kinds.ts'
import { dayPartsLeft } from '../devices/pace.ts'
import { limitsOf, newChatsLeft, type Safety, warmUpEndsAt } from '../devices/sending-safety.ts'
import { isoTime, isoTimeOrNull } from '../lib/time.ts'
import type { Candidate } from '../messages/choose.ts'

export function shownDevice({ device, online, load }: Omit<Candidate, 'lastChosen'>, now: number) {
  const { appVersion, batteryPercent, model, charging, sims, phoneNumberId } = device.about
  const kind = kindOf(device)
  return {
    id: device.id,
    name: device.name,
    kind: device.kind,
    phone: device.phone,
    ...(device.driver && { driver: device.driver }),
    status: online ? ('online' as const) : ('offline' as const),
    paused: device.paused,
    draining: device.draining,
    per_minute: device.perMinute,
    per_day: device.perDay,
    left_today: bounded(dayPartsLeft(limitsOf(device, now), load.pace, now)),
    waiting: load.waiting,
    attention: attentionOf(device, now).map(code => ({ code, ...attentionFor(code, device.id) })),
    abilities: abilitiesOf(kind),
    ...(kind.addedBy === 'enrolment' && {
      connection: {
        registered_at: isoTimeOrNull(device.connection.registeredAt),
        signs: signsOf(device, online),
      },
    }),
    ...(device.safety && { safety: shownSafety(device, device.safety, load, now) }),
    about: {
      ...(appVersion !== undefined && { app_version: appVersion }),
      ...(model !== undefined && { model }),
      ...(batteryPercent !== undefined && { battery_percent: batteryPercent }),
      ...(charging !== undefined && { charging }),
      ...(sims && { sims: [...sims] }),
      ...(phoneNumberId !== undefined && { phone_number_id: phoneNumberId }),
    },
    seen_at: isoTimeOrNull(device.seenAt),
    created_at: isoTime(device.createdAt),
  }
}

/** A kind that can be added, for somebody who chooses. */
export const shownKind = (kind: Kind) => ({
  kind: kind.name,
  ...(kind.driver && { driver: kind.driver }),
  about: kind.about,
  abilities: abilitiesOf(kind),
})

const abilitiesOf = (kind: Kind) => ({
  title: kind.title,
  added_by: kind.addedBy,
  counts: kind.counts,
  longest_text: kind.longestText,
  media: sendsMedia(kind),
  longest_caption: kind.longestCaption,
  fixed_number: kind.hasFixedNumber,
})

const isRestricted = ({ restrictedUntil }: Device, now: number) => (restrictedUntil ?? 0) > now

const attentionOf = (device: Device, now: number): readonly AttentionCode[] =>
  isRestricted(device, now) ? [...device.attention, 'new_chats_paused'] : device.attention

/** A number without bounds is none in JSON. */
const bounded = (count: number) => (Number.isFinite(count) ? count : null)

function shownSafety(device: Device, safety: Safety, { pace }: Load, now: number) {
  const { restUntil = 0 } = pace
  return {
    gap_least_seconds: safety.gapLeast,
    gap_most_seconds: safety.gapMost,
    new_chats_per_day: safety.newChatsPerDay,
    warm_up_days: safety.warmUpDays,
    warm_up_ends_at: isoTimeOrNull(warmUpEndsAt(device, now)),
    messages_left_today: bounded(dayPartsLeft(limitsOf(device, now), pace, now)),
    new_chats_left_today: bounded(newChatsLeft(device, pace, now)),
    new_chats_paused_until: isoTimeOrNull(isRestricted(device, now) ? device.restrictedUntil : null),
    rests_until: isoTimeOrNull(restUntil > now ? restUntil : null),
  }
}

export const shownEnrolment = ({ codeExpiresAt, shownBy, ...rest }: Enrolment) => ({
  ...rest,
  shown_by: shownBy,
  code_expires_at: isoTimeOrNull(codeExpiresAt),
})
