/** A simulated phone's calls to the gateway, over a network that is slow and loses things. */

import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Trouble } from './trouble.ts'
import type { Answer, Wire } from './wire.ts'

export type ConnectionOptions = {
  /** The address that people type into the app. */
  url: string
  /** The private token that people type into the app. */
  enrolmentToken: string
  name: string
  wire: Wire
  trouble: Trouble
  /** The app's version, which goes along with every call. */
  version?: string
  /** Called for each call that has to be retried. */
  onLost: () => void
}

type Hook = { id: string; url: string; event: string }

export class Connection {
  readonly #options: ConnectionOptions
  #id = ''
  #token: string | undefined
  #hooks: readonly Hook[] = []
  /** The app invents one until it is told its own. */
  #signingKey: string = randomUUID()
  #closed = false

  constructor(options: ConnectionOptions) {
    this.#options = options
  }

  close(): void {
    this.#closed = true
  }

  get token(): string {
    return this.#token ?? ''
  }

  async register(): Promise<void> {
    const { name, enrolmentToken } = this.#options
    const about = { simCards: [{ slotIndex: 0, simNumber: 1 }] }
    const { body } = await this.persist(() =>
      this.call('POST', '/device', { name: `acme/${name}`, ...about }, enrolmentToken),
    )
    const { id, token } = body as { id: string; token: string }
    this.#id = id
    this.#token = token
  }

  async fetchHooks(): Promise<void> {
    this.#hooks = (await this.persist(() => this.call('GET', '/webhooks'))).body as Hook[]
  }

  async fetchSettings(): Promise<void> {
    const { body } = await this.persist(() => this.call('GET', '/settings'))
    this.#signingKey = (body as { webhooks: { signing_key: string } }).webhooks.signing_key
  }

  /** Posts an event until it is taken: the phone forgets nothing it was told to hand over. */
  async post(event: string, payload: object): Promise<void> {
    const id = randomUUID()
    await this.persist(async () => {
      const hook = this.#hooks.find(one => one.event === event)
      if (!hook) throw new Error('the phone has not fetched its webhooks yet')
      const body = JSON.stringify({ id, webhookId: hook.id, event, deviceId: this.#id, payload })
      const timestamp = String(Math.floor(Date.now() / 1_000))
      const signature = createHmac('sha256', this.#signingKey).update(body).update(timestamp).digest('hex')
      const headers = { ...this.#agent(), 'x-signature': signature, 'x-timestamp': timestamp }
      return await this.#unreliable({ method: 'POST', url: hook.url, headers, body })
    })
  }

  call(method: string, path: string, body?: object, token = this.#token): Promise<Answer> {
    return this.#unreliable({
      method,
      url: this.#options.url + path,
      headers: { ...this.#agent(), ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  }

  /** Tries until it is answered well, with growing pauses. */
  async persist(work: () => Promise<Answer>, isMoot: () => boolean = () => false): Promise<Answer> {
    const { trouble, onLost } = this.#options
    for (let attempt = 0; ; attempt += 1) {
      // Nobody waits for the answer any more.
      if (this.#closed || isMoot()) return new Promise(() => {})
      try {
        const answer = await work()
        if (answer.status < 300) return answer
      } catch {
        // A refusal and a lost call are the same to a phone: it tries again.
      }
      onLost()
      const longest = Math.min(5_000, trouble.retryMs * 2 ** Math.min(attempt, 5))
      await sleep(longest * (0.5 + Math.random() / 2), undefined, { ref: false })
    }
  }

  #agent() {
    return { 'user-agent': `me.capcom.smsgateway/${this.#options.version ?? '1.75.0'}` }
  }

  /** The network between: slow, and sometimes it swallows the request or the answer. */
  async #unreliable(call: Parameters<Wire['ask']>[0]): Promise<Answer> {
    const { wire, trouble } = this.#options
    if (trouble.latencyMs > 0) await sleep(trouble.latencyMs * Math.random())
    if (Math.random() < trouble.lost / 2) throw new Error('the request was lost')
    const answer = await wire.ask(call)
    if (Math.random() < trouble.lost / 2) throw new Error('the answer was lost')
    return answer
  }
}
