/**
 * A gateway to be measured, as a process of its own. Prints one JSON line when it listens: its port and a key.
 * Modes: `durable`; `alone` (a transaction for each write); `nothing` (accepts, and stores nothing); `phones` (eight
 * simulated phones take what is sent); `app` (no device yet: phones will come over HTTP).
 */

import { randomUUIDv7 } from 'node:crypto'
import { readConfig } from '../src/config.ts'
import { hashSecret, hintOf, newSecret, scopes } from '../src/core/access/key.ts'
import type { LinkKind } from '../src/core/link.ts'
import { Gateway } from '../src/core/messages/gateway.ts'
import { collectEarly } from '../src/host/gc.ts'
import { simulatedPhones } from '../src/links/simulated.ts'
import { build } from '../src/main.ts'

collectEarly()

/** Processor time, not time: what the machine does beside it must not count. */
let mostMs = 0
let before = process.threadCpuUsage()
setInterval(() => {
  const used = process.threadCpuUsage(before)
  before = process.threadCpuUsage()
  mostMs = Math.max(mostMs, (used.user + used.system) / 1_000)
}, 1).unref()
process.on('message', () => {
  process.send?.(mostMs)
  mostMs = 0
})
process.channel?.unref()

const [mode = 'durable', url = 'sqlite:data/bench.db'] = process.argv.slice(2)

/** Online, and never in a hurry: messages wait, so that only accepting them is measured. */
const idle: LinkKind = {
  kind: 'simulated',
  open: (_device, news) => {
    void news.online(true)
    return { close: async () => {} }
  },
}

if (mode === 'nothing') {
  // Everything but the disk: the device is chosen and the message is made, then forgotten.
  Gateway.prototype.send = async (environment, draft) => ({
    id: randomUUIDv7(),
    environmentId: environment.id,
    batchId: null,
    deviceId: randomUUIDv7(),
    pinned: false,
    recipient: draft.to,
    text: draft.message,
    mediaUrl: null,
    simSlot: null,
    parts: 1,
    expiresAt: 0,
  })
}

const gateway = await build(
  readConfig({
    DRAIN_SECONDS: '0',
    DATABASE_URL: url,
    PORT: '0',
    RATE_LIMIT: '1000000000',
    QUEUE_LIMIT: '1000000000',
    LOG_LEVEL: 'error',
    DATA_DIR: process.env.DATA_DIR,
    WHATSAPP_WS_URL: process.env.WHATSAPP_WS_URL,
    WEBHOOK_ALLOW_HOSTS: process.env.WEBHOOK_ALLOW_HOSTS,
  }),
  {
    kinds: [mode === 'phones' ? simulatedPhones({ now: Date.now }) : idle],
    ...(mode === 'alone' && { groupMost: 1 }),
  },
)
const staging = (await gateway.store.environments()).find(({ name }) => name === 'staging')!
const devices = mode === 'phones' ? 8 : mode === 'app' ? 0 : 1
for (let n = 0; n < devices; n += 1)
  await gateway.store.enrol({
    environmentId: staging.id,
    kind: 'simulated',
    name: `Phone ${n}`,
    phone: '',
    perMinute: null,
    perDay: null,
  })
const key = newSecret('staging')
await gateway.store.addKey(
  {
    environmentId: staging.id,
    name: 'bench',
    scopes,
    rateLimit: null,
    allowedIps: [],
    expiresAt: null,
    createdBy: 'bench',
  },
  hashSecret(key),
  hintOf(key),
)
const address = await gateway.start()
process.stdout.write(`${JSON.stringify({ port: Number(new URL(address).port), key })}\n`)
process.on('SIGTERM', () => void gateway.stop().then(() => process.exit(0)))
