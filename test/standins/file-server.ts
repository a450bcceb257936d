/** Files somewhere on the web, to be fetched by their address. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { media, type Sample } from './media.ts'

export class FileServer {
  /** What was asked for, in order. */
  readonly asked: string[] = []
  readonly #server = createServer((request, response) => {
    const name = request.url!.slice(1)
    this.asked.push(name)
    const file = this.#files[name]
    response
      .writeHead(file ? 200 : 404, file?.type === undefined ? {} : { 'content-type': file.type })
      .end(file?.bytes)
  })
  readonly #files: Record<string, Sample>

  constructor(more: Record<string, Sample> = {}) {
    this.#files = { ...media, ...more }
  }

  /** Resolves with its host, which has to be allowed: it is no public one. */
  async start(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return this.#host
  }

  stop(): void {
    this.#server.close()
  }

  get url(): string {
    return `http://${this.#host}`
  }

  get #host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }
}
