/** A database of an earlier version, and what the newest one makes of it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate, steps } from '../../src/store/engine/migrate.ts'
import { sql, varying } from '../../src/store/engine/sql.ts'
import { openDriver, openStore } from '../../src/store/open.ts'
import { databases } from '../standins/databases.ts'

for (const { name, bare } of databases)
  test(`devices on ${name} keep their kind when its check goes, and linked numbers stay careful`, async () => {
    const url = await bare()
    const driver = await openDriver(url)
    const last = steps.findIndex(({ version }) => version === 9)
    await migrate(driver, Date.now, steps.slice(0, last))
    const before = [
      ['phone', 'android', null],
      // As versions before drivers wrote them.
      ['linked', 'whatsapp', null],
      ['official', 'whatsapp', 'cloud'],
      ['pretended', 'simulated', null],
    ] as const
    await driver.transact(async connection => {
      for (const [id, kind, driven] of before)
        await connection.all(sql`
          INSERT INTO devices (id, environment_id, kind, name, phone, driver, created_at)
          VALUES (${id}, 2, ${kind}, ${id}, '', ${driven}, 1)`)
    })
    await driver.close()
    const store = await openStore(url, { now: Date.now })
    const devices = (await store.allDevices()).map(
      device => [device.id, device.kind, device.driver, device.safety !== null] as const,
    )
    assert.deepEqual(devices.toSorted(), [
      ['linked', 'whatsapp', 'linked', true],
      ['official', 'whatsapp', 'cloud', false],
      ['phone', 'android', null, false],
      ['pretended', 'simulated', null, false],
    ])
    await store.close()
    const other = await openDriver(url)
    await other.transact(async connection => {
      await connection.all(sql`UPDATE devices SET kind = 'of a later version' WHERE id = 'pretended'`)
    })
    await other.close()
    const again = await openStore(url, { now: Date.now })
    assert.equal((await again.allDevices()).length, 4, 'a kind that is not known is listed, and harms nobody')
    await again.close()
  })

for (const { name, bare } of databases)
  test(`keys that could read all words in events on ${name} go on reading them, and the others get nothing`, async () => {
    const url = await bare()
    const driver = await openDriver(url)
    const last = steps.findIndex(({ version }) => version === 7)
    await migrate(driver, Date.now, steps.slice(0, last))
    const scopes = {
      follower: ['events:read'],
      seeing: ['messages:read', 'webhooks:manage'],
      sender: ['messages:send'],
    }
    await driver.transact(async connection => {
      for (const [id, list] of Object.entries(scopes))
        await connection.all(sql`
          INSERT INTO keys (id, environment_id, name, hash, hint, scopes, allowed_ips, created_by, created_at)
          VALUES (${id}, 1, ${id}, ${id}, '', ${JSON.stringify(list)}, '[]', 'test', 1)`)
    })
    await driver.close()
    const store = await openStore(url, { now: Date.now })
    const found = new Map((await store.allKeys()).map(key => [key.id, key]))
    assert.deepEqual(found.get('follower')!.scopes, ['events:read', 'messages:read', 'inbox:read'])
    assert.deepEqual(found.get('seeing')!.scopes, ['messages:read', 'webhooks:manage', 'inbox:read'])
    assert.deepEqual(found.get('sender')!.scopes, ['messages:send'])
    assert.equal(found.get('sender')!.parentId, null)
    await store.close()
    const after = await openDriver(url)
    const [row] = await after.reader.all<{ version: number }>(
      sql`SELECT MAX(version) AS version FROM ${varying('schema_version')}`,
    )
    assert.equal(row!.version, steps.at(-1)!.version)
    await after.close()
  })

for (const { name, bare } of databases)
  test(`a step on ${name} that is not for nodes of the version before waits until none is running, and changes nothing`, async () => {
    const url = await bare()
    const driver = await openDriver(url)
    const last = steps.findIndex(({ version }) => version === 11)
    await migrate(driver, Date.now, steps.slice(0, last))
    const see = (at: number) =>
      driver.transact(async connection => {
        await connection.all(sql`DELETE FROM nodes`)
        await connection.all(sql`INSERT INTO nodes (name, seen_at) VALUES ('old', ${at})`)
      })
    await see(Date.now())
    await assert.rejects(openStore(url), /earlier version works on this database/)
    const versions = await driver.reader.all<{ version: number }>(
      sql`SELECT MAX(version) AS version FROM ${varying('schema_version')}`,
    )
    assert.equal(versions[0]!.version, 10)
    await see(Date.now() - 60_000)
    await driver.close()
    const store = await openStore(url)
    assert.deepEqual(await store.leases(), [])
    await store.close()
  })

test('every step since leases came says whether a node of the version before may go on beside it', () => {
  for (const { version, text, name } of steps)
    if (version >= 11)
      assert.match(text, /^-- May a node of the version before go on beside it: (yes|no)\b/m, name)
})
