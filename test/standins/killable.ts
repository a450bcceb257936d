/**
 * A gateway in a process of its own, to be killed in the middle of its work. Its simulated phones write each message
 * they put on the air into a ledger that survives. Starts at the first line of its input, and prints its address when it
 * listens. Arguments: database, ledger, port.
 */

import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { simulatedPhones } from '../../src/links/simulated.ts'
import { build } from '../../src/main.ts'

/** A machine whose clock is wrong by so much. */
const skewMs = Number(process.env.CLOCK_SKEW_MS ?? 0)
const trueNow = Date.now
Date.now = () => trueNow() + skewMs

// Loaded ahead of time, it waits for its turn, and ends with whoever loaded it.
process.stdin.on('end', () => process.exit())
await once(process.stdin, 'data')

const [database = '', ledger = '', port = '0'] = process.argv.slice(2)
const gateway = await build(
  readConfig({
    DATABASE_URL: database,
    DATA_DIR: dirname(ledger),
    PORT: port,
    RATE_LIMIT: '1000000',
    STREAMS_PER_KEY: '1000',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
    DRAIN_SECONDS: process.env.DRAIN_SECONDS ?? '0',
    WHATSAPP_WS_URL: process.env.WHATSAPP_WS_URL,
    WEBHOOK_ALLOW_HOSTS: process.env.WEBHOOK_ALLOW_HOSTS,
  }),
  {
    kinds: [
      simulatedPhones({
        now: Date.now,
        onAir: (message, device) => appendFileSync(ledger, `${message.id} ${device.id}\n`),
      }),
    ],
    ...(process.env.NODE_NAME !== undefined && { node: process.env.NODE_NAME }),
  },
)
process.on('SIGTERM', () => void gateway.stop().then(() => process.exit(0)))
process.stdout.write(`${await gateway.start()}\n`)
