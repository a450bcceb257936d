/** Requests that Node.js would answer by itself, without a body: they get a problem like any other. */

import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { Problem } from '../core/problem.ts'
import { problemBody } from './problems.ts'

export function answerExpectation(response: ServerResponse, docs: string): void {
  const problem = new Problem('expectation_failed', 'The only Expect header known here is 100-continue.')
  const requestId = randomUUID()
  const body = problemBody(problem, requestId, docs)
  response
    .writeHead(body.status, {
      'content-type': 'application/problem+json; charset=utf-8',
      'x-request-id': requestId,
      connection: 'close',
    })
    .end(JSON.stringify(body))
}
