/** Where files lie, sealed, between those who send and those who read them. */

import { createCipheriv, createHash, createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { getMediaKeys } from 'baileys'
import { selfSigned } from '../certificate.ts'

export class MediaHost {
  /** Its certificate, which the gateway must be told to trust. */
  readonly cert: string
  /** How many of the next uploads fail. */
  failing = 0
  /** Files are given out only then. */
  held: Promise<void> = Promise.resolve()
  /** What was asked for, in order. */
  readonly asked: string[] = []
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
        this.asked.push(path)
        void this.held.then(() => response.writeHead(file ? 200 : 404).end(file))
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

  /** Somebody uploads a file, sealed: what its message must say about it. */
  async seal(kind: 'image' | 'video' | 'audio' | 'document', bytes: Buffer) {
    const mediaKey = randomBytes(32)
    const { cipherKey, iv, macKey } = await getMediaKeys(mediaKey, kind)
    const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
    const body = Buffer.concat([cipher.update(bytes), cipher.final()])
    const mac = createHmac('sha256', macKey!).update(iv).update(body).digest().subarray(0, 10)
    const directPath = `/v/${randomBytes(8).toString('hex')}`
    this.#files.set(directPath, Buffer.concat([body, mac]))
    const fileSha256 = createHash('sha256').update(bytes).digest()
    return {
      mediaKey,
      directPath,
      url: `https://${this.host}${directPath}`,
      fileSha256,
      fileLength: bytes.length,
    }
  }

  /** Somebody changes a sealed file. */
  tamper(path: string): void {
    this.#files.get(path)![3]! ^= 0xff
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
