/** Sending messages, and asking for their status. */

import { isoTimeOrNull } from '../../../core/lib/time.ts'
import { isUuid } from '../../../core/lib/uuid.ts'
import type { Canceler } from '../../../core/messages/canceler.ts'
import type { Bulk, Draft, Gateway } from '../../../core/messages/gateway.ts'
import type { NewMessage } from '../../../core/messages/message.ts'
import { measure } from '../../../core/messages/segments.ts'
import { Problem } from '../../../core/problem.ts'
import type { Store } from '../../../core/store.ts'
import { errorOf } from '../../../core/wire/message.ts'
import type { Action } from '../route.ts'
import type {
  BulkRequest,
  BulkResponse,
  CancelResponse,
  SendRequest,
  SendResponse,
  StatusResponse,
} from '../shapes.ts'
import type { PreviewRequest, PreviewResponse } from './preview-schemas.ts'

type Given = Omit<SendRequest, 'to'>

/** What is asked on the wire, in the gateway's own words. */
const draftOf = (given: Given): Draft => ({
  message: given.message,
  ...(given.device_id !== undefined && { deviceId: given.device_id.toLowerCase() }),
  ...(given.media_url !== undefined && { mediaUrl: given.media_url }),
  ...(given.ttl !== undefined && { ttl: given.ttl }),
  ...(given.sim_slot !== undefined && { simSlot: given.sim_slot }),
  ...(given.send_at !== undefined && { sendAt: given.send_at }),
})

export const send =
  (gateway: Pick<Gateway, 'send'>): Action<SendResponse> =>
  async ({ environment, body, keep }) => {
    const given = body as SendRequest
    const draft = { ...draftOf(given), to: given.to }
    // The specification's second environment has no media on the single send: there the field is not even read.
    if (environment.name === 'staging') delete draft.mediaUrl
    const message = await gateway.send(environment, draft, resultOf =>
      keep(accepted => shownIf(resultOf(accepted), sent)),
    )
    return sent(message)
  }

const sent = (message: NewMessage): SendResponse => ({
  success: true,
  message_id: message.id,
  device_id: message.deviceId,
  status: message.sendAt ? 'scheduled' : 'queued',
  to: message.recipient,
  message: message.text,
  ...(message.mediaUrl !== null && { media_url: message.mediaUrl }),
})

const shownIf = <Result>(result: Result | undefined, shown: (result: Result) => object) =>
  result && shown(result)

export const sendBulk =
  (gateway: Pick<Gateway, 'sendBulk'>): Action<BulkResponse> =>
  async ({ environment, body, keep }) => {
    const given = body as BulkRequest
    const draft = { ...draftOf(given), recipients: given.recipients }
    const total = draft.recipients.length
    const shown = (bulk: Bulk) => sentInBulk(bulk, total)
    const bulk = await gateway.sendBulk(environment, draft, resultOf =>
      keep(accepted => shownIf(resultOf(accepted), shown)),
    )
    return shown(bulk)
  }

function sentInBulk({ messages, deviceId, rejected }: Bulk, total: number): BulkResponse {
  const invalid = rejected.filter(({ code }) => code === 'invalid_recipient').length
  return {
    success: true,
    message_ids: messages.map(({ id }) => id),
    device_id: deviceId,
    stats: { total, valid: total - invalid, invalid, queued: messages.length },
    ...(rejected.length > 0 && { rejected }),
  }
}

const asSms = (text: string) => {
  const { segments, encoding } = measure(text)
  return { segments, encoding }
}

export const preview =
  (gateway: Pick<Gateway, 'preview'>): Action<PreviewResponse> =>
  async ({ environment, body }) => {
    const { to, recipients, texts, ...given } = body as PreviewRequest
    const draft = draftOf(given)
    if ((to === undefined) === (recipients === undefined))
      throw new Problem('invalid_request', 'Give either to or recipients.')
    const found = await gateway.preview(environment, { ...draft, recipients: recipients ?? [to!] })
    const { encoding, segments, culprit = null } = found.weight.sms
    const carrier = 'carrier' in found ? found.carrier : undefined
    return {
      success: true,
      data: {
        recipients: found.recipients,
        rejected: found.rejected,
        characters: draft.message.length,
        encoding,
        segments,
        ...(texts && { texts: texts.map(asSms) }),
        culprit,
        device: carrier ? { id: carrier.id, name: carrier.name, kind: carrier.kind } : null,
        expected_seconds: 'carrier' in found ? Math.round(found.seconds) : null,
        problem: 'problem' in found ? { code: found.problem.code, detail: found.problem.message } : null,
      },
    }
  }

export const status =
  (store: Pick<Store, 'message'>): Action<StatusResponse> =>
  async ({ environment, params }) => {
    const id = params.message_id!.toLowerCase()
    const message = isUuid(id) ? await store.message(environment.id, id) : undefined
    if (!message) throw new Problem('message_not_found', 'There is no message with this id.')
    const error = errorOf(message)
    return {
      success: true,
      data: {
        message_id: message.id,
        status: message.status,
        delivered_at: isoTimeOrNull(message.deliveredAt),
        device_id: message.deviceId,
        ...(error && { error }),
      },
    }
  }

export const cancel =
  (canceler: Pick<Canceler, 'cancel'>): Action<CancelResponse> =>
  async ({ environment, params, keep }) => {
    const id = params.message_id!.toLowerCase()
    if (!isUuid(id)) throw new Problem('message_not_found', 'There is no message with this id.')
    const canceled: CancelResponse = { success: true, data: { message_id: id, status: 'canceled' } }
    await canceler.cancel(
      environment,
      id,
      keep(status => (status === 'canceled' ? canceled : undefined)),
    )
    return canceled
  }
