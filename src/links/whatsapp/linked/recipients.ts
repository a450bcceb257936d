/** Who is on WhatsApp, and under which name. Asked seldom: asking much is what spammers do. */

import { BoundedMap } from '../../../core/lib/bounded-map.ts'
import type { Socket } from './library.ts'

const presentMs = 7 * 24 * 3_600_000
const absentMs = 3_600_000
const most = 10_000

export type Recipient = { jid: string } | 'absent' | 'unknown'

export class Recipients {
  readonly #now: () => number
  readonly #known = new BoundedMap<string, { jid: string | undefined; at: number }>(most)

  constructor(now: () => number) {
    this.#now = now
  }

  async find(socket: Socket, number: string): Promise<Recipient> {
    // Somebody whose number is hidden wrote to us: they are there, under this name.
    if (number.endsWith('@lid')) return { jid: number }
    const known = this.#known.get(number)
    const fresh = known && this.#now() - known.at < (known.jid === undefined ? absentMs : presentMs)
    if (fresh && known.jid === undefined) return 'absent'
    const jid = fresh ? known.jid : await this.#ask(socket, number)
    if (jid === undefined) return this.#known.has(number) ? 'absent' : 'unknown'
    // Without a recipient device, the server would accept it and never deliver it.
    const devices = await socket.getUSyncDevices([jid], true, false)
    const own = socket.user?.id.split(/[:@]/)[0]
    return devices.some(({ user }) => user !== own) || jid.startsWith(`${own}@`) ? { jid } : 'unknown'
  }

  forget(number: string): void {
    this.#known.delete(number)
  }

  async #ask(socket: Socket, number: string): Promise<string | undefined> {
    const answer = await socket.onWhatsApp(number.slice(1))
    // No answer does not mean absent.
    if (answer === undefined) {
      this.#known.delete(number)
      return undefined
    }
    const jid = answer.find(({ exists }) => exists)?.jid
    this.#known.set(number, { jid, at: this.#now() })
    return jid
  }
}
