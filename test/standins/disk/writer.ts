/**
 * Accepts messages in groups for as long as it is told to, and notes each that was accepted. Arguments: database, a file
 * for the ids, how many, and `slow` if the disk is to be taken for a slow one.
 */

import { randomUUIDv7 } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import type { NewMessage } from '../../../src/core/messages/message.ts'
import { SqliteDriver } from '../../../src/store/engine/sqlite.ts'
import { openStore, storeOn } from '../../../src/store/open.ts'

const [path = '', ledger = '', count = '0', disk] = process.argv.slice(2)
const options = { now: Date.now }
// Makes the tables.
const first = await openStore(`sqlite:${path}`, options)
const device = await first.enrol({
  environmentId: 2,
  kind: 'simulated',
  name: 'Phone',
  phone: '',
  perMinute: null,
  perDay: null,
})
await first.close()

const store = await storeOn(new SqliteDriver(path, disk === 'slow'), options)
const accepted = openSync(ledger, 'w')
let position = 0
const message = (recipient: number): NewMessage => ({
  id: randomUUIDv7(),
  environmentId: 2,
  batchId: null,
  deviceId: device.id,
  pinned: false,
  recipient: `+1555${recipient}`,
  text: 'x'.repeat(1_000),
  mediaUrl: null,
  simSlot: null,
  parts: 1,
  expiresAt: Date.now() + 86_400_000,
})

/** Several at once, as clients come: each notes its own as soon as it knows. */
async function client(name: number): Promise<void> {
  for (let n = 0; n < Number(count) / 20; n += 1) {
    const one = message(1_000_000 + ((name * 7_919 + n * 104_729) % 8_999_999))
    await store.accept([one])
    position += writeSync(accepted, `${one.id}\n`, position)
  }
}
await Promise.all(Array.from({ length: 20 }, (_, name) => client(name)))
// As if it were killed: a store that is closed copies its log back first.
process.exit()
