/** What the app says, read with care: fields may be missing, null, of another type, or a stranger's. */

import { createHash } from 'node:crypto'
import type { About, Sim } from '../../core/devices/device.ts'
import { cut } from '../../core/lib/cut.ts'
import { isUuid } from '../../core/lib/uuid.ts'
import type { DeviceTimes, Receipt } from '../../core/messages/message.ts'
import { failureOf } from './failures.ts'

export type Json = Readonly<Record<string, unknown>>

export const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
export const wholeOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) ? (value as number) : undefined

/** Old phones write offsets that nobody can read; then the time of arrival must do. */
export function timeOf(value: unknown): number | undefined {
  const looksRight = typeof value === 'string' && value.length < 40 && /^\d{4}-\d\d-\d\dT/.test(value)
  const at = looksRight ? Date.parse(value) : Number.NaN
  return at > 0 && at < 253_402_300_800_000 ? at : undefined
}

const short = (value: unknown): string | null => {
  const text = textOf(value)
  return text === undefined ? null : cut(text, 80)
}

export function simsOf(value: unknown): readonly Sim[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.slice(0, 8).map((item, index) => {
    const { simNumber, slotIndex, phoneNumber, carrierName } = objectOf(item)
    const slot = wholeOf(simNumber) ?? (wholeOf(slotIndex) ?? index) + 1
    return { slot, number: short(phoneNumber), carrier: short(carrierName) }
  })
}

/** The app hides most of its SIMs' numbers in some calls and tells them in others: what is known stays known. */
export function unmasked(told: readonly Sim[], known: readonly Sim[] = []): readonly Sim[] {
  const fuller = (text: string | null, before: string | null | undefined) =>
    text?.startsWith('*') && before && !before.startsWith('*') && before.endsWith(text.slice(-4))
      ? before
      : text
  return told.map(sim => {
    const before = known.find(({ slot }) => slot === sim.slot)
    return {
      ...sim,
      number: fuller(sim.number, before?.number),
      carrier: fuller(sim.carrier, before?.carrier),
    }
  })
}

/** What the app tells about the phone when it registers or starts. */
export function aboutOf(body: unknown, version: string | undefined): About {
  const { name, simCards } = objectOf(body)
  const sims = simsOf(simCards)
  return {
    ...(version !== undefined && { appVersion: version }),
    ...(textOf(name) !== undefined && { model: short(name)! }),
    ...(sims && { sims }),
  }
}

const ours: ReadonlyMap<string, keyof DeviceTimes> = new Map([
  ['Pending', 'taken'],
  ['Processed', 'processed'],
  ['Sent', 'sent'],
  ['Delivered', 'delivered'],
  ['Failed', 'failed'],
  ['Cancelled', 'canceled'],
])

/** Ours are UUIDs; whatever else a phone speaks of is not about a message of ours. */
export function messageIdOf(value: unknown): string | undefined {
  const id = textOf(value)?.toLowerCase()
  return id !== undefined && isUuid(id) ? id : undefined
}

/**
 * A report is a snapshot: states may have been skipped, and reports overtake each other. What it implies is told step
 * by step, and the gateway moves only forward. An unknown state still shows that the phone has the message.
 */
export function receiptsOf(item: unknown, deviceId: string, now: number): Receipt[] {
  const { id, state, states, recipients } = objectOf(item)
  const messageId = messageIdOf(id)
  if (messageId === undefined) return []
  const times: DeviceTimes = {}
  for (const [name, value] of Object.entries(objectOf(states))) {
    const at = timeOf(value)
    const known = ours.get(name)
    if (known !== undefined && at !== undefined) times[known] = at
  }
  const receipt = (outcome: Receipt['outcome'], error?: Receipt['error']): Receipt => ({
    messageId,
    deviceId,
    outcome,
    at: times[outcome] ?? now,
    times,
    ...(error && { error }),
  })
  const sent = times.sent === undefined ? [] : [receipt('sent')]
  switch (state) {
    case 'Sent':
      return [receipt('sent')]
    case 'Delivered':
      return [...sent, receipt('delivered')]
    case 'Failed':
      return [
        ...sent,
        receipt('failed', failureOf(textOf(objectOf(listOf(recipients)[0]).error), sent.length > 0)),
      ]
    case 'Cancelled':
      return [receipt('canceled')]
    default:
      return [
        {
          ...receipt('taken'),
          times: { taken: now, ...(state === 'Processed' && { processed: now }), ...times },
        },
      ]
  }
}

/** Battery and charger, from the health report that comes with each ping. */
export function powerOf(payload: Json): About {
  const checks = objectOf(objectOf(payload.health).checks)
  const level = objectOf(checks['battery:level']).observedValue
  const charging = objectOf(checks['battery:charging']).observedValue
  return {
    ...(typeof level === 'number' && level >= 0 && level <= 100 && { batteryPercent: Math.round(level) }),
    ...(typeof charging === 'number' && { charging: charging > 0 }),
  }
}

/** What makes two hand-overs the same message although the app gave them two ids. */
export function fingerprintOf(parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}
