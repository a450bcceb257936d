/** Linking a WhatsApp number over the API: its steps, one JSON object a line, as they happen. */

import type { Device } from '../../../core/devices/device.ts'
import { phoneOf } from '../../../core/devices/device-rules.ts'
import { newcomer } from '../../../core/devices/fleet.ts'
import { kindOf } from '../../../core/devices/kinds/kinds.ts'
import type { LinkTarget, LinkStep as Step } from '../../../core/devices/linking.ts'
import type { Keep } from '../../../core/idempotency.ts'
import { nameOf } from '../../../core/lib/name.ts'
import type { Candidate } from '../../../core/messages/choose.ts'
import { invalid, Problem } from '../../../core/problem.ts'
import { shownDevice } from '../../../core/wire/device.ts'
import { StreamAnswer } from '../../server/stream-answer.ts'
import type { Keeper } from '../idempotency.ts'
import type { Action } from '../route.ts'
import { type DeviceParts, find } from './actions.ts'
import type { LinkRequest, LinkStep } from './link-schemas.ts'

export type LinkParts = DeviceParts & {
  link: (target: LinkTarget, signal: AbortSignal, keep: Keep<Device> | undefined) => AsyncIterable<Step>
}

export const linkNumber =
  (parts: LinkParts): Action<StreamAnswer> =>
  async ({ environment, body, keep }) => {
    const { name, phone = '' } = body as LinkRequest
    const wanted = phoneOf(phone)
    const target = {
      environmentId: environment.id,
      name: nameOf(name),
      ...(wanted !== '' && { phone: wanted }),
    }
    return answer(parts, target, keep)
  }

export const linkDevice =
  (parts: LinkParts): Action<StreamAnswer> =>
  async ({ environment, params, keep }) => {
    const { device } = await find(parts, environment, params.device_id!)
    if (kindOf(device).addedBy !== 'linking')
      throw invalid('', 'Only WhatsApp numbers that are linked to a phone are linked this way.')
    return answer(parts, { device }, keep)
  }

function answer(parts: LinkParts, target: LinkTarget, keep: Keeper): StreamAnswer {
  const kept = keep<Device>(device => linked(parts, newcomer(device)))
  return new StreamAnswer('application/x-ndjson', signal =>
    lines(shown(parts, parts.link(target, signal, kept))),
  )
}

const linked = ({ now }: LinkParts, member: Candidate): LinkStep => ({
  step: 'linked',
  device: shownDevice(member, now()),
})

async function* lines(steps: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const step of steps) yield `${JSON.stringify(step)}\n`
}

async function* shown(parts: LinkParts, steps: AsyncIterable<Step>): AsyncGenerator<LinkStep> {
  for await (const step of steps) {
    if (step.step !== 'linked') {
      yield step
      continue
    }
    // Its line is opened at once.
    await parts.refresh()
    const member = parts.fleet.member(step.device.id)
    if (!member) throw new Problem('internal', 'the device that was linked is gone')
    yield linked(parts, member)
  }
}
