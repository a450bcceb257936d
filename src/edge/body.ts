/** Request bodies: JSON, uncompressed, or none at all. */

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '../core/problem.ts'
import { readJson } from './json.ts'
import { mayBeLeftOut } from './validation.ts'

export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      done(null, read(request, bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  // HTTP clients name a content type even where they send nothing; a form without fields is nothing too.
  app.addContentTypeParser('*', (request, payload, done) => {
    if (request.headers['content-length'] === '0') {
      done(null)
      return
    }
    // What follows flows on into nothing, so that the connection can be used again.
    let isOver = false
    const settle = (error: Error | null) => {
      if (!isOver) done(error)
      isOver = true
    }
    payload.on('data', () =>
      settle(new Problem('unsupported_content_type', 'Send the body as application/json.')),
    )
    payload.once('end', () => settle(null))
    payload.once('error', settle)
  })
}

function read(request: FastifyRequest, bytes: Buffer): unknown {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new Problem(
      'unsupported_content_type',
      'Send the body without Content-Encoding: it is not unpacked.',
    )
  const schema = request.routeOptions.schema?.body as object | undefined
  if (bytes.length === 0 && (!schema || mayBeLeftOut(schema))) return undefined
  return readJson(bytes)
}
