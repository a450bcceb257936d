/** Signing in: set-up links, passwords, one-time codes, sessions, roles, and what is noted of it. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { placeOfAddress } from '../../src/core/access/network.ts'
import { totpCode, totpStepAt } from '../../src/core/access/totp.ts'
import type { Role } from '../../src/core/access/user.ts'
import { accountsOn } from '../../src/wiring/accounts.ts'
import { databases, scratch } from '../standins/databases.ts'
import { startGateway, type TestGateway } from '../standins/gateway.ts'
import { Visitor } from '../standins/visitor.ts'

const password = 'four words make one'
const owner = 'owner@example.org'

for (const { name, empty } of databases)
  describe(`signing in on ${name}`, () => {
    let gateway: TestGateway
    let accounts: ReturnType<typeof accountsOn>
    before(async () => {
      const settings = { DATA_DIR: scratch() }
      gateway = await startGateway({ database: await empty(), settings })
      gateway.clock.now = Date.now()
      gateway.clock.real = false
      accounts = accountsOn(gateway.store, gateway.sealer, () => gateway.clock.now)
    })
    after(() => gateway.stop())

    const visitor = () => new Visitor(gateway.url)
    const signedIn = async (email = owner) => {
      const one = visitor()
      const { status, body } = await one.ask('POST', '/session/login', { email, password })
      assert.equal(status, 200, JSON.stringify(body))
      return one
    }
    /** Somebody of the team with this role. */
    const colleague = async (role: Role) => {
      const email = `${role}@example.org`
      const { token } = await accounts.ticket('invitation', 'test', { email, role })
      const one = visitor()
      assert.equal((await one.ask('POST', '/session/links/use', { token, password })).status, 200)
      return one
    }

    test('before set-up nobody can sign in, and only the link leads on', async () => {
      assert.deepEqual((await visitor().ask('GET', '/session')).body.data, { set_up: false, insecure: false })
      const refused = await visitor().ask('POST', '/session/login', { email: owner, password })
      assert.equal(refused.body.code, 'wrong_credentials')
      assert.equal((await visitor().ask('POST', '/session/links/look', { token: 'x' })).status, 410)
    })
    test('a set-up link ends after an hour, and a weak password does not use it up', async () => {
      const { token: old } = await accounts.ticket('setup', 'test')
      gateway.clock.now += 3_600_001
      assert.equal((await visitor().ask('POST', '/session/links/look', { token: old })).status, 410)
      const { token } = await accounts.ticket('setup', 'test')
      for (const weak of ['short', 'password1234', 'owner1234567', '123456789012', 'aaaaaaaaaaaaa']) {
        const { status, body } = await visitor().ask('POST', '/session/links/use', {
          token,
          email: owner,
          password: weak,
        })
        assert.equal(status, 400, weak)
        assert.equal(body.errors[0].pointer, '/password')
      }
      assert.equal((await visitor().ask('POST', '/session/links/look', { token })).status, 200)
    })
    test('of many who use the set-up link at once, one becomes the owner', async () => {
      const { token } = await accounts.ticket('setup', 'test')
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          visitor().ask('POST', '/session/links/use', {
            token,
            email: n === 0 ? owner : `o${n}@example.org`,
            password,
          }),
        ),
      )
      assert.equal(answers.filter(({ status }) => status === 200).length, 1)
      const users = await gateway.store.users()
      assert.equal(users.length, 1)
      assert.equal(users[0]!.role, 'owner')
      // Whoever it was, the rest of this file knows them under one name.
      if (users[0]!.email !== owner) {
        const again = await accounts.ticket('invitation', 'test', { email: owner, role: 'owner' })
        await visitor().ask('POST', '/session/links/use', { token: again.token, password })
        await gateway.store.removeUser(users[0]!.id)
      }
      const late = await accounts.ticket('setup', 'test')
      assert.equal((await visitor().ask('POST', '/session/links/look', { token: late.token })).status, 410)
    })
    test('the password is kept as argon2id, and tokens only as hashes', async () => {
      const [user] = await gateway.store.users()
      assert.match(user!.password, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
      assert.ok(!user!.password.includes(password))
    })
    test('a session counts in place of a key, in both environments', async () => {
      const one = await signedIn()
      for (const base of ['/api/v1', '/staging/api/v1'])
        assert.equal((await one.ask('GET', `${base}/devices`)).status, 200)
      await one.ask('POST', '/session/logout')
      assert.equal((await one.ask('GET', '/api/v1/devices')).status, 401)
    })
    test('its cookie is for this host alone, and no script reads it', async () => {
      const { headers } = await visitor().ask('POST', '/session/login', { email: owner, password })
      assert.match(
        headers.getSetCookie()[0]!,
        /^basestation=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=604800$/,
      )
    })
    test('requests of other sites are refused, with the cookie or without', async () => {
      const one = await signedIn()
      const send = (headers: Record<string, string>) =>
        one.ask('POST', '/staging/api/v1/opt-outs', { number: '+15550101234' }, headers)
      assert.equal((await send({ 'sec-fetch-site': 'cross-site' })).body.code, 'cross_site')
      assert.equal((await send({ 'sec-fetch-site': 'same-site' })).body.code, 'cross_site')
      assert.equal((await send({ 'sec-fetch-site': 'none' })).body.code, 'cross_site')
      const login = await visitor().ask(
        'POST',
        '/session/login',
        { email: owner, password },
        {
          'sec-fetch-site': 'cross-site',
        },
      )
      assert.equal(login.body.code, 'cross_site')
      const reading = await one.ask('GET', '/staging/api/v1/messages', undefined, {
        'sec-fetch-site': 'cross-site',
      })
      assert.equal(reading.body.code, 'cross_site')
      assert.deepEqual((await one.ask('GET', '/staging/api/v1/opt-outs')).body.data, [])
    })
    test('older browsers without those headers need the right Origin', async () => {
      const one = await signedIn()
      const send = (headers: Record<string, string>) =>
        fetch(`${gateway.url}/staging/api/v1/opt-outs`, {
          method: 'POST',
          headers: { cookie: one.cookie, 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ number: '+15550101299' }),
        })
      assert.equal((await send({})).status, 403)
      assert.equal((await send({ origin: 'https://evil.example' })).status, 403)
      assert.equal((await send({ origin: gateway.url })).status, 201)
    })
    test('a key works from anywhere, whatever the browser says', async () => {
      const key = await gateway.key('staging')
      const { status } = await gateway.ask('GET', '/staging/api/v1/messages', {
        key,
        headers: { 'sec-fetch-site': 'cross-site', cookie: 'basestation=wrong' },
      })
      assert.equal(status, 200)
    })
    test('wrong tries are kept waiting, longer and longer, and by account and address', async () => {
      const account = 'guessed@example.org'
      const attempt = () =>
        visitor().ask('POST', '/session/login', { email: account, password: 'wrong wrong wrong' })
      // Each is kept waiting: at once, they wait together.
      for (const { status } of await Promise.all(Array.from({ length: 5 }, attempt)))
        assert.equal(status, 401)
      const limited = await attempt()
      assert.equal(limited.status, 429)
      assert.ok(Number(limited.headers.get('retry-after')) >= 1)
      // Another account from the same address waits as well.
      assert.equal((await visitor().ask('POST', '/session/login', { email: owner, password })).status, 429)
      gateway.clock.now += 2_000
      assert.equal((await attempt()).status, 401)
      assert.ok(Number((await attempt()).headers.get('retry-after')) >= 2)
      gateway.clock.now += 3_600_000
      await signedIn()
    })
    test('a hundred guesses at once are no more than a few', async () => {
      gateway.clock.now += 25 * 3_600_000
      const answers = await Promise.all(
        Array.from({ length: 100 }, () =>
          visitor().ask('POST', '/session/login', {
            email: 'many@example.org',
            password: 'wrong wrong wrong',
          }),
        ),
      )
      assert.equal(answers.filter(({ status }) => status === 401).length, 5)
      assert.equal(answers.filter(({ status }) => status === 429).length, 95)
      gateway.clock.now += 25 * 3_600_000
    })
    test('a session ends when unused for 12 hours, and after 7 days', async () => {
      const one = await signedIn()
      for (let n = 0; n < 15; n += 1) {
        gateway.clock.now += 11 * 3_600_000
        assert.equal((await one.ask('GET', '/session')).body.data.user?.email, owner)
      }
      gateway.clock.now += 11 * 3_600_000
      assert.equal((await one.ask('GET', '/session')).body.data.user, undefined)
      const other = await signedIn()
      gateway.clock.now += 12 * 3_600_000 + 1
      assert.equal((await other.ask('GET', '/staging/api/v1/devices')).body.code, 'not_signed_in')
    })
    test('a new password ends all other sessions', async () => {
      const [here, there] = [await signedIn(), await signedIn()]
      const wrong = await here.ask('POST', '/session/password', {
        current: 'not it at all',
        password: 'x'.repeat(20),
      })
      assert.equal(wrong.status, 400)
      const changed = await here.ask('POST', '/session/password', { current: password, password })
      assert.equal(changed.status, 200)
      assert.equal((await here.ask('GET', '/session/sessions')).status, 200)
      assert.equal((await there.ask('GET', '/session/sessions')).status, 401)
    })
    test('sessions are listed, and each can be ended', async () => {
      const [here, there] = [await signedIn(), await signedIn()]
      const { body } = await here.ask('GET', '/session/sessions')
      const other = body.data.find(({ current }: { current: boolean }) => !current)
      for (const one of body.data)
        if (!one.current) assert.equal((await here.ask('DELETE', `/session/sessions/${one.id}`)).status, 200)
      assert.ok(other)
      assert.equal((await there.ask('GET', '/session/sessions')).status, 401)
      assert.equal((await here.ask('GET', '/session/sessions')).body.data.length, 1)
    })
    test('with one-time codes on, a password is not enough, and no code works twice', async () => {
      const one = await colleague('admin')
      const { secret, uri } = (await one.ask('POST', '/session/two-factor')).body.data
      assert.match(uri, /^otpauth:\/\/totp\//)
      const code = () => totpCode(secret, totpStepAt(gateway.clock.now))
      assert.equal(
        (await one.ask('POST', '/session/two-factor/confirm', { secret, code: '000000', password })).status,
        400,
      )
      assert.equal(
        (await one.ask('POST', '/session/two-factor/confirm', { secret, code: code(), password })).status,
        200,
      )
      // Nobody with a borrowed browser puts their own app in its place.
      const other = (await one.ask('POST', '/session/two-factor')).body.data.secret
      const replaced = { secret: other, code: totpCode(other, totpStepAt(gateway.clock.now)), password }
      assert.equal((await one.ask('POST', '/session/two-factor/confirm', replaced)).status, 400)
      const login = (extra: object = {}) =>
        visitor().ask('POST', '/session/login', { email: 'admin@example.org', password, ...extra })
      assert.equal((await login()).body.code, 'code_needed')
      assert.equal(
        (await login({ code: code() })).body.code,
        'wrong_credentials',
        'the one it was set up with',
      )
      gateway.clock.now += 30_000
      const used = code()
      const both = await Promise.all([login({ code: used }), login({ code: used })])
      assert.deepEqual(both.map(({ status }) => status).sort(), [200, 401])
      assert.equal(
        (await one.ask('POST', '/session/two-factor/remove', { password: 'no no no no' })).status,
        400,
      )
      assert.equal((await one.ask('POST', '/session/two-factor/remove', { password })).status, 200)
      assert.equal((await login()).status, 200)
      gateway.clock.now += 3_600_000
    })
    test('each role may do what it may, and nothing more', async () => {
      const number = { number: '+15550101777' }
      const asks: [string, string, object | undefined, Record<Role, boolean>][] = [
        [
          'GET',
          '/staging/api/v1/messages',
          undefined,
          { viewer: true, operator: true, admin: true, owner: true },
        ],
        [
          'POST',
          '/staging/api/v1/opt-outs',
          number,
          { viewer: false, operator: true, admin: true, owner: true },
        ],
        [
          'GET',
          '/staging/api/v1/keys',
          undefined,
          { viewer: false, operator: false, admin: true, owner: true },
        ],
        [
          'GET',
          '/staging/api/v1/webhooks',
          undefined,
          { viewer: false, operator: false, admin: true, owner: true },
        ],
        ['GET', '/session/team', undefined, { viewer: false, operator: false, admin: true, owner: true }],
        ['GET', '/session/audit', undefined, { viewer: false, operator: false, admin: true, owner: true }],
        ['GET', '/session/sessions', undefined, { viewer: true, operator: true, admin: true, owner: true }],
      ]
      const people: Record<Role, Visitor> = {
        viewer: await colleague('viewer'),
        operator: await colleague('operator'),
        admin: await signedIn('admin@example.org'),
        owner: await signedIn(),
      }
      for (const [method, path, body, may] of asks)
        for (const [role, one] of Object.entries(people)) {
          const answer = await one.ask(method, path, body)
          assert.equal(answer.status < 300, may[role as Role], `${role} ${method} ${path}: ${answer.text}`)
          if (!may[role as Role]) assert.equal(answer.body.code, 'not_allowed')
        }
    })
    test('an admin makes no owner and touches none; the last owner stays', async () => {
      const [admin, chief] = [await signedIn('admin@example.org'), await signedIn()]
      const { members } = (await chief.ask('GET', '/session/team')).body.data
      const idOf = (email: string) => members.find((one: { email: string }) => one.email === email).id
      const invite = await admin.ask('POST', '/session/team/invitations', {
        email: 'x@example.org',
        role: 'owner',
      })
      assert.equal(invite.body.code, 'not_allowed')
      assert.equal((await admin.ask('DELETE', `/session/team/${idOf(owner)}`)).body.code, 'not_allowed')
      assert.equal((await chief.ask('DELETE', `/session/team/${idOf(owner)}`)).body.code, 'last_owner')
      const demoted = await chief.ask('PATCH', `/session/team/${idOf(owner)}`, { role: 'viewer' })
      assert.equal(demoted.body.code, 'last_owner')
      // Whose role changes signs in again, and whoever is removed is out.
      const viewer = await signedIn('viewer@example.org')
      await admin.ask('PATCH', `/session/team/${idOf('viewer@example.org')}`, { role: 'operator' })
      assert.equal((await viewer.ask('GET', '/session/sessions')).status, 401)
      const again = await signedIn('viewer@example.org')
      assert.equal((await admin.ask('DELETE', `/session/team/${idOf('viewer@example.org')}`)).status, 200)
      assert.equal((await again.ask('GET', '/session/sessions')).status, 401)
    })
    test('an invitation can be taken back; a link for a new password ends what was', async () => {
      const chief = await signedIn()
      const { url } = (
        await chief.ask('POST', '/session/team/invitations', { email: 'New@Example.org', role: 'viewer' })
      ).body.data
      const token = new URL(url).hash.slice(1)
      const [invitation] = (await chief.ask('GET', '/session/team')).body.data.invitations
      assert.equal(invitation.email, 'new@example.org')
      assert.equal((await chief.ask('DELETE', `/session/team/invitations/${invitation.id}`)).status, 200)
      assert.equal((await visitor().ask('POST', '/session/links/use', { token, password })).status, 410)
      const operator = await signedIn('operator@example.org')
      const { members } = (await chief.ask('GET', '/session/team')).body.data
      const { id } = members.find(({ email }: { email: string }) => email === 'operator@example.org')
      const link = (await chief.ask('POST', `/session/team/${id}/password`)).body.data.url
      assert.equal((await operator.ask('GET', '/session/sessions')).status, 200)
      const reset = { token: new URL(link).hash.slice(1), password: 'another four words' }
      assert.equal((await visitor().ask('POST', '/session/links/use', reset)).status, 200)
      assert.equal((await operator.ask('GET', '/session/sessions')).status, 401)
      assert.equal((await visitor().ask('POST', '/session/links/use', reset)).status, 410)
    })
    test('nobody makes a link for a new password of their own: the present one is asked for', async () => {
      const chief = await signedIn()
      const { id } = (await chief.ask('GET', '/session')).body.data.user
      assert.equal((await chief.ask('POST', `/session/team/${id}/password`)).status, 400)
    })
    test('links end with the rights of those who made them, and of those they are for', async () => {
      const chief = await signedIn()
      const schemer = await colleague('admin').catch(async () => await signedIn('admin@example.org'))
      const invited = await schemer.ask('POST', '/session/team/invitations', {
        email: 'accomplice@example.org',
        role: 'admin',
      })
      const { members } = (await chief.ask('GET', '/session/team')).body.data
      const idOf = (email: string) => members.find((one: { email: string }) => one.email === email).id
      const forOperator = await schemer.ask('POST', `/session/team/${idOf('operator@example.org')}/password`)
      await chief.ask('PATCH', `/session/team/${idOf('operator@example.org')}`, { role: 'owner' })
      await chief.ask('DELETE', `/session/team/${idOf('admin@example.org')}`)
      for (const { body } of [invited, forOperator]) {
        const token = new URL(body.data.url).hash.slice(1)
        assert.equal((await visitor().ask('POST', '/session/links/use', { token, password })).status, 410)
      }
      await chief.ask('PATCH', `/session/team/${idOf('operator@example.org')}`, { role: 'operator' })
    })
    test('a session that was being begun with the old password is none', async () => {
      const [user] = await gateway.store.users()
      const draft = { hash: 'x', userId: user!.id, password: 'what it was before', address: '', agent: '' }
      assert.equal(await gateway.store.beginSession(draft), undefined)
    })
    test('what a role may not do is noted as refused; what strangers try without end is not', async () => {
      const chief = await signedIn()
      const viewer = await colleague('viewer')
      await viewer.ask('POST', '/staging/api/v1/sms/send', { to: '+15550101234', message: 'x' })
      const log = async () => (await chief.ask('GET', '/session/audit')).body.data
      const [last] = await log()
      assert.deepEqual([last.email, last.action, last.refusal], ['viewer@example.org', 'send', 'not_allowed'])
      const was = (await log()).length
      for (let n = 0; n < 5; n += 1)
        await visitor().ask('POST', '/session/links/use', { token: 'none', password })
      assert.equal((await log()).length, was)
    })
    test('what people did is noted, what they were refused too, and nothing private', async () => {
      const chief = await signedIn()
      await chief.ask('POST', '/staging/api/v1/opt-outs', { number: '+15550107878' })
      await chief.ask('POST', '/staging/api/v1/sms/send', { to: 'nobody', message: 'secret words' })
      const { body, text } = await chief.ask('GET', '/session/audit')
      const [refused, done] = body.data
      assert.deepEqual(
        [refused.action, refused.refusal, refused.fields],
        ['send', 'invalid_recipient', ['to', 'message']],
      )
      assert.deepEqual(
        [done.action, done.refusal, done.environment, done.email],
        ['optOut', null, 'staging', owner],
      )
      for (const secret of ['+15550107878', 'secret words', password])
        assert.ok(!text.includes(secret), secret)
      assert.ok(
        body.data.some(
          ({ action, refusal }: { action: string; refusal: string }) =>
            action === 'login' && refusal === 'wrong_credentials',
        ),
      )
    })
    test('what gives lasting access asks for the password again, once it was given a while ago', async () => {
      const one = await signedIn()
      const key = await gateway.key('staging', { scopes: ['keys:manage'] })
      const make = () => one.ask('POST', '/staging/api/v1/keys', { name: 'k', scopes: ['messages:read'] })
      const invite = () =>
        one.ask('POST', '/session/team/invitations', { email: 'later@example.org', role: 'viewer' })
      const codes = async () => [(await make()).body.code, (await invite()).body.code]
      assert.deepEqual([(await make()).status, (await invite()).status], [201, 200])
      gateway.clock.now += 15 * 60_000
      assert.deepEqual(await codes(), ['password_needed', 'password_needed'])
      // Looking, and what ends with the session, goes on.
      assert.equal((await one.ask('GET', '/staging/api/v1/keys')).status, 200)
      const wrong = await one.ask('POST', '/session/confirm', { password: 'no no no no' })
      assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [400, '/password'])
      assert.deepEqual(await codes(), ['password_needed', 'password_needed'])
      assert.equal((await one.ask('POST', '/session/confirm', { password })).status, 200)
      assert.deepEqual([(await make()).status, (await invite()).status], [201, 200])
      // Another browser of theirs is asked itself; a key has no password.
      gateway.clock.now += 15 * 60_000
      const other = await signedIn()
      assert.equal((await other.ask('POST', '/staging/api/v1/keys', { name: 'k' })).status, 201)
      assert.equal((await make()).body.code, 'password_needed')
      assert.equal(
        (
          await gateway.ask('POST', '/staging/api/v1/keys', {
            key,
            body: { name: 'k', scopes: ['keys:manage'] },
          })
        ).status,
        201,
      )
    })
  })

