/** The list of received messages. */

import { type InboxFilter, pageSize } from '../../../core/inbox/received.ts'
import type { Store } from '../../../core/store.ts'
import { shownReceived } from '../../../core/wire/message.ts'
import { senderOf, timeOf, uuidOf } from '../query.ts'
import type { Action } from '../route.ts'
import type { ReceivedQuery, ReceivedResponse } from '../shapes.ts'

export const received =
  (store: Pick<Store, 'inbox'>): Action<ReceivedResponse> =>
  async ({ environment, query }) => {
    const filter = filterOf(query as ReceivedQuery)
    const { items, total } = await store.inbox(environment.id, filter)
    const totalPages = Math.ceil(total / pageSize)
    return {
      success: true,
      data: items.map(shownReceived),
      pagination: {
        page: filter.page,
        per_page: pageSize,
        total,
        total_pages: totalPages,
        has_more: filter.page < totalPages,
      },
    }
  }

function filterOf({ page = 1, device_id: device, from, since, until }: ReceivedQuery): InboxFilter {
  const deviceId = device === undefined ? undefined : uuidOf('device_id', device)
  return {
    page,
    ...(deviceId !== undefined && { deviceId }),
    ...(from !== undefined && { from: senderOf(from) }),
    ...(since !== undefined && { since: timeOf('since', since) }),
    ...(until !== undefined && { until: timeOf('until', until) }),
  }
}
