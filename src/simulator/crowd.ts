/** Many simulated phones at once, and what they count together. */

import { AppPhone, type Counts, type PhoneOptions } from './phone.ts'
import type { Trouble } from './trouble.ts'
import { Wire } from './wire.ts'

export type Tally = {
  registered: number
  /** Phones with at least one stream. */
  online: number
  taken: number
  onAir: number
  /** Messages that were sent more than once. Anything but 0 is a serious bug. */
  twice: number
  sent: number
  delivered: number
  failed: number
  canceled: number
  received: number
  /** Calls that had to be tried again. */
  triedAgain: number
}

export type CrowdOptions = {
  trouble: Trouble
  /** Called for each message that a phone sends. */
  onAir?: (messageId: string) => void
  /** A certificate to trust. */
  ca?: string
}
export type Seat = Pick<PhoneOptions, 'url' | 'enrolmentToken' | 'name'>

export class Crowd {
  readonly tally: Tally = {
    registered: 0,
    online: 0,
    taken: 0,
    onAir: 0,
    twice: 0,
    sent: 0,
    delivered: 0,
    failed: 0,
    canceled: 0,
    received: 0,
    triedAgain: 0,
  }
  readonly phones: AppPhone[] = []
  readonly #options: CrowdOptions
  readonly #wire: Wire
  /** Over all phones: what one has sent, no other may send either. */
  readonly #ledger = new Set<string>()

  constructor(options: CrowdOptions) {
    this.#options = options
    this.#wire = new Wire(options.ca)
  }

  /** Resolves when the phone is registered. */
  async join(seat: Seat): Promise<AppPhone> {
    const phone = new AppPhone({
      ...seat,
      wire: this.#wire,
      trouble: this.#options.trouble,
      counts: this.#counts(),
      onAir: messageId => this.#note(messageId),
    })
    this.phones.push(phone)
    await phone.start()
    return phone
  }

  stop(): void {
    for (const phone of this.phones) phone.stop()
    this.#wire.close()
  }

  #note(messageId: string): void {
    if (this.#ledger.has(messageId)) this.tally.twice += 1
    this.#ledger.add(messageId)
    this.#options.onAir?.(messageId)
  }

  #counts(): Counts {
    const { tally } = this
    const count = (name: Exclude<keyof Tally, 'online' | 'twice'>) => (change: number) => {
      tally[name] += change
    }
    let streams = 0
    return {
      registered: count('registered'),
      taken: count('taken'),
      onAir: count('onAir'),
      sent: count('sent'),
      delivered: count('delivered'),
      failed: count('failed'),
      canceled: count('canceled'),
      received: count('received'),
      triedAgain: count('triedAgain'),
      streams: change => {
        tally.online -= streams > 0 ? 1 : 0
        streams += change
        tally.online += streams > 0 ? 1 : 0
      },
    }
  }
}
