/** A link of its own, without a gateway: opened by hand, and everything that it tells is noted. */

import type { Device } from '../../src/core/devices/device.ts'
import type { Incoming } from '../../src/core/inbox/received.ts'
import type { LinkKind } from '../../src/core/link.ts'
import type { Message, Receipt } from '../../src/core/messages/message.ts'

export const device: Device = {
  id: '01a1dd33-667d-70a2-bcf0-144d9bff28bb',
  environmentId: 2,
  environment: 'staging',
  kind: 'simulated',
  name: 'Phone',
  phone: '+15550100000',
  perMinute: null,
  perDay: null,
  driver: null,
  safety: null,
  restrictedUntil: null,
  paused: false,
  draining: false,
  online: false,
  heldBy: null,
  about: {},
  connection: { registeredAt: null, streamAt: null, keyAt: null },
  attention: [],
  seenAt: null,
  createdAt: 0,
  removedAt: null,
}

let count = 0
export function messageTo(recipient: string): Message {
  count += 1
  return {
    seq: count,
    id: `01a1dd33-667e-7a55-8ca7-${String(count).padStart(12, '0')}`,
    environmentId: 2,
    batchId: null,
    deviceId: device.id,
    pinned: false,
    recipient,
    text: 'x',
    mediaUrl: null,
    simSlot: null,
    parts: 1,
    status: 'sending',
    errorCode: null,
    errorDetail: null,
    createdAt: Date.now(),
    sendAt: null,
    expiresAt: Date.now() + 86_400_000,
    handedAt: Date.now(),
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    attempts: 1,
    epoch: 1,
    version: 2,
    reported: null,
    cancelAsked: false,
  }
}

/** Opens a line and notes everything it tells. */
export function listen(kind: LinkKind) {
  const receipts: Receipt[] = []
  const received: Omit<Incoming, 'deviceId'>[] = []
  const news = {
    receipt: async (receipt: Receipt) => void receipts.push(receipt),
    received: async (incoming: Omit<Incoming, 'deviceId'>) => void received.push(incoming),
    amended: async () => {},
    online: async () => {},
  }
  const link = kind.open(device, news, { epoch: 1, isHeld: () => true })
  return { link, receipts, received }
}
