/** HTTP as a phone speaks it: short calls over kept connections, and event streams. */

import http from 'node:http'
import https from 'node:https'

export type Answer = { status: number; body: unknown }
export type Call = { method: string; url: string; headers?: Record<string, string>; body?: string }

/** As long as the app waits. */
const callMs = 10_000

export class Wire {
  readonly #plain = new http.Agent({ keepAlive: true, maxSockets: 128 })
  readonly #secure: https.Agent
  readonly #ca: string | undefined

  /** `ca`: a certificate to trust beside those that the machine trusts. */
  constructor(ca?: string) {
    this.#ca = ca
    this.#secure = new https.Agent({ keepAlive: true, maxSockets: 128, ...(ca !== undefined && { ca }) })
  }

  /** Rejects when nobody answers; any answer resolves. */
  ask({ method, url, headers = {}, body }: Call): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { protocol } = new URL(url)
      const request = moduleFor(protocol).request(url, {
        method,
        agent: protocol === 'https:' ? this.#secure : this.#plain,
        timeout: callMs,
        headers: {
          ...headers,
          ...(body !== undefined && {
            'content-type': 'application/json',
            'content-length': String(Buffer.byteLength(body)),
          }),
        },
      })
      request.on('timeout', () => request.destroy(new Error('no answer in time')))
      request.on('error', reject)
      request.on('response', response => {
        const chunks: Buffer[] = []
        response.on('data', chunk => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: parsed(chunks) }))
      })
      request.end(body)
    })
  }

  /** Opens an event stream. `onEnd` is called once, whether it never opened or ended later. */
  listen(url: string, headers: Record<string, string>, on: StreamEars): { close: () => void } {
    let ended = false
    const end = () => {
      if (ended) return
      ended = true
      on.end()
    }
    const request = moduleFor(new URL(url).protocol).get(url, {
      agent: false,
      ...(this.#ca !== undefined && { ca: this.#ca }),
      headers: { ...headers, accept: 'text/event-stream' },
    })
    request.on('error', end)
    request.on('close', end)
    request.on('response', response => {
      if (response.statusCode !== 200) {
        response.resume()
        request.destroy()
        return
      }
      on.open()
      let rest = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        const blocks = (rest + text).split('\n\n')
        rest = blocks.pop()!
        for (const block of blocks) {
          const name = /^event: (.*)$/m.exec(block)?.[1]
          const data = /^data: (.*)$/m.exec(block)?.[1]
          // The app drops an event without data.
          if (data !== undefined) on.event(name ?? 'MessageEnqueued', data)
        }
      })
      response.on('error', end)
      response.on('end', end)
    })
    return { close: () => request.destroy() }
  }

  close(): void {
    this.#plain.destroy()
    this.#secure.destroy()
  }
}

export type StreamEars = { open(): void; event(name: string, data: string): void; end(): void }

const moduleFor = (protocol: string) => (protocol === 'https:' ? https : http)

function parsed(chunks: readonly Buffer[]): unknown {
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}
