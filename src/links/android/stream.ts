/** One event stream to a phone: how the gateway says "ask me" without anybody in between. */

import type { ServerResponse } from 'node:http'
import { limits } from '../../core/limits.ts'

/** What the app understands. It ignores an event without data, so there always is some. */
export type PhoneEvent = 'MessageEnqueued' | 'WebhooksUpdated' | 'SettingsUpdated' | 'MessageCancelled'

/** A phone that does not read what it is sent is not there. */
const mostUnread = limits.phoneStreamUnread.value

/** How soon it comes back when the gateway ended its stream. */
const comeBackMs = 1_000

export class Stream {
  readonly tokenHash: string
  readonly #response: ServerResponse

  constructor(response: ServerResponse, tokenHash: string, onEnd: () => void) {
    this.#response = response
    this.tokenHash = tokenHash
    response.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    response.on('close', onEnd)
    response.on('error', () => {})
    response.flushHeaders()
  }

  push(event: PhoneEvent, data: object = {}): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  keepAlive(): void {
    this.#write(':keepalive\n\n')
  }

  /** Nothing is lost with a stream: the phone comes back and asks. */
  end(): void {
    const { socket } = this.#response
    this.#write(`retry: ${comeBackMs}\n\n`)
    this.#response.end()
    socket?.destroySoon()
  }

  #write(text: string): void {
    if (this.#response.writableLength > mostUnread) this.#response.destroy()
    else if (!this.#response.writableEnded && !this.#response.destroyed) this.#response.write(text)
  }
}
