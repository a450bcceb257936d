/** Requests that Node.js would answer by itself, without a body: they get a problem like any other. */

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { limits } from '../core/limits.ts'
import { Problem } from '../core/problem.ts'
import { problemBody } from './problems.ts'

/** Node.js must be told to let requests without Host through; they are answered here. */
export const serverOptions = { requireHostHeader: false, maxHeaderSize: limits.headers.value } as const

export function answerUnusual(app: FastifyInstance, docsUrl: () => string): void {
  app.server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const problem = new Problem('expectation_failed', 'The only Expect header known here is 100-continue.')
    const requestId = randomUUID()
    const body = problemBody(problem, requestId, docsUrl())
    response
      .writeHead(body.status, {
        'content-type': 'application/problem+json; charset=utf-8',
        'x-request-id': requestId,
        connection: 'close',
      })
      .end(JSON.stringify(body))
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const isMissing = request.headers.host === undefined && request.raw.httpVersion === '1.1'
    done(isMissing ? new Problem('invalid_request', 'The Host header is missing.') : undefined)
  })
}
