/** Finds the device that carries a message, or says why there is none. */

import type { Fleet } from '../devices/fleet.ts'
import { sendsMedia } from '../devices/kinds/kind.ts'
import { allKinds, kindOf } from '../devices/kinds/kinds.ts'
import type { Environment } from '../environment.ts'
import { Problem, type ProblemPart, wrong } from '../problem.ts'
import type { Store } from '../store.ts'
import { type Candidate, type Chosen, choose, type Refusal, type Weight } from './choose.ts'
import { checkMediaUrl } from './media-url.ts'

export type CarrierParts = {
  store: Pick<Store, 'lastDevice'>
  fleet: Fleet
  /** Looks at the devices again, now. */
  refresh: () => Promise<void>
  now: () => number
  queueLimit: number
  mediaHttpsOnly: boolean
  /** Hosts whose media may be private. */
  mediaAllowHosts?: ReadonlySet<string>
}

/** A device that last spoke to somebody longer ago than this is as good as any other. */
const familiarMs = 30 * 24 * 3_600_000

export class DeviceFinder {
  readonly #parts: CarrierParts

  constructor(parts: CarrierParts) {
    this.#parts = parts
  }

  /** The device that takes the messages: the named one, or the best that can. */
  async find(
    environment: Environment,
    draft: { deviceId?: string; mediaUrl?: string },
    weight: Weight,
    count: number,
    recipient?: string,
    /** It is sent another time: the device need not be there now. */
    later = false,
  ): Promise<Chosen> {
    const named = draft.deviceId === undefined ? undefined : await this.#named(environment, draft.deviceId)
    if (draft.mediaUrl !== undefined) {
      if (named && !sendsMedia(kindOf(named.device)))
        throw new Problem(
          'media_requires_whatsapp',
          `${named.device.name} cannot send media: it is not a WhatsApp device.`,
        )
      checkMediaUrl(draft.mediaUrl, this.#parts.mediaHttpsOnly, this.#parts.mediaAllowHosts)
    }
    const kinds = named ? [kindOf(named.device)] : allKinds
    if (!kinds.some(kind => weight.fits(kind)))
      throw wrong('message_too_long', '/message', weight.excess(kinds[0]!))
    const carrier: Chosen = named
      ? { candidate: later ? named : await this.#online(named), why: 'named', passed: [] }
      : await this.#chosen(environment, weight, recipient, later)
    const room = this.#parts.queueLimit - this.#parts.fleet.waiting(environment.id)
    if (room < count)
      throw new Problem('queue_full', 'Too many messages are waiting to be sent.', { retryAfter: 60 })
    return carrier
  }

  async #named(environment: Environment, deviceId: string): Promise<Candidate> {
    const { fleet, refresh } = this.#parts
    const find = () => {
      const member = fleet.member(deviceId)
      return member?.device.environmentId === environment.id && member.device.removedAt === null
        ? member
        : undefined
    }
    const member = find()
    if (member) return notDraining(member)
    // It may have been added a moment ago by another process.
    await refresh()
    const fresh = find()
    if (!fresh) throw wrong('invalid_device', '/device_id', 'device_id is not a device of this environment.')
    return notDraining(fresh)
  }

  async #online(member: Candidate): Promise<Candidate> {
    if (!member.online) await this.#parts.refresh()
    if (!member.online)
      throw new Problem('device_offline', `${member.device.name} is offline.`, { retryAfter: 30 })
    return member
  }

  async #chosen(
    environment: Environment,
    weight: Weight,
    recipient: string | undefined,
    later: boolean,
  ): Promise<Chosen> {
    const { fleet, store, now, refresh } = this.#parts
    let candidates = fleet.candidates(environment.id)
    const lastDevice =
      recipient !== undefined && candidates.length > 1
        ? await store.lastDevice(environment.id, recipient, now() - familiarMs)
        : undefined
    let choice = choose(candidates, weight, now(), lastDevice)
    if ('refusals' in choice) {
      await refresh()
      candidates = fleet.candidates(environment.id)
      choice = choose(candidates, weight, now(), lastDevice)
    }
    // Those that can now come first, also for another time.
    if ('refusals' in choice && later) choice = choose(candidates, weight, now(), lastDevice, true)
    if ('candidate' in choice) return choice
    throw noDevice(choice.refusals)
  }
}

function noDevice(refusals: readonly Refusal[]): Problem {
  const reachable = refusals.filter(({ code }) => code !== 'offline' && code !== 'cannot_send_media')
  const tooLong = reachable.find(({ code }) => code === 'message_too_long')
  if (tooLong && reachable.every(({ code }) => code === 'message_too_long'))
    return wrong('message_too_long', '/message', tooLong.detail)
  const errors: ProblemPart[] = refusals
    .slice(0, 50)
    .map(({ deviceId, code, detail }) => ({ pointer: `/devices/${deviceId}`, code, detail }))
  const detail =
    refusals.length === 0 ? 'This environment has no device yet.' : 'No device can take the message now.'
  return new Problem('no_device_available', detail, { errors, retryAfter: 30 })
}

function notDraining(member: Candidate): Candidate {
  const { name, draining } = member.device
  if (draining)
    throw new Problem(
      'device_draining',
      `${name} is draining: it finishes its queue and rejects new messages.`,
      {
        retryAfter: 60,
      },
    )
  return member
}
