/** Statistics of an environment. */

import type { Fleet } from '../../../core/devices/fleet.ts'
import { isoTime, isoTimeOrNull } from '../../../core/lib/time.ts'
import { sinceOf, statsOf } from '../../../core/stats/stats.ts'
import type { Store } from '../../../core/store.ts'
import { badParameter as bad } from '../../../edge/query.ts'
import type { Action } from '../route.ts'
import type { StatsQuery, StatsResponse } from './stat-schemas.ts'

export type StatParts = {
  store: Pick<Store, 'tallies' | 'oldestWaiting' | 'underWay'>
  fleet: Pick<Fleet, 'candidates'>
  now: () => number
}

/** No place on earth is further from Greenwich. */
const furthestMinutes = 14 * 60

export const stats =
  ({ store, fleet, now }: StatParts): Action<StatsResponse> =>
  async ({ environment, query }) => {
    const { period = '24h', utc_offset: offset = '0' } = query as StatsQuery
    const minutes = Number(offset)
    if (!Number.isInteger(minutes) || Math.abs(minutes) > furthestMinutes)
      throw bad('utc_offset', 'must be minutes ahead of UTC, from -840 to 840')
    const at = now()
    const since = sinceOf(period, at, minutes * 60_000)
    const found = statsOf(await store.tallies(environment.id, since), period, since)
    const underWay = await store.underWay(environment.id)
    const members = fleet.candidates(environment.id)
    const own = new Set(members.map(({ device }) => device.id))
    const oldest = (await store.oldestWaiting())
      .filter(({ deviceId }) => own.has(deviceId))
      .map(({ createdAt }) => createdAt)
    return {
      success: true,
      data: {
        since: isoTime(found.since),
        points: found.points.map(point => ({ ...point, at: isoTime(point.at) })),
        totals: found.totals,
        delivery_rate: found.deliveryRate,
        delivered_within: { half: found.medianSeconds, most: found.slowSeconds },
        errors: found.errors,
        queue: {
          waiting: members.reduce((sum, { load }) => sum + load.waiting, 0),
          sending: underWay.sending,
          scheduled: underWay.scheduled,
          oldest_at: isoTimeOrNull(oldest.length > 0 ? Math.min(...oldest) : null),
        },
      },
    }
  }
