/** Addresses by which somebody would have the gateway call machines that are none of theirs: in every way one can write them. */

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { checkMediaUrl } from '../../src/core/messages/media-url.ts'
import { hostOf } from '../../src/core/webhooks/allowed-host.ts'
import { isPublicAddress } from '../../src/core/webhooks/public-address.ts'
import { checkWebhookUrl } from '../../src/core/webhooks/webhook.ts'
import { Blocked } from '../../src/outbound/connect.ts'
import { getGuarded } from '../../src/outbound/get.ts'
import { Poster } from '../../src/outbound/post.ts'

/** One of each network that is nobody's business. The first two are this machine. */
const addresses = [
  ...[
    '127.0.0.1',
    '127.8.9.10',
    '0.0.0.0',
    '10.0.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.1',
  ],
  ...[
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
  ],
  ...['240.0.0.1', '255.255.255.255'],
]
const bytesOf = (address: string) => address.split('.').map(Number)
const hex = (byte: number) => byte.toString(16).padStart(2, '0')

/** IPv4 as people and programs write it; what the URL parser takes for an address is one. */
function spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address)
  const whole = ((a * 256 + b) * 256 + c) * 256 + d
  const octal = (byte: number) => `0${byte.toString(8)}`
  return [
    address,
    `${address}.`,
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    String(whole),
    `0x${whole.toString(16)}`,
    `0${whole.toString(8)}`,
    bytesOf(address).map(octal).join('.'),
    bytesOf(address)
      .map(byte => `0x${hex(byte)}`)
      .join('.'),
    `${octal(a)}.${b}.0x${hex(c)}.${d}`,
    `${a}.${b}.${c}.0x${hex(d)}`,
    address.replaceAll('.', '。'),
    address.replaceAll('.', '．'),
    address.replaceAll('.', '%2e'),
    [...address].map(one => (one === '.' ? one : String.fromCodePoint(0xff10 + Number(one)))).join(''),
    [...address]
      .map(one => (one === '.' ? one : String.fromCodePoint(0x2460 + Number(one) - 1)))
      .join('')
      .replaceAll('⑟', '⓪'),
    address.replaceAll(/\d/g, digit => `%3${digit}`),
  ]
}

/** The same IPv4 address inside one of IPv6. */
function wrapped(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = bytesOf(address)
  const [high, low] = [`${hex(a)}${hex(b)}`, `${hex(c)}${hex(d)}`]
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `0:0:0:0:0:ffff:${high}:${low}`,
    `::ffff:0:${high}:${low}`,
    `::ffff:0:${address}`,
    `::${address}`,
    `::${high}:${low}`,
    `64:ff9b::${address}`,
    `64:ff9b::${high}:${low}`,
    `64:ff9b:1::${address}`,
    `2002:${high}:${low}::`,
    `2002:${high}:${low}::1`,
    `2001:0:${high}:${low}::1`,
  ].map(one => `[${one}]`)
}

const six = [
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  'fc00::1',
  'fdff::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'ff02::1',
  'ff0e::1',
  '100::1',
  '2001:db8::1',
  '2001:10::1',
  '2001::1',
  '3fff::1',
  '5f00::1',
  '64:ff9b:1:2::1',
].map(one => `[${one}]`)
const schemes = ['http://', 'https://', 'HTTP://', 'hTTps://']

const hosts = [...addresses.flatMap(address => [...spellings(address), ...wrapped(address)]), ...six]
const forms = hosts.flatMap(host => schemes.map(scheme => `${scheme}${host}/file.pdf`))

/** The parser makes something else of it, which must then be a name or an address that is judged as such. */
const isJudged = (form: string): boolean => {
  if (!URL.canParse(form)) return true
  const host = hostOf(new URL(form))
  // A name is judged by what it leads to, when it is looked up.
  return isIP(host) === 0 || !isPublicAddress(host)
}

