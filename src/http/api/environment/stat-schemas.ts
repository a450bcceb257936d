/** The shapes of statistics. */

import { counted, periods } from '../../../core/stats/stats.ts'
import { type Static, Type } from '../../schema.ts'
import { closed, time, words } from '../shapes.ts'

const meanings: Record<(typeof counted)[number], string> = {
  accepted: 'Messages that were accepted.',
  sent: 'Messages that the network took.',
  delivered: 'Messages that arrived.',
  failed: 'Messages that did not and will not arrive.',
  expired: 'Messages whose validity ended before a device took them.',
  unknown: 'Messages that a device took and never answered for.',
  canceled: 'Messages that were canceled.',
  received: 'Messages that came in.',
}
const counts = Object.fromEntries(
  counted.map(word => [word, Type.Integer({ description: meanings[word] })]),
) as Record<(typeof counted)[number], ReturnType<typeof Type.Integer>>
const seconds = (description: string) => Type.Union([Type.Number(), Type.Null()], { description })

export const StatsQuery = Type.Object(
  {
    period: Type.Optional(
      words(Object.keys(periods) as (keyof typeof periods)[], 'How far back; default 24h.'),
    ),
    utc_offset: Type.Optional(
      Type.String({
        description: 'Where days begin, in minutes ahead of UTC, such as 120 or -300. Default 0.',
        pattern: '^-?\\d{1,3}$',
      }),
    ),
  },
  { ...closed, title: 'StatsQuery' },
)
export type StatsQuery = Static<typeof StatsQuery>

export const StatsResponse = Type.Object(
  {
    success: Type.Boolean(),
    data: Type.Object(
      {
        since: time('When the period begins.'),
        points: Type.Array(
          Type.Object({ at: time('When it begins.'), ...counts }, { ...closed, title: 'StatsPoint' }),
          {
            description:
              'By the hour over 24 hours, otherwise by the day. What happened counts when it happened.',
          },
        ),
        totals: Type.Object(counts, closed),
        delivery_rate: Type.Union([Type.Number(), Type.Null()], {
          description: 'Of the messages that ended in this period, the share that arrived; null: none ended.',
        }),
        delivered_within: Type.Object(
          {
            half: seconds('Half of the deliveries took at most so many seconds.'),
            most: seconds('19 of 20 deliveries took at most so many seconds.'),
          },
          closed,
        ),
        errors: Type.Array(
          Type.Object({ code: Type.String(), detail: Type.String(), count: Type.Integer() }, closed),
          { description: 'Why messages did not arrive, the most frequent first.' },
        ),
        queue: Type.Object(
          {
            waiting: Type.Integer({ description: 'Messages that no device has yet.' }),
            sending: Type.Integer({ description: 'With a device that has not answered yet.' }),
            scheduled: Type.Integer({ description: 'For another time.' }),
            oldest_at: Type.Union([time('Since when the oldest of them waits.'), Type.Null()]),
          },
          closed,
        ),
      },
      { ...closed, title: 'Stats' },
    ),
  },
  { ...closed, title: 'StatsResponse' },
)
export type StatsResponse = Static<typeof StatsResponse>
