/** Files that came with messages, in a bucket of an S3-compatible service. */

import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { MediaFiles } from '../../core/inbox/media-files.ts'
import { hashOfNothing, type S3Account, signed } from './s3-signature.ts'

export type Bucket = S3Account & {
  /** The service, such as https://s3.eu-central-1.amazonaws.com. */
  endpoint: string
  bucket: string
  /** What the names of files begin with; may be empty. */
  prefix: string
}

/** No sign of life for so long: the service is away. */
const idleMs = 20_000
const longestReason = 300

type Body = { length: number; hash: string; stream: () => Readable }

export class MediaBucket implements MediaFiles {
  readonly #bucket: Bucket
  readonly #folder: string

  /** `folder`: where files wait until they are uploaded. */
  constructor(bucket: Bucket, folder: string) {
    this.#bucket = bucket
    this.#folder = folder
  }

  async save(id: string, bytes: Buffer | AsyncIterable<Buffer>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    // Its length and its hash must be known before it is sent.
    const path = join(this.#folder, `${randomUUID()}.upload`)
    try {
      const { length, hash } = await spool(path, bytes)
      const response = await this.#ask('PUT', id, { length, hash, stream: () => createReadStream(path) })
      await requireSuccess(response, 'PUT')
      response.resume()
    } finally {
      await rm(path, { force: true })
    }
  }

  async read(id: string): Promise<Readable | undefined> {
    const response = await this.#ask('GET', id)
    if (response.statusCode === 404) {
      response.resume()
      return undefined
    }
    await requireSuccess(response, 'GET')
    return response
  }

  async remove(id: string): Promise<void> {
    const response = await this.#ask('DELETE', id)
    if (response.statusCode !== 404) await requireSuccess(response, 'DELETE')
    response.resume()
  }

  #ask(method: string, id: string, body?: Body): Promise<IncomingMessage> {
    const { endpoint, bucket, prefix } = this.#bucket
    const url = new URL(`${endpoint.replace(/\/$/, '')}/${bucket}/${prefix}${id}`)
    const bodyHash = body?.hash ?? hashOfNothing
    const headers = {
      ...signed({ method, url, bodyHash, at: new Date() }, this.#bucket),
      ...(body && { 'content-length': String(body.length) }),
    }
    const ask = url.protocol === 'https:' ? secureRequest : plainRequest
    return new Promise((resolve, reject) => {
      const asked = ask(url, { method, headers, timeout: idleMs }, resolve)
      asked.on('timeout', () => asked.destroy(new Error('the bucket does not answer')))
      asked.on('error', reject)
      pipeline(body ? body.stream() : Readable.from([]), asked).catch(reject)
    })
  }
}

/** Writes it to a file, and says how long it is and what its hash is. */
async function spool(
  path: string,
  bytes: Buffer | AsyncIterable<Buffer>,
): Promise<{ length: number; hash: string }> {
  const file = await open(path, 'wx', 0o600)
  const hash = createHash('sha256')
  let length = 0
  try {
    for await (const chunk of Buffer.isBuffer(bytes) ? [bytes] : bytes) {
      hash.update(chunk)
      length += chunk.length
      await file.writeFile(chunk)
    }
  } finally {
    await file.close()
  }
  return { length, hash: hash.digest('hex') }
}

async function requireSuccess(response: IncomingMessage, method: string): Promise<void> {
  const { statusCode = 0 } = response
  if (statusCode >= 200 && statusCode < 300) return
  const reason = (await text(response)).slice(0, longestReason)
  throw new Error(`the bucket answered ${method} with ${statusCode}: ${reason}`)
}