test('over plain http nobody signs in from another machine, unless the operator says so', async () => {
  for (const allowed of [false, true]) {
    const url = 'http://gateway.lan:8080'
    const gateway = await startGateway({
      settings: { PUBLIC_URL: url, ...(allowed && { ALLOW_INSECURE_LOGIN: '1' }) },
    })
    try {
      const answer = await rawPost(gateway, 'gateway.lan:8080')
      assert.equal(answer.body.code, allowed ? 'wrong_credentials' : 'insecure_login')
      assert.equal((await rawPost(gateway, 'evil.example')).body.code, 'wrong_host')
    } finally {
      await gateway.stop()
    }
  }
})
test('behind https the cookie is a __Host- cookie, sent over https alone', async () => {
  const gateway = await startGateway({ settings: { PUBLIC_URL: 'https://sms.example.org' } })
  try {
    const accounts = accountsOn(gateway.store, gateway.sealer, Date.now)
    const { token } = await accounts.ticket('setup', 'test')
    const answer = await rawPost(gateway, 'sms.example.org', '/session/links/use', {
      token,
      email: owner,
      password,
    })
    assert.equal(answer.status, 200, answer.text)
    assert.match(answer.headers.get('set-cookie')!, /^__Host-basestation=.*; Secure$/)
  } finally {
    await gateway.stop()
  }
})

