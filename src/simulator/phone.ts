/** A simulated phone with the app: it speaks the app's protocol over real HTTP, as a real phone would. */

import { randomUUID } from 'node:crypto'
import { answerMs, simulatedOutcome } from '../core/devices/simulated-outcome.ts'
import { Connection, type ConnectionOptions } from './connection.ts'

/** What one phone tells whoever counts. */
export type Counts = Record<
  | 'registered'
  | 'streams'
  | 'taken'
  | 'onAir'
  | 'sent'
  | 'delivered'
  | 'failed'
  | 'canceled'
  | 'received'
  | 'triedAgain',
  (change: number) => void
>

export type PhoneOptions = Omit<ConnectionOptions, 'onLost'> & {
  counts: Counts
  /** Called for each message at the moment it is sent: the phone's own ledger. */
  onAir?: (messageId: string) => void
}

type State = 'Pending' | 'Processed' | 'Sent' | 'Delivered' | 'Failed' | 'Cancelled'
type Kept = {
  id: string
  recipient: string
  state: State
  times: Partial<Record<State, string>>
  error?: string
}
type Item = { id: string; phoneNumbers: string[]; validUntil?: string; state?: string }

export class AppPhone {
  readonly #options: PhoneOptions
  readonly #messages = new Map<string, Kept>()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #streams = new Set<{ close: () => void }>()
  readonly #connection: Connection
  #pull = 0
  #stopped = false

  constructor(options: PhoneOptions) {
    this.#options = options
    this.#connection = new Connection({ ...options, onLost: () => options.counts.triedAgain(1) })
  }

  /** Registers, however long that takes, and opens its streams. */
  async start(): Promise<void> {
    const { counts, trouble } = this.#options
    await this.#connection.register()
    counts.registered(1)
    this.#openStream()
    if (Math.random() < trouble.twoStreams) this.#openStream()
  }

  stop(): void {
    this.#stopped = true
    this.#connection.close()
    for (const timer of this.#timers) clearTimeout(timer)
    for (const stream of this.#streams) stream.close()
  }

  /** A text comes in. Resolves when the gateway has taken it. */
  async receive(sender: string, text: string): Promise<void> {
    const payload = {
      messageId: randomUUID().slice(0, 8),
      sender,
      phoneNumber: sender,
      message: text,
      simNumber: 1,
      receivedAt: new Date().toISOString(),
    }
    await this.#connection.post('sms:received', payload)
    this.#options.counts.received(1)
  }

  #openStream(): void {
    if (this.#stopped) return
    const { wire, url, trouble, counts } = this.#options
    let open = false
    const stream = wire.listen(
      `${url}/events`,
      { authorization: `Bearer ${this.#connection.token}`, 'user-agent': 'okhttp/4.10.0' },
      {
        open: () => {
          open = true
          counts.streams(1)
          void this.#fetchMessages()
        },
        event: (name, data) => this.#told(name, data),
        end: () => {
          this.#streams.delete(stream)
          if (open) counts.streams(-1)
          else counts.triedAgain(1)
          this.#later(trouble.retryMs * (0.5 + Math.random()), () => this.#openStream())
        },
      },
    )
    this.#streams.add(stream)
  }

  #told(event: string, data: string): void {
    if (event === 'MessageEnqueued') void this.#fetchMessages()
    if (event === 'WebhooksUpdated') void this.#connection.fetchHooks()
    if (event === 'SettingsUpdated') void this.#connection.fetchSettings()
    if (event === 'MessageCancelled') this.#cancel((JSON.parse(data) as { messageId: string }).messageId)
  }

  /** A new trigger replaces a pull that is under way, as in the app. */
  async #fetchMessages(): Promise<void> {
    this.#pull += 1
    const mine = this.#pull
    const { body } = await this.#connection.persist(
      () => this.#connection.call('GET', '/message?order=fifo'),
      () => mine !== this.#pull,
    )
    if (mine !== this.#pull || !Array.isArray(body)) return
    for (const item of body as Item[]) this.#take(item)
  }

  /** An id it knows is reported again, never sent again. */
  #take(item: Item): void {
    const known = this.#messages.get(item.id)
    if (item.state === 'Cancelling') {
      this.#cancel(item.id)
      return
    }
    if (known) {
      this.#report(known)
      return
    }
    const message: Kept = {
      id: item.id,
      recipient: item.phoneNumbers[0]!,
      state: 'Pending',
      times: { Pending: new Date().toISOString() },
    }
    this.#messages.set(item.id, message)
    this.#options.counts.taken(1)
    this.#send(message, item.validUntil)
  }

  #cancel(id: string): void {
    const message = this.#messages.get(id)
    if (!message) return
    if (message.state === 'Pending') {
      this.#move(message, 'Cancelled')
      this.#options.counts.canceled(1)
    } else this.#report(message)
  }

  #send(message: Kept, validUntil: string | undefined): void {
    const { counts, onAir } = this.#options
    if (validUntil !== undefined && Date.parse(validUntil) < Date.now()) {
      this.#move(message, 'Failed', 'TTL expired')
      return
    }
    const fate = simulatedOutcome(message.recipient)
    onAir?.(message.id)
    counts.onAir(1)
    this.#move(message, 'Processed')
    const then = (delay: number | undefined, work: () => void) => {
      if (delay !== undefined) this.#later(delay, work)
    }
    then(fate.failed, () => {
      this.#move(message, 'Failed', 'Send result: RESULT_NETWORK_REJECT (refused by the network)')
      counts.failed(1)
    })
    then(fate.sent, () => {
      this.#move(message, 'Sent')
      counts.sent(1)
    })
    then(fate.delivered, () => {
      this.#move(message, 'Delivered')
      counts.delivered(1)
    })
    then(
      fate.answer === undefined ? undefined : answerMs,
      () => void this.receive(message.recipient, fate.answer!),
    )
  }

  #move(message: Kept, state: State, error?: string): void {
    message.state = state
    message.times[state] = new Date().toISOString()
    if (error !== undefined) message.error = error
    this.#report(message)
    const event = events[state]
    // The app reports it twice: as a receipt, and to every webhook for such events.
    if (event)
      void this.#connection.post(event, {
        messageId: message.id,
        ...(error !== undefined && { reason: error }),
      })
  }

  /** Each report is a job of its own that tells what is so when it runs; so they repeat and overtake each other. */
  #report(message: Kept): void {
    const { twice, overtaken } = this.#options.trouble
    const delay = Math.random() < overtaken ? 500 * Math.random() : 0
    for (let copies = Math.random() < twice ? 2 : 1; copies > 0; copies -= 1)
      this.#later(delay, () => this.#tell(message))
  }

  #tell(message: Kept): void {
    const connection = this.#connection
    void connection.persist(() => connection.call('PATCH', '/message', [snapshot(message)]))
  }

  #later(delay: number, work: () => void): void {
    if (this.#stopped) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      if (!this.#stopped) work()
    }, delay)
    this.#timers.add(timer)
  }
}

const events: Partial<Record<State, string>> = {
  Sent: 'sms:sent',
  Delivered: 'sms:delivered',
  Failed: 'sms:failed',
}

const snapshot = ({ id, recipient, state, times, error }: Kept) => ({
  id,
  state,
  recipients: [{ phoneNumber: recipient, state, ...(error !== undefined && { error }) }],
  states: times,
})