describe('addresses that lead inside', () => {
  test('there are enough of them', () => assert.ok(new Set(forms).size >= 1_808, String(new Set(forms).size)))
  test('none is taken for a public one', () => {
    assert.deepEqual(
      forms.filter(form => !isJudged(form)),
      [],
    )
    assert.equal(isJudged('http://8.8.8.8/x'), false, 'a public one is seen as such')
  })
  test('what the address itself shows is refused at once, for media and for webhooks', () => {
    const shown = forms.filter(form => URL.canParse(form) && isIP(hostOf(new URL(form))) !== 0)
    assert.ok(shown.length > 1_500, String(shown.length))
    for (const form of shown) {
      assert.throws(() => checkMediaUrl(form, false), { code: 'media_url_blocked' }, form)
      assert.throws(
        () => checkWebhookUrl(form.replace(/^http:/i, 'https:'), new Set()),
        { code: 'webhook_url_blocked' },
        form,
      )
    }
  })
  for (const odd of [
    ...[
      'file:///etc/passwd',
      'ftp://127.0.0.1/x',
      'gopher://127.0.0.1:11211/_stats',
      'data:text/plain,x',
      'javascript:alert(1)',
      'dict://127.0.0.1:1/x',
    ],
    ...[
      '//127.0.0.1/x',
      '/etc/passwd',
      'http:/127.0.0.1',
      'http:127.0.0.1',
      'jar:http://127.0.0.1!/x',
      'unix:/run/x.sock',
      'http+unix://%2Frun/x',
      ' http://',
      '\\\\127.0.0.1\\x',
      'blob:http://127.0.0.1/x',
    ],
  ])
    test(`${JSON.stringify(odd)} is no address to fetch or to post to`, () => {
      assert.throws(() => checkMediaUrl(odd, false))
      assert.throws(() => checkWebhookUrl(odd, new Set()))
    })
})

describe('what is really called', () => {
  const reached: string[] = []
  let port = 0
  let location = ''
  const server = createServer((request, response) => {
    reached.push(String(request.url))
    if (location === '') response.end('hello')
    // As bytes: what is not ASCII could not be written into a header otherwise.
    else response.writeHead(302, { location: Buffer.from(location).toString('latin1') }).end()
  })
  before(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  after(() => server.close())

  /** Names of strangers lead wherever they say; every second time elsewhere. */
  let asked = 0
  const answers = (list: readonly string[]) => ({
    allowed: new Set<string>(),
    lookup: async () => {
      asked += 1
      return [list[asked % list.length]!]
    },
  })
  const inside = [
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '0.0.0.0',
    '64:ff9b::7f00:1',
  ]

  test('every spelling of this machine is tried for real, and nothing arrives', async () => {
    const own = [
      ...spellings('127.0.0.1'),
      ...wrapped('127.0.0.1'),
      '[::1]',
      'localhost',
      'LOCALHOST.',
      'a.localhost',
    ]
    const poster = new Poster({ allowed: new Set() })
    for (const host of own) {
      const form = `http://${host}:${port}/${encodeURIComponent(host)}`
      if (!URL.canParse(form) || isPublicAddress(hostOf(new URL(form)))) continue
      const guard = answers(['127.0.0.1'])
      await assert.rejects(getGuarded(form, guard, AbortSignal.timeout(2_000)), Blocked, form)
      await assert.rejects(poster.post(form, {}, '{}', AbortSignal.timeout(2_000)), Error, form)
    }
    poster.close()
    assert.deepEqual(reached, [])
  })
  test('a name that leads inside, at once or the next time, is not called', async () => {
    for (const address of inside)
      await assert.rejects(
        getGuarded(`http://rebinding.example:${port}/x`, answers([address]), AbortSignal.timeout(2_000)),
        Blocked,
        address,
      )
    assert.deepEqual(reached, [])
  })
  test('a redirect that leads inside is not followed, however it is written', async () => {
    const door = new Set([`127.0.0.1:${port}`])
    for (const host of [...spellings('127.8.9.10'), ...wrapped('127.0.0.1')]) {
      location = `http://${host}:${port}/inside`
      if (!URL.canParse(location) || isPublicAddress(hostOf(new URL(location)))) continue
      const before = reached.length
      // The door itself is allowed, by the operator: what lies behind it is not.
      await assert.rejects(
        getGuarded(
          `http://127.0.0.1:${port}/door`,
          { ...answers(['127.0.0.1']), allowed: door },
          AbortSignal.timeout(2_000),
        ),
        Error,
        location,
      )
      assert.deepEqual(reached.slice(before), ['/door'], location)
    }
  })
})
