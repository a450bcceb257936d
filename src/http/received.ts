/** The list of received messages. */

import { normaliseNumber } from '../core/number.ts'
import { Problem } from '../core/problem.ts'
import { type InboxFilter, pageSize } from '../core/received.ts'
import type { Store } from '../core/store.ts'
import { isoTime, parseTime } from '../core/time.ts'
import type { Action } from './route.ts'
import type { ReceivedQuery, ReceivedResponse } from './schemas.ts'
import { isUuid } from './uuid.ts'

export const received =
  (store: Pick<Store, 'inbox'>): Action<ReceivedResponse> =>
  async ({ environment, query }) => {
    const filter = filterOf(query as ReceivedQuery)
    const { items, total } = await store.inbox(environment.id, filter)
    const totalPages = Math.ceil(total / pageSize)
    return {
      success: true,
      data: items.map(item => ({
        id: item.id,
        from: item.sender,
        message: item.text,
        received_at: isoTime(item.receivedAt),
        device_id: item.deviceId,
        device_name: item.deviceName,
        device_phone: item.devicePhone,
        type: item.type,
        metadata: item.metadata,
      })),
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
  const deviceId = device?.toLowerCase()
  if (deviceId !== undefined && !isUuid(deviceId)) throw bad('device_id', 'must be a UUID')
  if (from?.includes('\0')) throw bad('from', 'must not contain NUL')
  return {
    page,
    ...(deviceId !== undefined && { deviceId }),
    ...(from !== undefined && { from: senderOf(from) }),
    ...(since !== undefined && { since: timeOf('since', since) }),
    ...(until !== undefined && { until: timeOf('until', until) }),
  }
}

/** An unencoded `+` arrives as a blank. Names such as ACME match as they are. */
function senderOf(given: string): string {
  const meant = /^ \d/.test(given) ? `+${given.slice(1)}` : given
  return normaliseNumber(meant) ?? given
}

function timeOf(name: string, given: string): number {
  const at = parseTime(given)
  if (at === undefined) throw bad(name, 'must be an ISO 8601 date-time such as 2026-11-15T09:30:00Z')
  return at
}

const bad = (name: string, detail: string) =>
  new Problem('invalid_request', `${name} ${detail}.`, {
    errors: [{ pointer: `/${name}`, code: 'invalid', detail }],
  })
