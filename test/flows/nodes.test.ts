/** What is shown of nodes, and asking one of them to hand over. */

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scopes } from '../../src/core/access/key.ts'
import { databases } from '../standins/databases.ts'
import { startGateway, until } from '../standins/gateway.ts'
import { ranHere } from '../standins/program.ts'

for (const { name, empty } of databases)
  describe(`nodes on ${name}`, () => {
    test('each is shown with what it holds; one that drains is not ready, answers on, and its devices go on at the other', async () => {
      const database = await empty()
      const a = await startGateway({ database, node: 'here/1/a' })
      await a.device('staging')
      await until('online', async () => (await a.store.allDevices()).every(({ online }) => online))
      const b = await startGateway({ database, node: 'there/1/b' })
      const key = await a.key('production', { scopes })
      const tester = await a.key('staging', { scopes })
      const ask = (gateway: typeof a, method: string, path: string, body?: object) =>
        gateway.ask(method, `/api/v1${path}`, { key, ...(body && { body }) })
      const nodes = async () => (await ask(b, 'GET', '/nodes')).body.data
      try {
        const [first, second] = await nodes()
        assert.deepEqual(
          [first.id, first.host, first.status, first.links, first.runs_loops, first.answered],
          ['a', 'here', 'alive', 1, true, false],
        )
        assert.deepEqual([second.id, second.links, second.answered], ['b', 0, true])
        const listed = await ranHere(['nodes', 'list', '--json'], { DATABASE_URL: database })
        assert.deepEqual(
          JSON.parse(listed.out).map(({ id, status }: { id: string; status: string }) => [id, status]),
          [
            ['a', 'alive'],
            ['b', 'alive'],
          ],
        )
        const refused = await a.ask('POST', '/staging/api/v1/nodes/a/drain', { key: tester })
        assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope'])
        const nobody = await ask(b, 'POST', '/nodes/nobody/drain')
        assert.deepEqual([nobody.status, nobody.body.code], [404, 'node_not_found'])
        assert.equal((await ask(b, 'POST', '/nodes/a/drain')).body.data.status, 'draining')
        await until('handed over', async () => {
          const [one, other] = await nodes()
          return one.links === 0 && other.links === 1 && !one.runs_loops && other.runs_loops
        })
        const last = await ask(b, 'POST', '/nodes/b/drain')
        assert.deepEqual([last.status, last.body.code], [400, 'invalid_request'], 'nobody would be left')
        const ready = await a.ask('GET', '/readyz')
        assert.deepEqual([ready.status, ready.body.code], [503, 'shutting_down'])
        assert.equal((await b.ask('GET', '/readyz')).status, 200)
        const body = { to: '+15550101234', message: 'x' }
        const sent = await a.ask('POST', '/staging/api/v1/sms/send', { key: tester, body })
        assert.equal(sent.status, 200)
        assert.equal(sent.headers.get('connection'), 'close')
        await until('sent by the other', () => b.onAir.length === 1)
        assert.equal(a.onAir.length, 0)
      } finally {
        await Promise.all([a.stop(), b.stop()])
      }
    })

    test('the command drains a node, and says when there is none', async () => {
      const database = await empty()
      const a = await startGateway({ database, node: 'here/1/a' })
      const other = await startGateway({ database, node: 'there/1/c' })
      try {
        const wrong = await ranHere(['nodes', 'drain', 'b'], { DATABASE_URL: database })
        assert.equal(wrong.code, 4)
        assert.match(wrong.error, /no node with the id b/)
        const drained = await ranHere(['nodes', 'drain', 'a'], { DATABASE_URL: database })
        assert.equal(drained.code, 0, drained.error)
        await until('not ready', async () => (await a.ask('GET', '/readyz')).status === 503)
      } finally {
        await Promise.all([a.stop(), other.stop()])
      }
    })
  })
