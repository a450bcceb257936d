/** Tells what was decrypted and kept: in the order in which it came, many in one commit; only then is it forgotten. */

import { Again } from '../../core/again.ts'
import { attachmentId, shownAttachment } from '../../core/attachment.ts'
import type { News } from '../../core/link.ts'
import type { Log } from '../../core/log.ts'
import type { Incoming, MediaFile } from '../../core/received.ts'
import type { Vault } from '../../core/vault.ts'
import { addressOf, type FileClass, Forged, type SealedFile, unsealed } from './attachment.ts'
import { incomingOf, type Kept, type Read } from './from-whatsapp.ts'
import type { Library } from './library.ts'
import { inboxType } from './session.ts'

/** Fetches files, and keeps them. */
export type Files = {
  /** Most bytes of each class. */
  limits: Readonly<Record<FileClass, number>>
  /** What lies at an address: no more than `most` bytes, and from no private machine unless it is `host`. */
  fetch: (address: string, most: number, host?: string) => Promise<AsyncIterable<Buffer>>
  save: (id: string, bytes: AsyncIterable<Buffer>) => Promise<void>
}

export type InboxParts = {
  deviceId: string
  vault: Vault
  news: Pick<News, 'received'>
  files: Files
  library: () => Library | undefined
  /** What lies behind this place has to wait. */
  frontier: () => string | undefined
  /** The phone number behind an id that hides it. */
  numberBehind: (lid: string) => Promise<string | undefined>
  /** Where files lie; a private machine in tests only. */
  mediaHost: () => Promise<{ name: string; isPrivate: boolean }>
  later: (ms: number, work: () => void) => void
  log: Log
}

const mostAtOnce = 200
const frontierMs = 200
/** A file that cannot be had is tried for again after these times; then the message is told without it. */
const pausesMs = [2_000, 10_000, 60_000, 300_000]

type Place = string

export class Inbox {
  readonly #parts: InboxParts
  readonly #telling = new Again(() => this.#tell())
  /** Messages whose file is being fetched, and how often that was tried: those behind them go ahead. */
  readonly #fetching = new Map<Place, number>()

  constructor(parts: InboxParts) {
    this.#parts = parts
  }

  run(): Promise<void> {
    return this.#telling.run()
  }

  async #tell(): Promise<void> {
    const { vault, news, frontier, later } = this.#parts
    const library = this.#parts.library()
    if (!library) return
    const kept = [...(await vault.list(inboxType))].filter(([place]) => !this.#fetching.has(place))
    const first = frontier()
    const ready = kept.filter(([place]) => first === undefined || place < first).slice(0, mostAtOnce)
    if (ready.length === 0) return
    const read = await Promise.all(
      ready.map(async ([place, text]) => ({ place, ...(await this.#read(library, text)) })),
    )
    const whole = read.filter(({ file }) => !file)
    await Promise.all(whole.flatMap(({ incoming }) => (incoming ? [news.received(incoming)] : [])))
    await this.#forget(whole.map(({ place }) => place))
    for (const { place, incoming, file } of read)
      if (incoming && file) {
        this.#fetching.set(place, 0)
        void this.#fetch(library, place, incoming, file)
      }
    if (ready.length < kept.length) later(frontierMs, () => void this.run().catch(() => {}))
  }

  /** What cannot be read will never be: it must not hold up all that comes after. */
  async #read(library: Library, text: string): Promise<Partial<Read>> {
    try {
      return (await incomingOf(library, JSON.parse(text) as Kept, this.#parts.numberBehind)) ?? {}
    } catch (error) {
      this.#parts.log.warn(
        { device: this.#parts.deviceId, err: error },
        'a WhatsApp message is none; left out',
      )
      return {}
    }
  }

  /** Nothing is told before its file is there, or given up. */
  async #fetch(library: Library, place: Place, incoming: Read['incoming'], file: SealedFile): Promise<void> {
    const { news, log, deviceId, later } = this.#parts
    const again = (ms: number) => later(ms, () => void this.#fetch(library, place, incoming, file))
    const tries = this.#fetching.get(place) ?? 0
    let saved: MediaFile | undefined
    try {
      saved = await this.#save(library, `${deviceId}/${incoming.externalId}`, file)
    } catch (error) {
      const pause = isHopeless(error) ? undefined : pausesMs[tries]
      log.warn({ device: deviceId, err: error, again: pause !== undefined }, 'an attachment could not be had')
      if (pause !== undefined) {
        this.#fetching.set(place, tries + 1)
        again(pause)
        return
      }
    }
    try {
      await news.received(saved ? withFile(incoming, saved) : withoutFile(incoming))
      await this.#forget([place])
      this.#fetching.delete(place)
    } catch {
      // Storage is away; the file is there and is found again.
      again(pausesMs[0]!)
    }
  }

  async #save(library: Library, source: string, file: SealedFile): Promise<MediaFile> {
    const { files, mediaHost } = this.#parts
    const most = files.limits[file.class]
    if (file.size > most) throw new Hopeless('it is too large')
    const { name, isPrivate } = await mediaHost()
    const address = addressOf(file, name)
    if (address === undefined) throw new Hopeless('it is nowhere')
    const id = attachmentId(source)
    let size = 0
    async function* counted(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of bytes) {
        size += chunk.length
        yield chunk
      }
    }
    const bytes = await files.fetch(address, most + slack, isPrivate ? name : undefined)
    await files.save(id, counted(unsealed(library, file, bytes)))
    return { id, mime: file.mime, size, filename: file.filename }
  }

  async #forget(places: readonly Place[]): Promise<void> {
    if (places.length > 0)
      await this.#parts.vault.write(places.map(id => ({ type: inboxType, id, value: null })))
  }
}

/** The seal and the last block. */
const slack = 32

class Hopeless extends Error {}
const isHopeless = (error: unknown) =>
  error instanceof Hopeless ||
  error instanceof Forged ||
  ['media_too_large', 'media_url_blocked'].includes((error as { code?: string }).code ?? '')

type Bare = Omit<Incoming, 'deviceId'>

const withFile = (incoming: Bare, file: MediaFile): Bare => ({
  ...incoming,
  media: [file],
  metadata: { ...incoming.metadata, media: [shownAttachment(file)] },
})

const withoutFile = (incoming: Bare): Bare => ({
  ...incoming,
  metadata: { ...incoming.metadata, media_missing: 1 },
})
