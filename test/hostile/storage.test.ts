/** Nobody spoils what others write: one bad value fails alone. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hashToken } from '../../src/core/access/user.ts'
import { openStore } from '../../src/store/open.ts'
import { databases, scratch } from '../standins/databases.ts'
import { startGateway, type TestGateway } from '../standins/gateway.ts'
import { teamOf } from '../standins/team.ts'

for (const { name, empty } of databases)
  describe(`writing together on ${name}`, () => {
    let gateway: TestGateway
    let folder: string
    before(async () => {
      folder = scratch()
      gateway = await startGateway({ database: await empty(), settings: { DATA_DIR: folder } })
      await gateway.device('staging')
      await gateway.fleet.refresh()
    })
    after(() => gateway.stop())

    test('an address with NUL in it is one that nobody knows, and is noted', async () => {
      const { owner, colleague } = teamOf(gateway)
      const one = await owner()
      const viewer = await colleague('viewer')
      for (const path of ['/api/v1/keys/%00', '/api/v1/keys/a%00b/rotate', '/session/sessions/%00'])
        for (const method of ['DELETE', 'POST']) {
          const { status } = await viewer.ask(method, path)
          assert.ok([403, 404, 405].includes(status), `${method} ${path}: ${status}`)
        }
      const audit = await one.ask('GET', '/session/audit')
      assert.ok(
        audit.body.data.some((row: { email: string; refusal: string }) => row.refusal === 'not_allowed'),
      )
      for (const before of ['%00', 'x%00y', '%EF%BF%BD'])
        assert.equal((await one.ask('GET', `/session/audit?before=${before}`)).status, 400)
    })

    test('what the database refuses of one caller is stored for all the others', async () => {
      const database = await empty()
      const store = await openStore(database, { now: Date.now })
      const draft = (target: string) => ({
        email: 'a@example.org',
        environment: null,
        action: 'test',
        target,
        fields: [],
        address: '127.0.0.1',
        refusal: null,
      })
      // The bad one first, by a statement that nobody waits for: those behind it in the pipeline fail for its sake.
      const bad = store.audit(draft('\0'))
      const others = [
        store.touchKey('x'),
        store.beginSession({
          hash: hashToken('x'),
          userId: 'nobody',
          password: 'x',
          address: '',
          agent: '',
        }),
        ...Array.from({ length: 20 }, (_, n) => store.audit(draft(String(n)))),
      ]
      const [refused, ...kept] = await Promise.allSettled([bad, ...others])
      // SQLite takes NUL; PostgreSQL does not, and says so of this one alone.
      assert.equal(refused.status, name === 'PostgreSQL' ? 'rejected' : 'fulfilled')
      assert.deepEqual(
        kept.filter(({ status }) => status === 'rejected'),
        [],
      )
      assert.equal((await store.auditLog({ limit: 100 })).length, name === 'PostgreSQL' ? 20 : 21)
      await store.close()
    })
  })
