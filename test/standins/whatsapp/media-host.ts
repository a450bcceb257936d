/** Where files lie, sealed, between those who send and those who read them. */

import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { selfSigned } from '../certificate.ts'

export class MediaHost {
  /** Its certificate, which the gateway must be told to trust. */
  readonly cert: string
  /** How many of the next uploads fail. */
  failing = 0
  readonly #files = new Map<string, Buffer>()
  readonly #server: https.Server
  readonly #key: string

  constructor() {
    const { cert, key } = selfSigned('127.0.0.1')
    this.cert = cert
    this.#key = key
    this.#server = https.createServer({ cert, key: this.#key }, (request, response) => {
      const path = request.url!.split('?')[0]!
      if (request.method !== 'POST') {
        const file = this.#files.get(path)
        response.writeHead(file ? 200 : 404).end(file)
        return
      }
      const chunks: Buffer[] = []
      request.on('data', chunk => chunks.push(chunk))
      request.on('end', () => {
        if (this.failing > 0) {
          this.failing -= 1
          response.writeHead(500).end('{}')
          return
        }
        this.#files.set(path, Buffer.concat(chunks))
        const body = { url: `https://${this.host}${path}`, direct_path: path }
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
    })
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** What lies at this address, still sealed. */
  file(url: string): Buffer {
    return this.#files.get(new URL(url).pathname)!
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
