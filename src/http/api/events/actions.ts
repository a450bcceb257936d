/** The journal over HTTP: page by page, or as it is written. */

import { eventIdOf, eventTypes, type Interest, seqOf } from '../../../core/events/event.ts'
import type { Journal, Telling } from '../../../core/events/journal.ts'
import { asSeen, type Visibility, visibilityOf } from '../../../core/events/visibility.ts'
import type { shownEvent } from '../../../core/wire/event.ts'
import { badParameter as bad } from '../../../edge/query.ts'
import { StreamAnswer } from '../../server/stream-answer.ts'
import { uuidOf } from '../query.ts'
import type { Action } from '../route.ts'
import type { EventsQuery, EventsResponse, StreamQuery } from './schemas.ts'

export type EventParts = {
  journal: Pick<Journal, 'read' | 'after' | 'head' | 'look'>
}

const usualLimit = 100
/** For one page no more of the journal is looked at than this. */
const mostLookedAt = 5_000
/** A heartbeat is sent at least this often, so that proxies see the connection in use. */
const heartbeatMs = 15_000
/** How soon a stream ends whose key was revoked. */
const allowanceMs = 1_000
/** How soon a client comes back that lost the line. */
const comeBackMs = 1_000

export const events =
  ({ journal }: EventParts): Action<EventsResponse> =>
  async ({ environment, key, query }) => {
    const { types, device_id, cursor, after = cursor, limit = usualLimit } = query as EventsQuery
    if (cursor !== undefined && cursor !== after)
      throw bad('cursor', 'must not differ from after: they mean the same')
    const interest = interestOf(types, device_id)
    const visibility = visibilityOf(key.scopes)
    const name = cursor === undefined ? 'after' : 'cursor'
    const from = after === undefined ? 0 : placeOf(name, after)
    // Whoever asks right after a send must find it.
    await journal.look()
    notAhead(journal, name, from)
    const found: Telling[] = []
    let place = from
    while (found.length < limit && place < journal.head && place - from < mostLookedAt) {
      const { tellings, last } = await journal.read(place, environment.id, interest)
      found.push(...tellings)
      place = last
    }
    const data = found.slice(0, limit)
    const last = found.length > limit ? data.at(-1)!.seq : place
    return {
      success: true,
      data: data.map(one => JSON.parse(asSeen(one, visibility)) as ReturnType<typeof shownEvent>),
      next_cursor: eventIdOf(last),
      has_more: last < journal.head,
    }
  }

export const stream =
  ({ journal }: EventParts): Action<StreamAnswer> =>
  async ({ environment, key, query, lastEventId, isAllowed }) => {
    const { types, device_id, after } = query as StreamQuery
    const interest = interestOf(types, device_id)
    const known = lastEventId || after
    await journal.look()
    const name = lastEventId ? 'Last-Event-ID' : 'after'
    const from = known === undefined ? journal.head : placeOf(name, known)
    notAhead(journal, name, from)
    return new StreamAnswer('text/event-stream', signal =>
      pieces(
        journal,
        { from, environmentId: environment.id, interest, visibility: visibilityOf(key.scopes), isAllowed },
        signal,
      ),
    )
  }

type Listener = {
  from: number
  environmentId: number
  interest: Interest
  visibility: Visibility
  isAllowed: () => Promise<boolean>
}

async function* pieces(
  journal: EventParts['journal'],
  { from, environmentId, interest, visibility, isAllowed }: Listener,
  signal: AbortSignal,
): AsyncGenerator<string> {
  // So that a client without any event yet also resumes from here.
  yield `id: ${eventIdOf(from)}\nretry: ${comeBackMs}\n\n`
  let place = from
  let saidAt = performance.now()
  let askedAt = saidAt
  while (!signal.aborted) {
    const { tellings, last } = await journal.read(place, environmentId, interest)
    place = last
    if (tellings.length > 0) {
      yield tellings
        .map(one => `id: ${eventIdOf(one.seq)}\nevent: ${one.type}\ndata: ${asSeen(one, visibility)}\n\n`)
        .join('')
      saidAt = performance.now()
    } else if (performance.now() - saidAt >= heartbeatMs) {
      yield `id: ${eventIdOf(place)}\n: still here\n\n`
      saidAt = performance.now()
    }
    if (performance.now() - askedAt >= allowanceMs) {
      if (!(await isAllowed())) return
      askedAt = performance.now()
    }
    await journal.after(place, allowanceMs, signal)
  }
}

function interestOf(types: string | undefined, device: string | undefined): Interest {
  const list = types?.split(',').map(type => type.trim())
  const unknown = list?.find(type => !(eventTypes as readonly string[]).includes(type))
  if (unknown !== undefined) throw bad('types', `has an unknown event type, “${unknown.slice(0, 60)}”`)
  return {
    ...(list && { types: list }),
    ...(device !== undefined && { deviceId: uuidOf('device_id', device) }),
  }
}

/** A cursor ahead of the journal, perhaps after a restore, would wait for ever. */
function notAhead({ head }: Pick<Journal, 'head'>, name: string, place: number): void {
  if (place > head) throw bad(name, `must not be ahead of the newest event, which is ${eventIdOf(head)}`)
}

function placeOf(name: string, given: string): number {
  const seq = seqOf(given)
  if (seq === undefined) throw bad(name, 'must be the id of an event, such as evt_42')
  return seq
}
