/** Request bodies: JSON, uncompressed, or bytes for those who read them themselves. */

import { limits } from '../core/limits.ts'
import { Problem } from '../core/problem.ts'
import type { Exchange } from './exchange.ts'
import { readJson } from './json.ts'
import type { EdgeRoute } from './site.ts'
import { mayBeLeftOut } from './validation.ts'

type Done = (error: unknown, body?: unknown) => void

const isJson = /^application\/json[ \t]*(;|$)/i
const mib = 1_048_576

/** Calls back with the body, or with what is wrong with it. Undefined: there is none. */
export function readBody(exchange: Exchange, route: EdgeRoute, done: Done): void {
  const { raw, headers } = exchange
  const { bodyLimit = limits.body.value, reads = 'json' } = route
  const length = headers['content-length']
  const isMarked = isJson.test(headers['content-type'] ?? '')
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) {
    // HTTP clients name a content type even where they send nothing.
    if (reads === 'json' && isMarked) finish(exchange, route, noBytes, done)
    else done(undefined)
    return
  }
  const isForeign = reads === 'json' && !isMarked
  const isTooLong = Number(length) > bodyLimit
  const count = route.countBytes?.(exchange)
  const chunks: Buffer[] = []
  let size = 0
  const onData = (chunk: Buffer) => {
    size += chunk.length
    try {
      // An empty body of another type counts as none; any content in it is refused.
      if (isForeign) throw new Problem('unsupported_content_type', 'Send the body as application/json.')
      if (size > bodyLimit) throw tooLarge(bodyLimit)
      count?.(chunk.length)
      chunks.push(chunk)
    } catch (error) {
      refuse(error)
    }
  }
  const onEnd = () => {
    leave()
    if (isForeign) done(undefined)
    else finish(exchange, route, chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), done)
  }
  const onError = () => {
    leave()
    done(new Problem('invalid_request', 'The body ended before it was whole.'))
  }
  const leave = () => raw.off('data', onData).off('end', onEnd).off('error', onError)
  const refuse = (error: unknown) => {
    leave()
    raw.on('error', () => {})
    // The rest of a small body is discarded, so that the connection can be used again.
    if (!isForeign || isTooLong) exchange.header('connection', 'close')
    done(error)
  }
  if (raw.destroyed) onError()
  else if (isTooLong && !isForeign) refuse(tooLarge(bodyLimit))
  else raw.on('data', onData).on('end', onEnd).on('error', onError)
}

function finish(exchange: Exchange, route: EdgeRoute, bytes: Buffer, done: Done): void {
  let body: unknown
  try {
    body = route.reads === 'bytes' ? bytes : jsonOf(exchange, route, bytes)
  } catch (error) {
    done(error)
    return
  }
  done(undefined, body)
}

const noBytes = Buffer.alloc(0)

function jsonOf({ headers }: Exchange, { body }: EdgeRoute, bytes: Buffer): unknown {
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity')
    throw new Problem(
      'unsupported_content_type',
      'Send the body without Content-Encoding: it is not unpacked.',
    )
  return bytes.length === 0 && (!body || mayBeLeftOut(body)) ? undefined : readJson(bytes)
}

const tooLarge = (limit: number) =>
  new Problem('body_too_large', `The body is too large. The limit here is ${sizeInWords(limit)}.`)

const sizeInWords = (bytes: number) =>
  bytes >= mib ? `${Math.round(bytes / mib)} MiB` : `${Math.round(bytes / 1_024)} KiB`
