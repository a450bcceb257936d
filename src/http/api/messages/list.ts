/** Looking messages up: lists, and one with its story. */

import type { Fleet } from '../../../core/devices/fleet.ts'
import { isUuid } from '../../../core/lib/uuid.ts'
import { timeline } from '../../../core/messages/timeline.ts'
import { Problem } from '../../../core/problem.ts'
import type { Store } from '../../../core/store.ts'
import { shownMessage } from '../../../core/wire/message.ts'
import { cursorOf, isNumber, placeOf } from '../cursor.ts'
import { numberOf, timeOf, uuidOf } from '../query.ts'
import type { Action } from '../route.ts'
import type { MessageResponse, MessagesQuery, MessagesResponse } from './schemas.ts'

const usualLimit = 25

export const messages =
  (store: Pick<Store, 'messages'>, fleet: Pick<Fleet, 'member'>): Action<MessagesResponse> =>
  async ({ environment, query }) => {
    const given = query as MessagesQuery
    const before = placeOf(given.cursor, isNumber)
    const { items, next } = await store.messages(environment.id, {
      limit: given.limit ?? usualLimit,
      ...(before !== undefined && { beforeSeq: before }),
      ...(given.status !== undefined && { status: given.status }),
      ...(given.device_id !== undefined && { deviceId: uuidOf('device_id', given.device_id) }),
      ...(given.to !== undefined && { recipient: numberOf('to', given.to) }),
      ...(given.batch_id !== undefined && { batchId: uuidOf('batch_id', given.batch_id) }),
      ...(given.contains !== undefined && { contains: given.contains.toLowerCase() }),
      ...(given.since !== undefined && { since: timeOf('since', given.since) }),
      ...(given.until !== undefined && { until: timeOf('until', given.until) }),
    })
    return {
      success: true,
      data: items.map(message => ({
        ...shownMessage(message),
        device_name: fleet.member(message.deviceId)?.device.name ?? '',
      })),
      next_cursor: next === null ? null : cursorOf(next),
    }
  }

export const message =
  (store: Pick<Store, 'message' | 'story'>, fleet: Pick<Fleet, 'member'>): Action<MessageResponse> =>
  async ({ environment, params }) => {
    const id = params.message_id!.toLowerCase()
    const found = isUuid(id) ? await store.message(environment.id, id) : undefined
    if (!found) throw new Problem('message_not_found', 'There is no message with this id.')
    const story = await store.story(found.seq)
    const told = timeline(story, deviceId => fleet.member(deviceId)?.device)
    return { success: true, data: { ...shownMessage(found), timeline: told } }
  }
