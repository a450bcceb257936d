/** The disk fills up while messages are under way, and there is room again: nothing accepted is lost, and all is told, without a restart. */

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Catcher } from '../standins/catcher.ts'
import { until } from '../standins/gateway.ts'
import { startStaging } from '../standins/staging.ts'

/** A disk of its own. Undefined where one may not be made. */
function smallDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'))
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder])
  if (status === 0) return folder
  rmSync(folder, { recursive: true })
  return undefined
}
const disk = smallDisk()

test('a disk that is full for a while: 503, nothing accepted is lost, and every event is told without a restart', {
  skip: disk === undefined && 'a small disk cannot be mounted here',
}, async () => {
  const catcher = new Catcher()
  const settings = { WEBHOOK_ALLOW_HOSTS: new URL(await catcher.start()).host, DATA_DIR: disk! }
  const { gateway, ask, stop } = await startStaging({
    database: `sqlite:${join(disk!, 'small.db')}`,
    settings,
  })
  const hook = await ask('POST', '/webhooks', { url: catcher.url, types: ['message.delivered'] })
  assert.equal(hook.status, 201)
  const accepted: string[] = []
  const refused = new Map<string, number>()
  const send = async () => {
    const text = 'x'.repeat(1_500)
    const { status, body } = await ask('POST', '/sms/send', { to: '+15550101237', message: text })
    if (status === 200) accepted.push(body.message_id)
    else refused.set(body.code, (refused.get(body.code) ?? 0) + 1)
  }
  const filler = join(disk!, 'filler')
  try {
    await Promise.all(Array.from({ length: 30 }, send))
    const { bavail, bsize } = statfsSync(disk!)
    writeFileSync(filler, Buffer.alloc(bavail * bsize - 200_000))
    await until('it is full', async () => {
      await Promise.all(Array.from({ length: 10 }, send))
      return (refused.get('storage_unavailable') ?? 0) > 20
    })
    assert.equal((await gateway.ask('GET', '/readyz')).status, 503)
    // What is under way meets it too: receipts, deliveries, the lease of the node.
    await sleep(3_000)
    rmSync(filler)
    const before = accepted.length
    await until('sends are accepted again', async () => {
      await send()
      return accepted.length >= before + 20
    })
    await until('every accepted message ends', async () => {
      const found = await Promise.all(accepted.map(id => gateway.store.message(2, id)))
      return found.every(message => message!.status === 'delivered')
    })
    await until('every one is told', () => {
      const told = new Set(catcher.caught.map(({ event }) => event.data.message_id as string))
      return accepted.every(id => told.has(id))
    })
    console.log(`${accepted.length} accepted and told, refused ${JSON.stringify([...refused])}`)
  } finally {
    rmSync(filler, { force: true })
    await stop()
    catcher.stop()
    spawnSync('umount', [disk!])
    rmSync(disk!, { recursive: true, force: true })
  }
})
