/** The app on a phone, call by call: what a test says is what goes over the wire. */

import { createHmac } from 'node:crypto'
import http from 'node:http'
import type { Device } from '../../src/core/devices/device.ts'
import type { DeviceDraft } from '../../src/core/devices/device-draft.ts'
import { type Enrolment, inviteAndExplain } from '../../src/core/devices/enrolment.ts'
import type { EnvironmentName } from '../../src/core/environment.ts'
import { type Answer, type TestGateway, until } from './gateway.ts'

export const userAgent = (version: string) => `me.capcom.smsgateway/${version}`

export type TestStream = {
  /** Names of events, in order. */
  events: string[]
  text: () => string
  headers: http.IncomingHttpHeaders
  status: number
  ended: () => boolean
  close: () => void
}

export type Slot = { device: Device; enrolment: Enrolment }

/** A device that waits for its phone. */
export async function slot(
  gateway: TestGateway,
  draft: Partial<DeviceDraft> & { code?: boolean; environment?: EnvironmentName } = {},
): Promise<Slot> {
  const { code = false, environment = 'production', ...rest } = draft
  const device = await gateway.device(environment, { kind: 'android', ...rest })
  const enrolment = await inviteAndExplain(
    { store: gateway.store, publicUrl: gateway.url, now: Date.now() },
    device,
    code,
  )
  return { device, enrolment }
}

export class App {
  readonly gateway: TestGateway
  readonly device: Device
  readonly enrolment: Enrolment
  token = ''
  version = '1.75.0'
  readonly #streams: TestStream[] = []

  constructor(gateway: TestGateway, { device, enrolment }: Slot) {
    this.gateway = gateway
    this.device = device
    this.enrolment = enrolment
  }

  /** A phone that is registered already. */
  static async enrol(
    gateway: TestGateway,
    draft: Partial<DeviceDraft> & { environment?: EnvironmentName } = {},
    version = '1.75.0',
  ): Promise<App> {
    const app = new App(gateway, await slot(gateway, draft))
    app.version = version
    const { status, body } = await app.register()
    if (status !== 201) throw new Error(`the phone was not let in: ${status}`)
    app.token = body.token
    return app
  }

  register(
    authorization = `Bearer ${this.enrolment.token}`,
    body: unknown = { name: 'acme/fish' },
  ): Promise<Answer> {
    return this.call('POST', '/device', body, { authorization })
  }

  call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.gateway.ask(method, path.startsWith('//') ? path.slice(1) : `/mobile/v1${path}`, {
      ...(body !== undefined && { body }),
      headers: {
        'user-agent': userAgent(this.version),
        ...(this.token !== '' && { authorization: `Bearer ${this.token}` }),
        ...headers,
      },
    })
  }

  /** What the phone is told to send. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  async list(): Promise<any[]> {
    return (await this.call('GET', '/message')).body
  }

  report(id: string, state: string, more: object = {}): Promise<Answer> {
    return this.call('PATCH', '/message', [{ id, state, recipients: [], states: {}, ...more }])
  }

  /** Opens an event stream and waits for its answer. */
  stream(token = this.token): Promise<TestStream> {
    return new Promise((resolve, reject) => {
      const request = http.get(`${this.gateway.url}/mobile/v1/events`, {
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'text/event-stream',
          'accept-encoding': 'gzip',
          'user-agent': 'okhttp/4.10.0',
        },
      })
      request.on('error', reject)
      request.on('response', response => {
        let text = ''
        let ended = false
        const stream: TestStream = {
          events: [],
          text: () => text,
          headers: response.headers,
          status: response.statusCode ?? 0,
          ended: () => ended,
          close: () => request.destroy(),
        }
        this.#streams.push(stream)
        response.setEncoding('utf8')
        response.on('data', chunk => {
          text += chunk
          stream.events = [...text.matchAll(/^event: (.*)\ndata: .+\n\n/gm)].map(([, name]) => name!)
        })
        for (const end of ['end', 'close', 'error'] as const)
          response.on(end, () => {
            ended = true
          })
        resolve(stream)
      })
    })
  }

  async online(): Promise<void> {
    await until('the phone is online', async () => {
      await this.gateway.fleet.refresh()
      return this.gateway.fleet.member(this.device.id)?.online === true
    })
  }

  hangUp(): void {
    for (const stream of this.#streams) stream.close()
  }

  async signingKey(): Promise<string> {
    return (await this.call('GET', '/settings')).body.webhooks.signing_key
  }

  async hookPath(): Promise<string> {
    const { body } = await this.call('GET', '/webhooks')
    return new URL(body[0].url).pathname
  }

  /** Posts an event as the app does, signed with this key. */
  async post(
    event: string,
    payload: unknown,
    options: { key?: string; id?: string; path?: string } = {},
  ): Promise<Answer> {
    const { key = await this.signingKey(), id = crypto.randomUUID(), path } = options
    const body = JSON.stringify({ id, webhookId: 'x', event, deviceId: this.device.id, payload })
    return this.postRaw(body, key, path)
  }

  async postRaw(body: string, key: string, path?: string): Promise<Answer> {
    const timestamp = String(Math.floor(Date.now() / 1_000))
    const signature = createHmac('sha256', key).update(body).update(timestamp).digest('hex')
    return this.gateway.ask('POST', path ?? (await this.hookPath()), {
      body,
      headers: {
        'user-agent': userAgent(this.version),
        'x-signature': signature,
        'x-timestamp': timestamp,
      },
    })
  }
}
