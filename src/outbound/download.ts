/** Fetches a media file for sending: once, to disk, and no more of it than is allowed. */

import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { basename } from 'node:path'
import { pipeline as pipeThrough, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { harmlessName } from '../core/inbox/filename.ts'
import { cut } from '../core/lib/cut.ts'
import { Blocked, type Guard } from './connect.ts'
import { getGuarded } from './get.ts'
import { type MediaClass, type MediaKind, mediaKindOf } from './media-kind.ts'

export type DownloadCode = 'media_unreachable' | 'media_too_large' | 'unsupported_media' | 'media_url_blocked'

/** Why there is no file. What the other side answered is not told: callers must not scan networks with us. */
export class DownloadFailed extends Error {
  readonly code: DownloadCode
  constructor(code: DownloadCode, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.code = code
  }
}

export type DownloadOptions = {
  guard: Guard
  /** Most bytes of each class. */
  limits: Readonly<Record<MediaClass, number>>
  totalMs?: number
}

export type Downloaded = MediaKind & { path: string; size: number; filename: string }

const totalMs = 60_000

/** The file is at `path` when this resolves, and nothing is when it rejects. */
export async function download(address: string, path: string, options: DownloadOptions): Promise<Downloaded> {
  const { guard, limits } = options
  try {
    const signal = AbortSignal.timeout(options.totalMs ?? totalMs)
    const most = Math.max(...Object.values(limits))
    const { url, headers, bytes } = await openRemote(address, guard, most, signal)
    await pipeline(bytes, createWriteStream(path, { mode: 0o600 }), { signal })
    const filename = nameOf(url)
    const kind = await mediaKindOf(path, { name: filename, declared: headers['content-type'] ?? '' })
    if (!kind) throw new DownloadFailed('unsupported_media', 'The file is of a kind that cannot be sent.')
    if (bytes.count > limits[kind.class]) throw tooLarge(limits[kind.class])
    return { ...kind, path, size: bytes.count, filename }
  } catch (error) {
    await rm(path, { force: true })
    throw explained(error)
  }
}

/** What lies at an address, as it comes: no more than `most` bytes, and no longer than a download may take. */
export async function downloadStream(
  address: string,
  guard: Guard,
  most: number,
  headers?: Readonly<Record<string, string>>,
): Promise<AsyncIterable<Buffer>> {
  try {
    return (await openRemote(address, guard, most, AbortSignal.timeout(totalMs), headers)).bytes
  } catch (error) {
    throw explained(error)
  }
}

type Remote = { url: URL; headers: IncomingHttpHeaders; bytes: Counter }

async function openRemote(
  address: string,
  guard: Guard,
  most: number,
  signal: AbortSignal,
  headers?: Readonly<Record<string, string>>,
): Promise<Remote> {
  const { url, response } = await getGuarded(address, guard, signal, headers)
  const encoding = response.headers['content-encoding'] ?? 'identity'
  const announced = Number(response.headers['content-length'] ?? 0)
  if (encoding !== 'identity' || announced > most) response.destroy()
  if (encoding !== 'identity') throw unreachable('The media host sent a packed file that was not asked for.')
  if (announced > most) throw tooLarge(most)
  const bytes = new Counter(most)
  // Whoever reads the counter gets every error from it.
  pipeThrough(response, bytes, () => {})
  return { url, headers: response.headers, bytes }
}

/** Counts what really comes: what a server announces is its own affair. */
class Counter extends Transform {
  count = 0
  readonly #most: number
  constructor(most: number) {
    super()
    this.#most = most
  }

  override _transform(
    chunk: Buffer,
    _encoding: string,
    done: (error?: Error | null, data?: Buffer) => void,
  ): void {
    this.count += chunk.length
    if (this.count > this.#most) done(tooLarge(this.#most))
    else done(null, chunk)
  }
}

const unreachable = (detail: string, cause?: unknown) =>
  new DownloadFailed('media_unreachable', detail, { cause })
const tooLarge = (most: number) =>
  new DownloadFailed('media_too_large', `The file is larger than ${Math.floor(most / 1_000_000)} MB.`)

function explained(error: unknown): DownloadFailed {
  if (error instanceof DownloadFailed) return error
  if (error instanceof Blocked)
    return new DownloadFailed('media_url_blocked', 'The address leads to a machine that is not public.', {
      cause: error,
    })
  return unreachable('The media file could not be fetched.', error)
}

/** The last part of the path, for people. */
function nameOf(url: URL): string {
  let name = basename(url.pathname)
  try {
    name = decodeURIComponent(name)
  } catch {}
  return cut(harmlessName(name), 120)
}
