/** The line to one number over WhatsApp's official API. What becomes of messages comes by webhook. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { AttentionCode } from '../../../core/devices/attention.ts'
import type { Device } from '../../../core/devices/device.ts'
import type { Vault } from '../../../core/devices/vault.ts'
import { attachmentId } from '../../../core/inbox/attachment.ts'
import type { MediaFile as KeptFile } from '../../../core/inbox/received.ts'
import { BoundedMap } from '../../../core/lib/bounded-map.ts'
import type { Log } from '../../../core/lib/log.ts'
import { type Link, LinkDown, type News } from '../../../core/link.ts'
import type { Failure, Message, Receipt } from '../../../core/messages/message.ts'
import { Timers } from '../../timers.ts'
import { keepMs } from '../linked/outbox.ts'
import type { MediaFile } from '../linked/to-whatsapp.ts'
import { mediaFailure } from '../media-failure.ts'
import { Counted, ReceivedFiles } from '../received-file.ts'
import { TwoPart } from '../two-part.ts'
import { type CloudAccount, readAccount } from './account.ts'
import type { CloudFileRef, CloudMessage } from './from-cloud.ts'
import { Graph, Refused } from './graph.ts'
import { failureOf, isAboutCredentials, mustWait } from './refusals.ts'
import { type Payload, payloadsOf, unfitFile } from './to-cloud.ts'

export type CloudLineParts = {
  onClose: () => void
  device: Device
  news: News
  vault: Vault
  attention: (codes: readonly AttentionCode[]) => Promise<void>
  media: (message: Message) => Promise<MediaFile>
  /** Fetches a received file with the device's own credentials, and keeps it. */
  fetch: (address: string, authorization: string) => Promise<AsyncIterable<Buffer>>
  save: (id: string, bytes: AsyncIterable<Buffer>) => Promise<void>
  graphUrl: string
  log: Log
}

/** Messages with a file that was not fetched yet. */
export const cloudInboxType = 'cloud-inbox'

const lookMs = 5_000
const checkMs = 300_000
const unfitMs = 600_000
/** Between tries for the words of a sound that has left already. */
const pausesMs = [2_000, 6_000, 15_000]
const mostUploads = 200

export class CloudLine implements Link {
  readonly #parts: CloudLineParts
  readonly #tick: NodeJS.Timeout
  readonly #timers = new Timers()
  readonly #withFile: ReceivedFiles
  /** Meta's ids of files that were uploaded, by path: a bulk request uploads its file once. */
  readonly #uploads = new BoundedMap<string, Promise<string>>(mostUploads)
  #device: Device
  #account: CloudAccount | undefined
  #graph: Graph | undefined
  #isUp = false
  /** A token that may not send, and until when it is not tried again. */
  #unfit: { token: string; until: number } | undefined
  #checkedAt = -Infinity
  #closed = false

