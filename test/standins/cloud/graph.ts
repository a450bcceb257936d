/** A stand-in of WhatsApp's official API: checks what it is asked, and posts the outcome of messages. */

import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// biome-ignore lint/suspicious/noExplicitAny: Meta's JSON, which the tests look into
type Json = any

export type Behaviour = {
  /** Refuses with this error of Meta's. */
  error?: { status: number; code: number; message?: string }
  /** Takes the message and never answers. */
  hang?: boolean
  /** What it posts about the message afterwards. */
  statuses: readonly string[]
}

export class GraphStandin {
  readonly phoneNumberId = '106540352242922'
  readonly appSecret = 'the-app-secret'
  token = 'EAAtoken'
  refusals = 0
  /** Every message it took, in order. */
  readonly taken: Json[] = []
  /** Requests that somebody waits for an answer to. */
  open = 0
  readonly uploads = new Map<string, { type: string; bytes: Buffer }>()
  behaviour: Behaviour = { statuses: ['sent', 'delivered'] }
  /** Where it posts to: the gateway's webhook. */
  webhook = ''
  readonly #files = new Map<string, { mime: string; bytes: Buffer }>()
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch(error => response.writeHead(500).end(String(error)))
  })

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this.url
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v25.0`
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  /** Posts as Meta does; `secret` signs it, and another one shows what happens then. */
  async post(value: Json, secret = this.appSecret): Promise<number> {
    const metadata = { display_phone_number: '15550783881', phone_number_id: this.phoneNumberId }
    const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } }
    return await this.postRaw(
      { object: 'whatsapp_business_account', entry: [{ id: '1', changes: [change] }] },
      secret,
    )
  }

  async postRaw(content: Json, secret = this.appSecret): Promise<number> {
    const body = JSON.stringify(content)
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` }
    return (await fetch(this.webhook, { method: 'POST', headers, body })).status
  }

  /** Somebody writes to the number. */
  write(message: Json): Promise<number> {
    const common = {
      from: '15550002000',
      id: `wamid.${randomBytes(8).toString('hex')}`,
      timestamp: '1794700000',
    }
    return this.post({
      contacts: [{ profile: { name: 'Bob' }, wa_id: '15550002000' }],
      messages: [{ ...common, ...message }],
    })
  }

  /** A file that somebody sends along. */
  keep(mime: string, bytes: Buffer): string {
    const id = randomBytes(8).toString('hex')
    this.#files.set(id, { mime, bytes })
    return id
  }

  status(message: Json, status: string, more: Json = {}): Promise<number> {
    return this.post({
      statuses: [
        {
          id: 'wamid.x',
          status,
          timestamp: String(Math.floor(Date.now() / 1_000)),
          recipient_id: message.to,
          biz_opaque_callback_data: message.biz_opaque_callback_data,
          ...more,
        },
      ],
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.open += 1
    response.once('close', () => {
      this.open -= 1
    })
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const reply = (status: number, content: Json) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content))
    if (request.headers.authorization !== `Bearer ${this.token}`) {
      reply(401, { error: { code: 190, message: 'Invalid OAuth access token.', type: 'OAuthException' } })
      return
    }
    const path = request.url!.split('?')[0]!.replace('/v25.0', '')
    if (request.method === 'GET' && path === `/${this.phoneNumberId}`)
      reply(200, { id: this.phoneNumberId, display_phone_number: '+1 555-078-3881' })
    else if (request.method === 'GET' && path.startsWith('/file/')) {
      const file = this.#files.get(path.slice('/file/'.length))
      response.writeHead(file ? 200 : 404).end(file?.bytes)
    } else if (request.method === 'GET' && this.#files.has(path.slice(1)))
      reply(200, {
        url: `${this.url}/file/${path.slice(1)}`,
        mime_type: this.#files.get(path.slice(1))!.mime,
      })
    else if (path === `/${this.phoneNumberId}/media`) await this.#upload(request, body, reply)
    else if (path === `/${this.phoneNumberId}/messages`) this.#take(JSON.parse(body.toString()), reply)
    else reply(404, { error: { code: 100, message: 'Unsupported request' } })
  }

  async #upload(request: IncomingMessage, body: Buffer, reply: (status: number, content: Json) => void) {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': request.headers['content-type']! },
    }).formData()
    const file = form.get('file') as File
    if (form.get('messaging_product') !== 'whatsapp') {
      reply(400, { error: { code: 100, message: 'messaging_product is required' } })
      return
    }
    const id = randomBytes(8).toString('hex')
    this.uploads.set(id, { type: String(form.get('type')), bytes: Buffer.from(await file.arrayBuffer()) })
    reply(200, { id })
  }

  #take(message: Json, reply: (status: number, content: Json) => void): void {
    const { error, hang, statuses } = this.behaviour
    if (error) {
      this.refusals += 1
      reply(error.status, { error: { code: error.code, message: error.message ?? 'no' } })
      return
    }
    if (message.messaging_product !== 'whatsapp' || !/^\d+$/.test(message.to)) {
      reply(400, { error: { code: 100, message: 'Invalid parameter' } })
      return
    }
    this.taken.push(message)
    if (!hang)
      reply(200, {
        messaging_product: 'whatsapp',
        contacts: [{ input: message.to, wa_id: message.to }],
        messages: [{ id: `wamid.${randomBytes(8).toString('hex')}` }],
      })
    void (async () => {
      for (const status of statuses) await this.status(message, status)
    })()
  }
}
