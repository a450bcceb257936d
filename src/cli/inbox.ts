/** basestation inbox: received messages. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Basestation, ReceivedQuery, ReceivedResponse } from '../../sdk/src/index.ts'
import { type Command, type Given, wholeNumber } from './command.ts'
import { type Output, printable, table } from './output.ts'
import { patience } from './watch.ts'
import { clientOf, clientOptions } from './with-client.ts'

type Item = ReceivedResponse['data'][number]

const lookMs = 1_000

export const inbox: Command = {
  name: 'inbox',
  about: 'List received messages, newest first',
  options: {
    page: { type: 'string', value: 'N', about: 'page, 25 messages each (default: 1)' },
    device: { type: 'string', value: 'ID', about: 'only messages of this device' },
    from: { type: 'string', value: '+…', about: 'only messages from this sender' },
    since: {
      type: 'string',
      value: 'TIME',
      about: 'only messages received at or after this time (ISO 8601)',
    },
    until: { type: 'string', value: 'TIME', about: 'only messages received at or before this time' },
    follow: { type: 'boolean', about: 'show new messages as they come, until interrupted' },
    ...clientOptions,
  },
  async run(context) {
    const { given, output } = context
    const client = clientOf(context)
    if (given.flag('follow')) return follow(client, queryOf(given), output)
    const answer = await client.received(queryOf(given))
    output.show(answer, () =>
      [
        table(
          answer.data.map(item => ({
            'received at': item.received_at,
            from: item.from,
            device: item.device_name,
            message: item.message,
          })),
          ['received at', 'from', 'device', 'message'],
          'No messages.',
        ),
        '',
        `Page ${answer.pagination.page} of ${answer.pagination.total_pages}, ${answer.pagination.total} in all.`,
      ].join('\n'),
    )
    return undefined
  },
}

function queryOf(given: Given): ReceivedQuery {
  const [page, device, from, since, until] = [
    wholeNumber(given, 'page', 1),
    given.text('device'),
    given.text('from'),
    given.text('since'),
    given.text('until'),
  ]
  return {
    ...(page !== undefined && { page }),
    ...(device !== undefined && { device_id: device }),
    ...(from !== undefined && { from }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
}

/**
 * Times never decrease in order of arrival, so asking again from the last one seen misses nothing; what was shown
 * already is known by its id.
 */
async function follow(client: Basestation, query: ReceivedQuery, output: Output): Promise<never> {
  const patiently = patience()
  const shown = new Set<string>()
  let since = query.since
  if (since === undefined) {
    const { data } = await patiently(() => client.received(query))
    since = data[0]?.received_at
    for (const item of data) if (item.received_at === since) shown.add(item.id)
  }
  for (;;) {
    for (const item of await allSince(client, query, since, patiently)) {
      if (shown.has(item.id)) continue
      if (item.received_at !== since) shown.clear()
      shown.add(item.id)
      since = item.received_at
      output.step(item, () => `${item.received_at}  ${printable(item.from)}  ${printable(item.message)}`)
    }
    await sleep(lookMs)
  }
}

/** Oldest first. */
async function allSince(
  client: Basestation,
  query: ReceivedQuery,
  since: string | undefined,
  patiently: ReturnType<typeof patience>,
): Promise<Item[]> {
  const items: Item[] = []
  for (let page = 1; ; page += 1) {
    const answer = await patiently(() =>
      client.received({ ...query, page, ...(since !== undefined && { since }) }),
    )
    items.push(...answer.data)
    if (!answer.pagination.has_more) return items.reverse()
  }
}
