/** A receiver of webhooks, which keeps what it is told and answers as the test says. */

import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import type { Heard } from './listener.ts'

export type Caught = { path: string; at: number; headers: IncomingHttpHeaders; body: string; event: Heard }

/** What to answer: a status, or something odder. Nothing: 200. */
export type Manners = (caught: Caught, response: ServerResponse) => number | 'hang' | 'own' | undefined

export class Catcher {
  readonly caught: Caught[] = []
  manners: Manners = () => undefined
  /** Forgets what it was told, to be light: only the count stays. */
  onCaught: (caught: Caught) => void = caught => void this.caught.push(caught)
  #server: Server | undefined
  url = ''

  async start(): Promise<string> {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      const caught = {
        path: request.url ?? '',
        at: Date.now(),
        headers: request.headers,
        body,
        event: JSON.parse(body) as Heard,
      }
      const answer = this.manners(caught, response) ?? 200
      this.onCaught(caught)
      if (answer === 'hang' || answer === 'own') return
      response.statusCode = answer
      response.end('thanks')
    })
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this.url
  }

  stop(): void {
    this.#server?.closeAllConnections()
    this.#server?.close()
  }

  ids(path = '/'): string[] {
    return this.caught.filter(one => one.path === path).map(({ event }) => event.id)
  }
}

/** Throws unless the published library says that the signature is right. */
export function verify(secret: string, { headers, body }: Caught): void {
  new Webhook(secret).verify(body, headers as Record<string, string>)
}
