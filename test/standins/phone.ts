/** Stand-ins for real phones: an Android phone that does what the test says, and keeps its own ledger. */

import type { Device } from '../../src/core/devices/device.ts'
import { type Link, LinkDown, type LinkKind, type News } from '../../src/core/link.ts'
import type { Message, Receipt } from '../../src/core/messages/message.ts'

export type StandinPhone = {
  device: Device
  news: News
  /** What was put on the air, in order. */
  sent: Message[]
  /** What the next hand-overs do. */
  mode: 'take' | 'line down' | 'uncertain'
  report(message: Pick<Message, 'id'>, outcome: Receipt['outcome'], at?: number): Promise<void>
}

export const phones = new Map<string, StandinPhone>()

/** Waits for nobody: the phone is there as soon as the gateway opened its link. */
export const phone = (deviceId: string): StandinPhone => {
  const found = phones.get(deviceId)
  if (!found) throw new Error('the gateway has not opened a link to this phone')
  return found
}

export const standinPhones: LinkKind = {
  kind: 'android',
  open(device: Device, news: News): Link {
    const standin: StandinPhone = {
      device,
      news,
      sent: [],
      mode: 'take',
      report: (message, outcome, at = Date.now()) =>
        news.receipt({ messageId: message.id, deviceId: device.id, outcome, at }),
    }
    phones.set(device.id, standin)
    void news.online(true)
    return {
      async send(message) {
        if (standin.mode === 'line down') throw new LinkDown('the line is down')
        standin.sent.push(message)
        if (standin.mode === 'uncertain') throw new Error('the socket broke')
        return undefined
      },
      close: async () => {},
    }
  },
}
