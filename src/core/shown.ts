/** How a device is shown, over the API and on the command line alike. */

import type { Candidate } from './choose.ts'
import { attentions } from './device.ts'
import type { Enrolment } from './enrolment.ts'
import { isoTime, isoTimeOrNull } from './time.ts'

export function shownDevice({ device, online, load }: Candidate) {
  const { appVersion, batteryPercent, model, charging, sims } = device.about
  return {
    id: device.id,
    name: device.name,
    kind: device.kind,
    phone: device.phone,
    status: online ? ('online' as const) : ('offline' as const),
    paused: device.paused,
    per_minute: device.perMinute,
    per_day: device.perDay,
    waiting: load.waiting,
    attention: device.attention.map(code => ({ code, detail: attentions[code] })),
    about: {
      ...(appVersion !== undefined && { app_version: appVersion }),
      ...(model !== undefined && { model }),
      ...(batteryPercent !== undefined && { battery_percent: batteryPercent }),
      ...(charging !== undefined && { charging }),
      ...(sims && { sims: [...sims] }),
    },
    seen_at: isoTimeOrNull(device.seenAt),
    created_at: isoTime(device.createdAt),
  }
}

export const shownEnrolment = ({ codeExpiresAt, ...rest }: Enrolment) => ({
  ...rest,
  code_expires_at: isoTimeOrNull(codeExpiresAt),
})
