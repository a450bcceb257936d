/** Messages that came with a file: each is reported when its file is there, or given up; later ones do not wait. */

import { shownAttachment } from '../../core/inbox/attachment.ts'
import { NoRoom } from '../../core/inbox/no-room.ts'
import type { Incoming, MediaFile } from '../../core/inbox/received.ts'
import { Limiter } from '../../core/lib/limiter.ts'
import type { Log } from '../../core/lib/log.ts'
import type { News } from '../../core/link.ts'

/** Trying again would not help. */
export class Hopeless extends Error {}

export type ReceivedFileParts = {
  deviceId: string
  news: Pick<News, 'received'>
  /** The message was reported; deletes the stored copy. */
  forget: (place: string) => Promise<void>
  later: (ms: number, work: () => void) => void
  log: Log
}

type Bare = Omit<Incoming, 'deviceId'>

/** A failed fetch is retried after these pauses; then the message is reported without its file. */
const atOnce = 4
const pausesMs = [2_000, 10_000, 60_000, 300_000]

export class ReceivedFiles {
  readonly #parts: ReceivedFileParts
  /** A stranger may send a thousand files at once. */
  readonly #files = new Limiter(atOnce)
  /** How often each was tried. */
  readonly #underWay = new Map<string, number>()

  constructor(parts: ReceivedFileParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#underWay.size
  }

  has(place: string): boolean {
    return this.#underWay.has(place)
  }

  /** `save` fetches the file and keeps it; it may be called again, also for a file that is there already. */
  async tell(place: string, incoming: Bare, save: () => Promise<MediaFile>): Promise<void> {
    const { news, forget, later, log, deviceId } = this.#parts
    const again = (ms: number) => later(ms, () => void this.tell(place, incoming, save))
    const tries = this.#underWay.get(place) ?? 0
    this.#underWay.set(place, tries)
    let file: MediaFile | undefined
    let isFull = false
    try {
      file = await this.#files.run(save)
    } catch (error) {
      isFull = error instanceof NoRoom
      const pause = isHopeless(error) ? undefined : pausesMs[tries]
      log.warn(
        { device: deviceId, err: error, again: pause !== undefined },
        'could not download an attachment',
      )
      if (pause !== undefined) {
        this.#underWay.set(place, tries + 1)
        again(pause)
        return
      }
    }
    try {
      await news.received(file ? withFile(incoming, file) : withoutFile(incoming, isFull))
      await forget(place)
      this.#underWay.delete(place)
    } catch {
      // Storage failed; the file is kept and found again at the retry.
      again(pausesMs[0]!)
    }
  }
}

const isHopeless = (error: unknown) =>
  error instanceof Hopeless ||
  error instanceof NoRoom ||
  ['media_too_large', 'media_url_blocked'].includes((error as { code?: string }).code ?? '')

const withFile = (incoming: Bare, file: MediaFile): Bare => ({
  ...incoming,
  media: [file],
  metadata: { ...incoming.metadata, media: [shownAttachment(file)] },
})

const withoutFile = (incoming: Bare, isFull: boolean): Bare => ({
  ...incoming,
  metadata: {
    ...incoming.metadata,
    media_missing: 1,
    ...(isFull && { media_missing_because: NoRoom.reason }),
  },
})

/** Bytes on their way, and how many they were. */
export class Counted {
  size = 0
  async *bytes(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of source) {
      this.size += chunk.length
      yield chunk
    }
  }
}
