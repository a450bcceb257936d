/** The routes about people. */

import { bodyProblems, type Route } from '../route.ts'
import type { RouteParts } from '../route-parts.ts'
import { erase, optIn, optOut, optOuts } from './actions.ts'
import * as shapes from './schemas.ts'

export const peopleRoutes = (parts: RouteParts): readonly Route[] => [
  {
    operation: 'optOuts',
    group: 'People',
    summary: 'Opt-outs, newest first',
    method: 'GET',
    paths: ['/opt-outs'],
    scope: 'people:manage',
    query: shapes.OptOutsQuery,
    response: shapes.OptOutsResponse,
    problems: [],
    action: optOuts(parts.store),
  },
  {
    operation: 'optOut',
    group: 'People',
    summary: 'Send no more messages to a number; what waits for it is canceled',
    method: 'POST',
    paths: ['/opt-outs'],
    scope: 'people:manage',
    body: shapes.OptOutRequest,
    success: 201,
    response: shapes.OptOutResponse,
    problems: bodyProblems,
    action: optOut(parts.store),
  },
  {
    operation: 'optIn',
    group: 'People',
    summary: 'Take a number off the list',
    method: 'DELETE',
    paths: ['/opt-outs/:number'],
    scope: 'people:manage',
    response: shapes.OptInResponse,
    problems: ['opt_out_not_found'],
    action: optIn(parts.store),
  },
  {
    operation: 'erase',
    group: 'People',
    summary:
      'Erase personal data: blank a person’s texts and numbers everywhere. The opt-out stays, as a hash',
    method: 'DELETE',
    paths: ['/people/:number'],
    scope: 'people:manage',
    response: shapes.ErasedResponse,
    problems: [],
    action: erase(parts.erasure),
  },
]
