/** Which device carries a message. */

import type { Device, Load } from '../devices/device.ts'
import { sendsMedia } from '../devices/kinds/kind.ts'
import { type Kind, kindOf } from '../devices/kinds/kinds.ts'
import { dayPartsLeft, expectedWait } from '../devices/pace.ts'
import { averageGapMs, isHeldBack, limitsOf } from '../devices/sending-safety.ts'
import { type Measure, measure } from './segments.ts'

export type Content = { text: string; media: boolean }

export type Candidate = { device: Device; online: boolean; load: Load; lastChosen: number }

export type Refusal = {
  deviceId: string
  code: 'offline' | 'paused' | 'draining' | 'cannot_send_media' | 'message_too_long' | 'out_of_budget'
  detail: string
}

/** Why a device was chosen. */
export type Reason = 'named' | 'familiar' | 'only_one' | 'shortest_wait'
/** Why another was not. */
export type PassedOver = {
  deviceId: string
  code: Refusal['code'] | 'not_familiar' | 'sms_first' | 'longer_wait' | 'not_its_turn'
}

export type Chosen = { candidate: Candidate; why: Reason; passed: readonly PassedOver[] }
export type Choice = Chosen | { refusals: Refusal[] }

/** What a text weighs for each kind of device. */
export class Weight {
  readonly content: Content
  readonly sms: Measure

  constructor(content: Content) {
    this.content = content
    this.sms = measure(content.text)
  }

  fits(kind: Kind): boolean {
    if (kind.counts === 'sms_parts') return this.sms.segments <= kind.longestText
    return this.content.text.length <= this.#mostCharacters(kind)
  }

  parts(kind: Kind): number {
    return kind.counts === 'sms_parts' ? this.sms.segments : 1
  }

  /** Why it does not fit, in words. */
  excess(kind: Kind): string {
    if (kind.counts === 'messages') {
      const most = `${this.#mostCharacters(kind)}${this.content.media ? ' with media' : ''}`
      return `The text has ${this.content.text.length} characters; ${kind.title}: at most ${most}.`
    }
    const because = this.sms.culprit === undefined ? '' : ` because of the character “${this.sms.culprit}”`
    return `The text takes ${this.sms.segments} SMS segments in ${this.sms.encoding}${because}; at most ${kind.longestText} are allowed.`
  }

  #mostCharacters({ longestText, longestCaption }: Kind): number {
    return this.content.media ? (longestCaption ?? 0) : longestText
  }
}

/** Why this device cannot carry the message now, or undefined when it can. */
export function refusal(
  { device, online, load }: Candidate,
  weight: Weight,
  now: number,
  later = false,
  kind = kindOf(device),
): Refusal | undefined {
  const refuse = (code: Refusal['code'], detail: string): Refusal => ({ deviceId: device.id, code, detail })
  if (!online && !later) return refuse('offline', `${device.name} is offline.`)
  if (weight.content.media && !sendsMedia(kind))
    return refuse('cannot_send_media', `${device.name} cannot send media: it is not a WhatsApp device.`)
  if (!weight.fits(kind)) return refuse('message_too_long', weight.excess(kind))
  if (device.draining) return refuse('draining', `${device.name} is draining.`)
  if (later) return undefined
  if (device.paused) return refuse('paused', `${device.name} is paused.`)
  if (dayPartsLeft(limitsOf(device, now), load.pace, now) - load.waitingParts < weight.parts(kind))
    return refuse('out_of_budget', `${device.name} has no SMS parts left today.`)
  return undefined
}

/**
 * The device that last exchanged messages with the recipient if it can; else SMS before WhatsApp when there is no
 * media, then the shortest expected wait, then the one that has not been chosen for longest.
 */
export function choose(
  candidates: readonly Candidate[],
  weight: Weight,
  now: number,
  lastDevice?: string,
  /** It is for another time: what is offline, paused or out of budget now need not be so then. */
  later = false,
): Choice {
  const refusals: Refusal[] = []
  const able: { candidate: Candidate; rank: readonly number[] }[] = []
  for (const candidate of candidates) {
    const kind = kindOf(candidate.device)
    const no = refusal(candidate, weight, now, later, kind)
    if (no) {
      refusals.push(no)
      continue
    }
    const { device, lastChosen } = candidate
    const rank = [
      // It could take the message, but would sit on it: only if nobody else can.
      isHeldBack(device, candidate.load.pace, now) ? 1 : 0,
      !weight.content.media && kind.counts !== 'sms_parts' ? 1 : 0,
      expectedSeconds(candidate, weight, 1, now, kind),
      lastChosen,
    ]
    able.push({ candidate, rank })
  }
  const known =
    lastDevice === undefined ? undefined : able.find(({ candidate }) => candidate.device.id === lastDevice)
  let best = known ?? able[0]
  if (!best) return { refusals }
  if (!known) for (const one of able) if (before(one.rank, best.rank)) best = one
  const { candidate, rank } = best
  const passed: PassedOver[] = refusals.map(({ deviceId, code }) => ({ deviceId, code }))
  for (const other of able)
    if (other !== best)
      passed.push({
        deviceId: other.candidate.device.id,
        code: known ? 'not_familiar' : passedOver(other.rank, rank),
      })
  const alone = able.length === 1 ? 'only_one' : 'shortest_wait'
  return { candidate, why: known ? 'familiar' : alone, passed }
}

/** What decided between two: a rest, the kind, the wait, or whose turn it was. */
function passedOver(other: readonly number[], best: readonly number[]): PassedOver['code'] {
  const decided = other.findIndex((value, place) => value !== best[place])
  return (['longer_wait', 'sms_first', 'longer_wait', 'not_its_turn'] as const)[decided] ?? 'not_its_turn'
}

/** Seconds until the last of so many messages is handed to the device. An estimate. */
export function expectedSeconds(
  { device, load }: Candidate,
  weight: Weight,
  count: number,
  now: number,
  kind = kindOf(device),
): number {
  const parts = weight.parts(kind)
  const ahead = load.waitingParts + (count - 1) * parts
  const gaps = ((load.waiting + count - 1) * averageGapMs(device.safety)) / 1_000
  return expectedWait(limitsOf(device, now), load.pace, ahead, parts, now) + gaps
}

function before(a: readonly number[], b: readonly number[]): boolean {
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return a[i]! < b[i]!
  return false
}
