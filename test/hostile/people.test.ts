/** People who sign in, and those who would like to: none keeps another out, or fills the disk. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { placeOfAddress } from '../../src/core/access/network.ts'
import { limits } from '../../src/core/limits.ts'
import { databases, scratch } from '../standins/databases.ts'
import { startGateway, type TestGateway } from '../standins/gateway.ts'
import { password, teamOf } from '../standins/team.ts'
import { Visitor } from '../standins/visitor.ts'

for (const { name, empty } of databases)
  describe(`people on ${name}`, () => {
    let gateway: TestGateway
    let people: ReturnType<typeof teamOf>
    let owner: Visitor
    before(async () => {
      const folder = scratch()
      gateway = await startGateway({ database: await empty(), settings: { DATA_DIR: folder } })
      gateway.clock.real = false
      people = teamOf(gateway, () => gateway.clock.now)
      owner = await people.owner()
    })
    after(() => gateway.stop())

    test('invitations end with the password of whoever made them', async () => {
      const admin = await people.colleague('admin')
      const invited = await admin.ask('POST', '/session/team/invitations', {
        email: 'accomplice@example.org',
        role: 'admin',
      })
      assert.equal(invited.status, 200, invited.text)
      const token = new URL(invited.body.data.url).hash.slice(1)
      const { token: reset } = await people.accounts.ticket('password', 'test', {
        email: 'admin@example.org',
        role: null,
      })
      await new Visitor(gateway.url).ask('POST', '/session/links/use', { token: reset, password })
      const used = await new Visitor(gateway.url).ask('POST', '/session/links/use', { token, password })
      assert.deepEqual([used.status, used.body.code], [410, 'link_expired'])
    })

    test('strangers who try an account do not keep its owner out', async () => {
      const email = 'owner@example.org'
      // Each is kept waiting: at once, they wait together.
      const atOnce = <Result>(attempt: (n: number) => Promise<Result>) =>
        Promise.all(Array.from({ length: 12 }, (_, n) => attempt(n)))
      await atOnce(() =>
        new Visitor(gateway.url).ask('POST', '/session/login', { email, password: 'wrong wrong wrong' }),
      )
      const stranger = await new Visitor(gateway.url).ask('POST', '/session/login', { email, password })
      assert.equal(stranger.body.code, 'rate_limited')
      await owner.ask('POST', '/session/logout')
      const back = await owner.ask('POST', '/session/login', { email, password })
      assert.equal(back.status, 200, back.text)
      // However it is written, it is one browser, with one count.
      const [kept] = (await owner.ask('POST', '/session/login', { email, password })).headers
        .getSetCookie()
        .filter(one => one.startsWith('basestation-browser='))
      const sealed = kept!.split(';')[0]!
      const answers = await atOnce(n =>
        new Visitor(gateway.url).ask(
          'POST',
          '/session/login',
          { email, password: 'wrong wrong wrong' },
          { cookie: `${sealed}${'!'.repeat(n)}` },
        ),
      )
      const codes: string[] = answers.map(({ body }) => body.code)
      assert.ok(codes.includes('rate_limited'), codes.join())
      gateway.clock.now += 24 * 3_600_000
      // What the browser keeps is good for this account only.
      await atOnce(() =>
        new Visitor(gateway.url).ask('POST', '/session/login', {
          email: 'admin@example.org',
          password: 'wrong wrong',
        }),
      )
      const other = await owner.ask('POST', '/session/login', { email: 'admin@example.org', password })
      assert.equal(other.body.code, 'rate_limited')
      gateway.clock.now += 24 * 3_600_000
      assert.equal((await owner.ask('POST', '/session/login', { email, password })).status, 200)
    })

    test('refusals fill no disk: names are cut, and only the first of a minute are kept', async () => {
      const viewer = await people.colleague('viewer')
      const rows = async () =>
        (await gateway.store.auditLog({ limit: 5_000 })).filter(row => row.email === 'viewer@example.org')
      const before = (await rows()).length
      const long = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`${n}${'x'.repeat(200)}`, 1]))
      for (let n = 0; n < limits.auditRefusals.value + 20; n += 1)
        assert.equal((await viewer.ask('POST', '/api/v1/keys', long)).status, 403)
      const noted = await rows()
      assert.equal(noted.length - before, limits.auditRefusals.value)
      for (const { fields } of noted) {
        assert.ok(fields.length <= limits.auditFields.value)
        for (const field of fields) assert.ok(field.length <= limits.auditFieldName.value)
      }
      // What is refused only once it is tried counts too.
      for (let n = 0; n < 10; n += 1) await viewer.ask('DELETE', '/session/sessions/none')
      assert.equal((await rows()).length, noted.length)
      gateway.clock.now += 60_001
      assert.equal((await viewer.ask('DELETE', '/session/sessions/none')).status, 404)
      assert.equal((await rows()).length, noted.length + 1)
    })

    test('whoever is signed in asks only so often, of /session too', async () => {
      const operator = await people.colleague('operator')
      const cookie = operator.cookie
      const ask = () =>
        fetch(`${gateway.url}/session/sessions`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } })
      const statuses: number[] = []
      while (statuses.length < limits.visitorRequests.value + 100) {
        const some = await Promise.all(Array.from({ length: 100 }, ask))
        for (const response of some) {
          statuses.push(response.status)
          await response.body?.cancel()
        }
      }
      assert.equal(statuses.filter(status => status === 429).length, 100)
      const api = await operator.ask('GET', '/api/v1/devices')
      assert.deepEqual([api.status, api.body.code], [429, 'rate_limited'])
      const noted = await gateway.store.auditLog({ limit: 1_000 })
      assert.ok(noted.every(({ refusal }) => refusal !== 'rate_limited'))
    })
  })

test('whatever is given as an address, its place is something', () => {
  for (const odd of [
    '1:2:3:4:5:6:7:8::1',
    '',
    '::',
    ':::::::::',
    'fe80::1%eth0',
    '1.2.3.4',
    '::ffff:1.2.3.4',
    'x',
  ])
    assert.equal(typeof placeOfAddress(odd), 'string', odd)
  assert.equal(placeOfAddress('fe80::1%eth0'), 'fe80:0:0:0')
})