  constructor(parts: CloudLineParts) {
    this.#parts = parts
    this.#device = parts.device
    const { news, vault, log } = parts
    this.#withFile = new ReceivedFiles({
      deviceId: parts.device.id,
      news,
      forget: id => vault.write([{ type: cloudInboxType, id, value: null }]),
      later: (ms, work) => this.#timers.after(ms, work),
      log,
    })
    this.#tick = setInterval(() => void this.look(), lookMs)
    this.#tick.unref()
    void this.look()
  }

  isUp(): boolean {
    return this.#isUp
  }

  adapt(device: Device): void {
    this.#device = device
  }

  async send(message: Message): Promise<Receipt | undefined> {
    const graph = this.#graph
    if (!graph || !this.#isUp) throw new LinkDown('WhatsApp’s API is not ready')
    const prepared = await this.#prepared(graph, message)
    if ('error' in prepared) return this.#failed(message, prepared.error)
    const [first, second] = prepared.payloads
    try {
      await graph.send(first!)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      return this.#failed(message, this.#judged(error))
    }
    const missing = second && (await this.#persist(graph, second))
    if (missing) return this.#failed(message, missing)
    // The outcome comes by webhook: an accepted request is not yet an accepted message.
    return undefined
  }

  /** Looks whether the credentials are good, and for messages whose file must be fetched. */
  async look(): Promise<void> {
    try {
      if (!this.#isUp || performance.now() - this.#checkedAt > checkMs) await this.#check()
      await this.#fetchFiles()
    } catch (error) {
      this.#parts.log.warn({ device: this.#device.id, err: error }, 'WhatsApp task failed; will retry')
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#parts.onClose()
    clearInterval(this.#tick)
    this.#timers.close()
    this.#isUp = false
  }

  async #check(): Promise<void> {
    const { vault, graphUrl } = this.#parts
    // Read again each time: somebody may have given it a new token.
    const account = await readAccount(vault)
    if (this.#closed) return
    const { token, until = 0 } = this.#unfit ?? {}
    if (account && account.accessToken === token && performance.now() < until) return
    this.#account = account
    this.#graph = account && new Graph(graphUrl, account)
    try {
      await this.#graph?.number()
      if (this.#graph) this.#say(true)
      else this.#say(false, 'token_refused')
    } catch (error) {
      this.#say(false, error instanceof Refused ? 'token_refused' : 'api_unreachable')
    }
    this.#checkedAt = performance.now()
    await new TwoPart(vault).forgetOld(Date.now() - keepMs)
  }

  #say(up: boolean, trouble?: 'token_refused' | 'api_unreachable'): void {
    if (this.#closed) return
    const { news, attention } = this.#parts
    if (up !== this.#isUp) news.online(up).catch(() => {})
    this.#isUp = up
    // The device as it is stored: what was said before a restart, or by somebody else, counts too.
    const before = this.#device.attention
    const others = before.filter(code => code !== 'token_refused' && code !== 'api_unreachable')
    const after = trouble ? [...others, trouble] : others
    if (after.join() !== before.join()) attention(after).catch(() => {})
  }

  async #prepared(graph: Graph, message: Message): Promise<{ payloads: Payload[] } | { error: Failure }> {
    if (message.mediaUrl === null) return { payloads: payloadsOf(message, undefined) }
    let file: MediaFile
    try {
      file = await this.#parts.media(message)
    } catch (error) {
      const failure = mediaFailure(error)
      if (failure) return { error: failure }
      throw new LinkDown('the file could not be had', { cause: error })
    }
    const unfit = unfitFile(file)
    if (unfit) return { error: unfit }
    try {
      return { payloads: payloadsOf(message, { ...file, mediaId: await this.#upload(graph, file) }) }
    } catch (error) {
      if (error instanceof Refused) return { error: this.#judged(error) }
      throw new LinkDown('the file could not be uploaded', { cause: error })
    }
  }

  #upload(graph: Graph, { path, mime, filename }: MediaFile): Promise<string> {
    const known = this.#uploads.get(path)
    if (known) return known
    const upload = graph.upload(path, mime, filename)
    this.#uploads.set(path, upload)
    upload.catch(() => this.#uploads.delete(path))
    return upload
  }

  /** Its other half has left: it cannot go back to the queue. Resolves with why it could not be sent at all. */
  async #persist(graph: Graph, payload: Payload): Promise<Failure | undefined> {
    for (const pause of pausesMs)
      try {
        await graph.send(payload)
        return undefined
      } catch (error) {
        const waits = error instanceof LinkDown || (error instanceof Refused && mustWait(error.code))
        if (error instanceof Refused && !waits) return failureOf(error.code, error.message)
        if (!waits) throw error
        await sleep(pause, undefined, { ref: false })
      }
    return { code: 'whatsapp_refused', detail: 'The sound was sent; WhatsApp did not take the words.' }
  }

  /** The failure that a refusal is; or it throws, when the message may wait. */
  #judged(error: Refused): Failure {
    if (isAboutCredentials(error.code)) {
      // The token may pass the check and still not send: without this, it would be retried at once.
      this.#unfit = { token: this.#account?.accessToken ?? '', until: performance.now() + unfitMs }
      this.#say(false, 'token_refused')
      throw new LinkDown('WhatsApp’s API refuses the token', { cause: error })
    }
    if (mustWait(error.code)) throw new LinkDown('WhatsApp’s API asks to wait', { cause: error })
    return failureOf(error.code, error.message)
  }

  #failed(message: Message, error: Failure): Receipt {
    return { messageId: message.id, deviceId: this.#device.id, outcome: 'failed', at: Date.now(), error }
  }

  async #fetchFiles(): Promise<void> {
    const { vault } = this.#parts
    const graph = this.#graph
    if (!graph || !this.#isUp) return
    for (const [place, text] of await vault.list(cloudInboxType)) {
      if (this.#withFile.has(place)) continue
      const { incoming, file } = JSON.parse(text) as Required<CloudMessage>
      const source = `${this.#device.id}/${incoming.externalId}`
      void this.#withFile.tell(place, incoming, () => this.#fetchFile(graph, source, file))
    }
  }

  async #fetchFile(graph: Graph, source: string, file: CloudFileRef): Promise<KeptFile> {
    const { fetch, save } = this.#parts
    const id = attachmentId(source)
    const counted = new Counted()
    await save(id, counted.bytes(await fetch(await graph.mediaUrl(file.id), graph.authorization)))
    return { id, mime: file.mime, size: counted.size, filename: file.filename }
  }
}
