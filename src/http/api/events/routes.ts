/** The routes about what happens. */

import type { Route } from '../route.ts'
import type { RouteParts } from '../route-parts.ts'
import { events, stream } from './actions.ts'
import * as shapes from './schemas.ts'

export const eventRoutes = (parts: RouteParts): readonly Route[] => [
  {
    operation: 'events',
    group: 'Events',
    summary: 'What happened, oldest first',
    method: 'GET',
    paths: ['/events'],
    scope: 'events:read',
    query: shapes.EventsQuery,
    response: shapes.EventsResponse,
    problems: [],
    action: events(parts),
  },
  {
    operation: 'stream',
    group: 'Events',
    summary: 'Live event stream (server-sent events), resumable with Last-Event-ID',
    method: 'GET',
    paths: ['/events/stream'],
    scope: 'events:read',
    query: shapes.StreamQuery,
    response: shapes.EventRecord,
    stream: 'text/event-stream',
    problems: [],
    action: stream(parts),
  },
]
