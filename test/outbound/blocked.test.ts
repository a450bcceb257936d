/** No form of a private address is ever reached, over http or https, by redirect or by a name that changes its mind. */

import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Blocked, type Guard } from '../../src/outbound/connect.ts'
import { getGuarded } from '../../src/outbound/get.ts'
import { selfSigned } from '../standins/certificate.ts'

/** Names of the test, and what they mean, the first time and afterwards. */
const names: Record<string, string[][]> = {
  'loopback.test': [['127.0.0.1']],
  'loopback6.test': [['::1']],
  'mapped.test': [['::ffff:127.0.0.1']],
  'compatible.test': [['::127.0.0.1']],
  'private.test': [['10.0.0.1'], ['192.168.1.1']],
  'meta.test': [['169.254.169.254']],
  'many.test': [['10.0.0.1', '127.0.0.1', '::1', 'fe80::1']],
  'rebinding.test': [['127.0.0.1'], ['127.0.0.2']],
  'any.test': [['0.0.0.0']],
  'nat64.test': [['64:ff9b::7f00:1']],
  '6to4.test': [['2002:7f00:1::']],
}

/** Hosts, as strangers write them. All of them are this machine, or one that is nobody's business. */
const hosts = [
  '127.0.0.1',
  '127.0.0.2',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '0177.0.0.1',
  '0177.0.0.01',
  '017700000001',
  '127.0.0.1.',
  '127。0。0。1',
  '１２７.0.0.1',
  '127%2e0%2e0%2e1',
  '%31%32%37.0.0.1',
  '0',
  '0.0.0.0',
  '00.0.0.0',
  '0.0.0.1',
  '10.0.0.1',
  '10.255.255.255',
  '0xa000001',
  '100.64.0.1',
  '169.254.169.254',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '192.168.0.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[::127.0.0.1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::1]',
  '[2002:7f00:1::]',
  '[2001:db8::1]',
  '[2001::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[100::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  ...Object.keys(names),
  'loopback.test.',
  'LOOPBACK.TEST',
  'user@127.0.0.1',
  'example.org@127.0.0.1',
]

describe('addresses that are not public', () => {
  const reached: string[] = []
  /** The ports of the servers that must not be reached, and of those that send people there. */
  const servers = { plain: 0, secure: 0, plainDoor: 0, secureDoor: 0 }
  let redirect = ''
  let guard: Guard
  const asked = new Map<string, number>()
  const closers: (() => void)[] = []

  before(async () => {
    const answer: RequestListener = (request, response) => {
      if (request.url === '/redirect') response.writeHead(302, { location: redirect }).end()
      else {
        reached.push(request.url ?? '')
        response.end('hello')
      }
    }
    const { cert, key } = selfSigned('127.0.0.1')
    for (const [name, server] of Object.entries({
      plain: createServer(answer),
      secure: createSecureServer({ cert, key }, answer),
      plainDoor: createServer(answer),
      secureDoor: createSecureServer({ cert, key }, answer),
    })) {
      // Every address of this machine, so that any form that got through would be answered.
      await new Promise<void>(resolve => server.listen(0, '::', resolve))
      servers[name as keyof typeof servers] = (server.address() as AddressInfo).port
      closers.push(() => server.close())
    }
    guard = {
      allowed: new Set(),
      ca: cert,
      lookup: async given => {
        const name = given.toLowerCase().replace(/\.$/, '')
        const meanings = names[name] ?? [['127.0.0.1', '::1']]
        const count = asked.get(name) ?? 0
        asked.set(name, count + 1)
        return meanings[Math.min(count, meanings.length - 1)]!
      },
    }
  })
  after(() => {
    for (const close of closers) close()
  })

  const get = (address: string, by = guard) => getGuarded(address, by, AbortSignal.timeout(3_000))
  const schemes = [
    ['http', 'plain'],
    ['https', 'secure'],
  ] as const

  for (const [scheme, server] of schemes)
    test(`${hosts.length} forms over ${scheme}: none is reached`, async () => {
      assert.ok(hosts.length >= 60)
      for (const host of hosts) {
        const address = `${scheme}://${host}:${servers[server]}/secret`
        await assert.rejects(get(address), error => {
          // What the parser of addresses refuses is not reached either.
          assert.ok(error instanceof Blocked || !URL.canParse(address), `${address}: ${error}`)
          return true
        })
      }
      assert.deepEqual(reached, [])
    })

  for (const [scheme, server] of schemes)
    test(`redirects over ${scheme} are judged again: none of the forms is reached`, async () => {
      const door = servers[`${server}Door`]
      const allowing = { ...guard, allowed: new Set([`127.0.0.1:${door}`]) }
      // A header holds only plain letters.
      for (const host of hosts.filter(one => /^[\x20-\x7e]+$/.test(one))) {
        redirect = `${scheme}://${host}:${servers[server]}/secret`
        await assert.rejects(get(`${scheme}://127.0.0.1:${door}/redirect`, allowing), redirect)
      }
      assert.deepEqual(reached, [])
    })

  test('control: an allowed host is reached, by its exact name and port, over http and https', async () => {
    for (const [scheme, server] of schemes) {
      const port = servers[server]
      const { response } = await get(`${scheme}://127.0.0.1:${port}/allowed`, {
        ...guard,
        allowed: new Set([`127.0.0.1:${port}`]),
      })
      assert.equal(response.statusCode, 200)
      response.destroy()
      await assert.rejects(
        get(`${scheme}://127.0.0.1:${port}/x`, { ...guard, allowed: new Set(['127.0.0.1:1']) }),
        Blocked,
      )
    }
    assert.deepEqual(reached.splice(0), ['/allowed', '/allowed'])
  })

  test('a name is resolved once, and the connection goes to exactly what was judged', async () => {
    asked.clear()
    await assert.rejects(get(`http://rebinding.test:${servers.plain}/`), Blocked)
    assert.equal(asked.get('rebinding.test'), 1)
  })

  test('at most three redirects; from https to http none; other schemes never', async () => {
    const allowing = { ...guard, allowed: new Set(['127.0.0.1']) }
    redirect = '/redirect'
    await assert.rejects(get(`http://127.0.0.1:${servers.plain}/redirect`, allowing), /more than 3 redirects/)
    redirect = `http://127.0.0.1:${servers.plain}/secret`
    await assert.rejects(get(`https://127.0.0.1:${servers.secure}/redirect`, allowing), /from https to http/)
    for (const target of [
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      'gopher://127.0.0.1/',
      'data:text/plain,x',
    ]) {
      redirect = target
      await assert.rejects(get(`http://127.0.0.1:${servers.plain}/redirect`, allowing), Blocked)
      await assert.rejects(get(target, allowing), Blocked)
    }
    assert.deepEqual(reached, [])
  })

  test('a certificate that nobody vouches for is refused', async () => {
    const { ca: _, ...stranger } = { ...guard, allowed: new Set(['127.0.0.1']) }
    await assert.rejects(get(`https://127.0.0.1:${servers.secure}/secret`, stranger), /self.signed/)
    assert.deepEqual(reached, [])
  })
})
