/** Reports the stored decrypted messages in order of arrival, many per commit, and then deletes them. */

import type { Vault } from '../../../core/devices/vault.ts'
import { attachmentId } from '../../../core/inbox/attachment.ts'
import type { MediaFile } from '../../../core/inbox/received.ts'
import type { Log } from '../../../core/lib/log.ts'
import { Rerun } from '../../../core/lib/rerun.ts'
import type { News } from '../../../core/link.ts'
import { Problem } from '../../../core/problem.ts'
import { Counted, Hopeless, ReceivedFiles } from '../received-file.ts'
import { addressOf, type FileClass, type SealedFile, unsealed } from './attachment.ts'
import { type Kept, numberOf, type Read, readMessage } from './from-whatsapp.ts'
import type { Library, Socket } from './library.ts'
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
  news: Pick<News, 'received' | 'amended'>
  /** Our own message that went out under one of WhatsApp's ids. */
  ours: (whatsappId: string) => Promise<string | undefined>
  files: Files
  library: () => Library | undefined
  /** What lies behind this place has to wait. */
  frontier: () => string | undefined
  /** The line, if there is one. */
  socket: () => Socket | undefined
  /** Files lie on a private machine; in tests only. */
  isPrivate: boolean
  later: (ms: number, work: () => void) => void
  log: Log
}

/** Cannot be read now; a later retry may succeed. */
class NotNow extends Error {}

const mostAtOnce = 200
const frontierMs = 200

export class Inbox {
  readonly #parts: InboxParts
  readonly #telling = new Rerun(() => this.#tell())
  readonly #withFile: ReceivedFiles
  /** Messages whose files are being fetched, by their places: the device's own ids of them. */
  readonly #awaited = new Map<string, string>()
  #isLooking = false

  constructor(parts: InboxParts) {
    this.#parts = parts
    this.#withFile = new ReceivedFiles({
      ...parts,
      forget: async place => {
        await this.#forget([place])
        this.#awaited.delete(place)
      },
    })
  }

  run(): Promise<void> {
    return this.#telling.run()
  }

  async #tell(): Promise<void> {
    const { vault, news, frontier } = this.#parts
    const library = this.#parts.library()
    if (!library) return
    const first = frontier()
    // No more than can be told at once: thousands may lie here after an outage, and each has to be unsealed.
    const kept = await vault.list(inboxType, {
      limit: mostAtOnce + this.#withFile.size,
      ...(first !== undefined && { before: first }),
    })
    const ready = [...kept].filter(([place]) => !this.#withFile.has(place)).slice(0, mostAtOnce)
    // Those behind the frontier come when it has moved on.
    if (first !== undefined || ready.length === mostAtOnce) this.#lookAgain()
    if (ready.length === 0) return
    const read = await Promise.all(
      ready.map(async ([place, text]) => ({ place, ...(await this.#read(library, text)) })),
    )
    for (const { place, incoming, file } of read)
      if (file && incoming?.externalId) this.#awaited.set(place, incoming.externalId)
    // Amendments to a message wait until its file was fetched.
    const awaited = new Set(this.#awaited.values())
    const isEarly = ({ amendment }: Partial<Read>) =>
      amendment !== undefined &&
      'externalIds' in amendment.about &&
      amendment.about.externalIds.some(id => awaited.has(id))
    const whole = read.filter(one => !one.file && !isEarly(one))
    if (read.some(isEarly)) this.#lookAgain()
    await Promise.all(
      whole.flatMap(({ incoming, amendment }) => (incoming && !amendment ? [news.received(incoming)] : [])),
    )
    // Amendments go last: their targets may be in the same batch.
    for (const one of whole) if (one.amendment) await this.#amend(one)
    await this.#forget(whole.map(({ place }) => place))
    for (const { place, incoming, file } of read)
      if (incoming && file) {
        const source = `${this.#parts.deviceId}/${incoming.externalId}`
        void this.#withFile.tell(place, incoming, () => this.#save(library, source, file))
      }
  }

  #lookAgain(): void {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#parts.later(frontierMs, () => {
      this.#isLooking = false
      this.run().catch(() => {})
    })
  }

  /** What cannot be read will never be: it must not hold up all that comes after. */
  async #read(library: Library, text: string): Promise<Partial<Read>> {
    try {
      const resolve = (lid: string) => this.#numberBehind(lid)
      const ours = (id: string) => this.#ours(id)
      return (await readMessage({ library, resolve, ours }, JSON.parse(text) as Kept)) ?? {}
    } catch (error) {
      if (error instanceof NotNow) throw error
      this.#parts.log.warn(
        { device: this.#parts.deviceId, err: error },
        'skipped an unreadable WhatsApp message',
      )
      return {}
    }
  }

  /** Trouble with storage says nothing about the message: it is read again later. */
  async #ours(id: string): Promise<string | undefined> {
    try {
      return await this.#parts.ours(id)
    } catch (cause) {
      throw new NotNow('storage is away', { cause })
    }
  }

  /** One that cannot be kept, whatever is in it, must not hold up all that comes after. */
  async #amend({ amendment, incoming }: Partial<Read>): Promise<void> {
    const { news, log, deviceId } = this.#parts
    try {
      await news.amended(amendment!, incoming)
    } catch (error) {
      if (error instanceof Problem && error.code === 'storage_unavailable') throw error
      log.warn({ device: deviceId, err: error }, 'skipped a change to a message that could not be stored')
    }
  }

  async #save(library: Library, source: string, file: SealedFile): Promise<MediaFile> {
    const { files, isPrivate } = this.#parts
    const most = files.limits[file.class]
    if (file.size > most) throw new Hopeless('it is too large')
    const name = await this.#mediaHost()
    const address = addressOf(file, name)
    if (address === undefined) throw new Hopeless('it is nowhere')
    const id = attachmentId(source)
    const counted = new Counted()
    const bytes = await files.fetch(address, most + slack, isPrivate ? name : undefined)
    await files.save(id, counted.bytes(unsealed(library, file, bytes)))
    return { id, mime: file.mime, size: counted.size, filename: file.filename }
  }

  /** The phone number behind an id that hides it. */
  async #numberBehind(lid: string): Promise<string | undefined> {
    const { lidMapping } = this.#parts.socket()?.signalRepository ?? {}
    const found = await lidMapping?.getPNForLID(lid).catch(() => null)
    return found && numberOf(found) ? found : undefined
  }

  async #mediaHost(): Promise<string> {
    const { hosts = [] } = (await this.#parts.socket()?.refreshMediaConn(false)) ?? {}
    const [first] = hosts
    if (!first) throw new Error('WhatsApp does not say where files lie')
    return first.hostname
  }

  async #forget(places: readonly string[]): Promise<void> {
    if (places.length > 0)
      await this.#parts.vault.write(places.map(id => ({ type: inboxType, id, value: null })))
  }
}

/** The seal and the last block. */
const slack = 32
