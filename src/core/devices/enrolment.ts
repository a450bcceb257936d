/** How a person connects an Android phone: the secrets to type, and every step. */

import type { EnvironmentName } from '../environment.ts'
import type { Keep } from '../idempotency.ts'
import { Problem } from '../problem.ts'
import type { Store } from '../store.ts'
import type { Device } from './device.ts'
import type { DeviceDraft } from './device-draft.ts'
import { defaultPerMinute } from './kinds.ts'
import { codeMs, hashCode, hashEnrolmentToken, type Invitation, newCode, newEnrolmentToken } from './phone.ts'

/** What can be seen from here of a phone that is being connected. */
export const signs = ['app', 'registered', 'online', 'event_stream', 'settings'] as const
export type Sign = (typeof signs)[number]

type Step = { text: string; shownBy: Sign | null }

export type Enrolment = {
  /** The address to type into the app. */
  url: string
  token: string
  code: string | null
  codeExpiresAt: number | null
  steps: string[]
  /** For each step what shows that it is done; null: only people can see it. */
  shownBy: (Sign | null)[]
  /** Why the address cannot work, or what it needs; null when nothing speaks against it. */
  warning: string | null
}

export type NewDevice = Pick<DeviceDraft, 'environmentId' | 'kind' | 'name' | 'phone'> &
  Partial<Pick<DeviceDraft, 'perMinute' | 'perDay'>>

export type EnrolmentParts = { store: Pick<Store, 'enrol' | 'invite'>; publicUrl: string; now: number }

/** A device that was added, and for an Android phone the way in. */
export type Added = { device: Device; enrolment?: Enrolment }

/** Why a device of this kind cannot be added to this environment. */
export function unfit(kind: Device['kind'], environment: EnvironmentName): string | undefined {
  if (kind === 'simulated' && environment === 'production')
    return 'simulated phones exist only in staging: a production message must never end in a simulated phone'
  return undefined
}

/** Adds a device; for an Android phone with the way in. */
export async function addDevice(
  parts: EnrolmentParts,
  draft: NewDevice,
  withCode: boolean,
  remember?: (addedOf: (device: Device) => Added) => Keep<Device> | undefined,
): Promise<Added> {
  const usual = { perMinute: defaultPerMinute[draft.kind], perDay: null }
  const way = draft.kind === 'android' ? wayIn(parts, withCode) : undefined
  const addedOf = (device: Device): Added => ({ device, ...(way && { enrolment: way.enrolment }) })
  const complete = { ...usual, ...draft, ...(way && { invitation: way.invitation }) }
  return addedOf(await parts.store.enrol(complete, remember?.(addedOf)))
}

/** Makes a new token, which ends the one before, and a one-time code if wanted. */
export async function inviteAndExplain(
  parts: Omit<EnrolmentParts, 'store'> & { store: Pick<Store, 'invite'> },
  device: Device,
  withCode: boolean,
  remember?: (enrolment: Enrolment) => Keep<boolean> | undefined,
): Promise<Enrolment> {
  const { invitation, enrolment } = wayIn(parts, withCode)
  if (!(await parts.store.invite(device.id, invitation, remember?.(enrolment))))
    throw new Problem('device_not_found', 'There is no device with this id.')
  return enrolment
}

function wayIn(
  { publicUrl, now }: Pick<EnrolmentParts, 'publicUrl' | 'now'>,
  withCode: boolean,
): { invitation: Invitation; enrolment: Enrolment } {
  const token = newEnrolmentToken()
  const code = withCode ? newCode() : null
  const codeExpiresAt = code === null ? null : now + codeMs
  const url = `${publicUrl}/mobile/v1`
  const steps = stepsFor(url, token, code)
  return {
    invitation: {
      tokenHash: hashEnrolmentToken(token),
      ...(code !== null && { code: { hash: hashCode(code), expiresAt: codeExpiresAt! } }),
    },
    enrolment: {
      url,
      token,
      code,
      codeExpiresAt,
      steps: steps.map(({ text }) => text),
      shownBy: steps.map(({ shownBy }) => shownBy),
      warning: warningFor(url),
    },
  }
}

/** Which signs of the connection are there now. */
export function signsOf({ about, attention, connection }: Device, online: boolean): Sign[] {
  const { registeredAt, streamAt, keyAt } = connection
  if (registeredAt === null) return []
  const isTold = streamAt !== null && !attention.includes('no_event_stream')
  const found: (Sign | false)[] = [
    about.appVersion !== undefined && !attention.includes('app_outdated') && 'app',
    'registered',
    online && 'online',
    online && isTold && 'event_stream',
    keyAt !== null && 'settings',
  ]
  return found.filter(sign => sign !== false)
}

const stepsFor = (url: string, token: string, code: string | null): Step[] => [
  {
    text: 'Install the SMSGate app (“SMS Gateway for Android”): app-release.apk from the releases of capcom6/android-sms-gateway on GitHub, best 1.70.3 or newer, at least 1.53.1.',
    shownBy: 'app',
  },
  {
    text: 'On Android 13 or newer: open the phone’s Settings → Apps → SMSGate, tap ⋮ and “Allow restricted settings”. Then, in the app, allow SMS and Phone.',
    shownBy: null,
  },
  { text: `In the app: Settings → Cloud server → API URL: ${url}`, shownBy: 'registered' },
  { text: `Settings → Cloud server → Private Token: ${token}`, shownBy: 'registered' },
  { text: 'Settings → Cloud server → Notification channel: SSE Only.', shownBy: 'event_stream' },
  {
    text: 'Settings → System → Battery optimization: switch it off for this app. Keep the phone on its charger.',
    shownBy: null,
  },
  { text: 'Home: switch Start on boot on.', shownBy: null },
  { text: 'Home: switch Cloud server on, and tap the Offline button.', shownBy: 'online' },
  {
    text:
      code === null
        ? 'If the app asks how to register, choose Sign Up and leave everything as it is.'
        : `If the app asks how to register, choose By Code and type ${code} (valid for 10 minutes), or choose Sign Up.`,
    shownBy: 'registered',
  },
  {
    // That it fetched them is seen; that it began anew with them is not.
    text: 'Once it says Online, tap the button twice (offline, online): some settings are taken over only then.',
    shownBy: null,
  },
  {
    text: 'In the phone’s own messages app switch RCS chats off: they never reach other apps.',
    shownBy: null,
  },
]

/** The app speaks plain http to 127.0.0.1 only. */
export function warningFor(url: string): string | null {
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:')
    return /^(127\.|localhost$|\[::1\]$)/.test(hostname)
      ? 'This address leads to the machine that opens it, so a phone reaches itself. Set PUBLIC_URL to the address of this gateway.'
      : null
  if (hostname === '127.0.0.1')
    return 'This address works only for a phone on a USB cable, after: adb reverse tcp:PORT tcp:PORT. Any other phone needs https: set TLS_CERT and TLS_KEY, or put a proxy in front, and set PUBLIC_URL.'.replaceAll(
      'PORT',
      new URL(url).port || '80',
    )
  return 'This address cannot work: the app refuses plain http. Set TLS_CERT and TLS_KEY, or put a proxy in front, and set PUBLIC_URL to an https address.'
}