/** `fetch` chooses the Host itself. */
async function rawPost(
  gateway: TestGateway,
  host: string,
  path = '/session/login',
  body: object = { email: owner, password },
) {
  const { request } = await import('node:http')
  const port = [...gateway.logged].find(({ text }) => text === 'listening')!.port as number
  return await new Promise<{ status: number; headers: Headers; body: { code?: string }; text: string }>(
    (resolve, reject) => {
      const asked = request(
        {
          port,
          path,
          method: 'POST',
          headers: { host, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
        },
        async response => {
          let text = ''
          for await (const chunk of response) text += chunk
          const headers = new Headers()
          for (const [name, value] of Object.entries(response.headers)) headers.set(name, String(value))
          resolve({ status: response.statusCode!, headers, body: JSON.parse(text), text })
        },
      )
      asked.on('error', reject)
      asked.end(JSON.stringify(body))
    },
  )
}
test('an IPv6 network counts as one, however its zeros are written', () => {
  assert.equal(placeOfAddress('2001:db8::a:b:c:d'), placeOfAddress('2001:db8:0:0:1:2:3:4'))
  assert.notEqual(placeOfAddress('2001:db8:1::1'), placeOfAddress('2001:db8:2::1'))
  assert.equal(placeOfAddress('192.0.2.7'), '192.0.2.7')
})
