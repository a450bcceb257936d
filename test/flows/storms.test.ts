/** Bad moments: a backup under load, a stop with idle connections, a first start whose port is taken. */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { backup, restore } from '../../src/store/backup.ts'
import { openStore } from '../../src/store/open.ts'
import { databases, emptySqlite, scratch } from '../standins/databases.ts'
import { startGateway, until } from '../standins/gateway.ts'

for (const { name, empty } of databases)
  test(`a backup of ${name} is made while messages keep coming, and holds every one answered before it began`, async () => {
    const url = await empty()
    const gateway = await startGateway({ database: url })
    const key = await gateway.key('staging')
    await gateway.device('staging')
    const bulk = () =>
      gateway.ask('POST', '/staging/api/v1/sms/bulk', {
        key,
        body: {
          recipients: Array.from({ length: 100 }, (_, n) => `+155501${10_000 + n}`),
          message: 'x'.repeat(150),
        },
      })
    // Waits for a device without a line, so it is still queued when the backup is made.
    const idle = await gateway.device('staging', { kind: 'whatsapp' })
    const waiting = {
      id: randomUUID(),
      environmentId: 2,
      batchId: null,
      deviceId: idle.id,
      pinned: true,
      recipient: '+15550101234',
      text: 'x',
      mediaUrl: null,
      simSlot: null,
      parts: 1,
      expiresAt: Date.now() + 86_400_000,
    }
    await gateway.store.accept([waiting])
    const before: string[] = []
    for (let n = 0; n < 30; n += 1) before.push(...(await bulk()).body.message_ids)
    let done = false
    const traffic = (async () => {
      while (!done) await bulk()
    })()
    const file = join(scratch(), `${name}-storm.backup`)
    await backup(url, file, Date.now)
    done = true
    await traffic
    await gateway.stop()
    const elsewhere = await emptySqlite()
    const { held } = await restore(elsewhere, file, Date.now)
    const copy = await openStore(elsewhere, { now: Date.now })
    const found = await Promise.all(before.map(id => copy.message(2, id)))
    assert.ok(found.every(message => message !== undefined))
    assert.equal((await copy.events(0, 100_000)).length > 3_000, true)
    assert.equal(await copy.heldCount(), held)
    const leases = await copy.takeLinks('copy', [idle.id])
    const claim = async () => (await copy.claim(idle.id, 10, { epoch: leases.get(idle.id)! })).messages
    assert.deepEqual(await claim(), [], 'held messages are not handed out')
    for (let left = held; left > 0; ) {
      const { queued, taken } = await copy.unhold(100)
      left -= queued + taken
    }
    assert.deepEqual(
      (await claim()).map(({ id }) => id),
      [waiting.id],
    )
    await copy.close()
  })

test('a stop does not wait for connections that have gone idle', async () => {
  const gateway = await startGateway()
  const key = await gateway.key('staging')
  const agent = new Agent({ keepAlive: true })
  const call = request(`${gateway.url}/staging/api/v1/messages/received`, {
    agent,
    headers: { authorization: `Bearer ${key}` },
  })
  call.end()
  const stopped = gateway.stop().then(() => 'stopped')
  await once(call, 'response').then(
    ([answer]) => answer.resume(),
    () => {},
  )
  const deadline = new Promise(resolve => setTimeout(resolve, 5_000, 'still waiting').unref())
  assert.equal(await Promise.race([stopped, deadline]), 'stopped')
  agent.destroy()
})

test('a first start whose port is taken keeps its key for the next one', async () => {
  const { spawn } = await import('node:child_process')
  const blocker = createServer().listen(0, '127.0.0.1')
  await once(blocker, 'listening')
  const { port } = blocker.address() as { port: number }
  const program = join(import.meta.dirname, '../../src/cli/basestation.ts')
  const start = () =>
    spawn(process.execPath, [program, 'serve'], {
      env: {
        PATH: process.env.PATH!,
        DATA_DIR: join(scratch(), 'taken'),
        PORT: String(port),
        LOG_LEVEL: 'error',
      },
    })
  const refused = start()
  const [code] = await once(refused, 'exit')
  assert.equal(code, 1)
  blocker.close()
  await once(blocker, 'close')
  const second = start()
  let out = ''
  second.stdout.on('data', chunk => {
    out += chunk
  })
  await until('it welcomes', () => out.includes('Ctrl-C'))
  assert.match(out, /bs_test_/)
  second.kill('SIGTERM')
  await once(second, 'exit')
})
