/** Answers to what never became a request: broken HTTP, oversized headers, clients that take too long. */

import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { Problem, type ProblemCode } from '../core/problem.ts'
import { problemBody } from './problems.ts'

/** How long a client has to read what it is told. */
const lingerMs = 1_000

const codes: Record<string, ProblemCode> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'headers_too_large',
}
const details: Partial<Record<ProblemCode, string>> = {
  request_timeout: 'The request did not arrive in time.',
  headers_too_large: 'The headers are larger than 16 KiB.',
}

export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, docs: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const code = codes[error.code ?? ''] ?? 'invalid_request'
  const problem = new Problem(code, details[code] ?? 'This is not a well-formed HTTP request.')
  const requestId = randomUUID()
  const body = problemBody(problem, requestId, docs)
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${body.status} ${body.title}`,
    'Content-Type: application/problem+json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  // A client that never closes its side would keep the socket for ever.
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, () => socket.destroySoon())
  socket.setTimeout(lingerMs, () => socket.destroy())
}
