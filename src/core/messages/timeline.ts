/** The story of a message in plain words: why this device, each hand-over, each receipt, and what it means. */

import type { Device } from '../devices/device.ts'
import type { JournalEvent } from '../events/event.ts'
import { isoTime, isoTimeOrNull } from '../lib/time.ts'
import { type DeviceChoice, type Failure, meaningOf, type Status } from './message.ts'

const chosenBecause: Record<string, string> = {
  named: 'The request named this device.',
  familiar: 'This device last exchanged messages with the recipient.',
  only_one: 'It was the only device that could take the message.',
  shortest_wait: 'Of the devices that could take it, this one had the shortest expected wait.',
}

const passedBecause: Record<string, string> = {
  offline: 'It was offline.',
  paused: 'It was paused.',
  draining: 'It was draining.',
  cannot_send_media: 'It cannot send media: it is not a WhatsApp device.',
  message_too_long: 'The text is too long for it.',
  out_of_budget: 'It had no SMS parts left that day.',
  not_familiar: 'Another device last exchanged messages with the recipient.',
  sms_first: 'Without media a phone comes before WhatsApp.',
  longer_wait: 'It would have taken longer.',
  not_its_turn: 'It could have sent the message as soon; it was the other device’s turn.',
}

const movedBecause: Record<string, string> = {
  due: 'Its scheduled time was reached.',
  link_down: 'The connection to the device was lost before the message was sent, so it was queued again.',
  offline: 'Its device was offline for too long, so it went to another one.',
  paused: 'Its device was paused, so it went to another one.',
  removed: 'Its device was removed, so it went to another one.',
  out_of_budget: 'Its device had no SMS parts left that day, so it went to another one.',
  restricted: 'WhatsApp restricts its number for now, so it went to another device.',
  requested: 'It was canceled on request.',
  opted_out: 'The recipient opted out.',
  erased: 'The recipient’s personal data was erased.',
}

/** What an event of a message may hold beside its state. */
type Told = Partial<DeviceChoice> & {
  at?: number
  attempt?: number
  reason?: string
  /** The device it was taken from. */
  from?: string
  error?: Failure
}

type NameOf = (deviceId: string) => Pick<Device, 'name'> | undefined

export function timeline(story: readonly JournalEvent[], deviceNamed: NameOf) {
  const named = (id: string) => ({ id, name: deviceNamed(id)?.name ?? '' })
  // Reactions to a message (no `n`) are not steps of its delivery.
  const steps = story.filter(({ n }) => n !== null)
  return steps.map(({ type, at, n, deviceId, data }) => {
    const { at: deviceAt, attempt, reason, from, error, why, passed = [] } = data as Told
    return {
      sequence: n ?? 0,
      status: type.slice('message.'.length) as Status,
      at: isoTime(at),
      device: deviceId === null ? null : named(deviceId),
      device_at: isoTimeOrNull(deviceAt ?? null),
      ...(attempt !== undefined && { attempt }),
      ...(reason !== undefined && { reason: { code: reason, detail: movedBecause[reason] ?? reason } }),
      ...(from !== undefined && { from_device: named(from) }),
      ...(why !== undefined && {
        chosen: {
          code: why,
          detail: chosenBecause[why] ?? why,
          passed_over: passed.map(({ deviceId: other, code }) => ({
            device: named(other),
            code,
            detail: passedBecause[code] ?? code,
          })),
        },
      }),
      ...(error && { error: shownError(error) }),
    }
  })
}

/** The meaning first; what the network itself said beside it. */
function shownError({ code, raw }: Failure) {
  const { detail, retryable } = meaningOf(code)
  return { code, detail, retryable, ...(raw !== undefined && { raw }) }
}
