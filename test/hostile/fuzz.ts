/** Requests made from the OpenAPI document, and then spoilt: each from a number of its own, so that it can be made again. */

import { Chance } from './chance.ts'

export type Request = {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer | undefined
}

type Schema = {
  type?: string | string[]
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  format?: string
  $ref?: string
}
type Parameter = { name: string; in: string; schema: Schema }
type Operation = {
  operationId?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}
export type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** What no careful client writes, and careless and hostile ones do. */
const oddTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud83d',
  '\udc00x',
  '__proto__',
  'constructor',
  "'; DROP TABLE messages; --",
  '../../../../etc/passwd',
  '%00',
  '%s%n%x',
  '#{7*7}',
  '\u202e\u200b',
  '🤷🏽‍♀️'.repeat(20),
  'x'.repeat(300),
  'x'.repeat(20_000),
  '9'.repeat(400),
  '-1',
  '1e309',
  'NaN',
  'null',
  'true',
  '2026-02-30T25:61:00Z',
  '+15550101234',
  '+15550100001',
  '00491701234567',
  '01a1dd33-667e-7a55-8ca7-bea2dbe89140',
  'evt_9999999999999999',
  'http://127.0.0.1:9/x',
  'http://[::1]/',
  'file:///etc/passwd',
]
const oddNumbers = [0, -0, -1, 1, 0.5, 1e9, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 604_800, 604_801]
const oddValues = [null, true, false, [], {}, [[]], [null], { a: 1 }, '', 0]
const oddHeaders: readonly [string, readonly string[]][] = [
  [
    'content-type',
    [
      'text/plain',
      'application/json; charset=utf-16',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json;',
      'x/y',
    ],
  ],
  ['content-encoding', ['gzip', 'br', 'identity', 'deflate, gzip']],
  ['accept', ['text/html', '*/*;q=0', 'application/xml']],
  ['accept-encoding', ['gzip;q=0', 'zstd', '*']],
  ['idempotency-key', ['', 'a', 'x'.repeat(255), 'x'.repeat(256), 'same', '"quoted"']],
  ['last-event-id', ['evt_1', 'x', '', 'evt_99999999999999999']],
  ['range', ['bytes=0-', 'bytes=9-1']],
  ['if-none-match', ['*', '"x"']],
  ['origin', ['null', 'https://evil.example']],
  ['sec-fetch-site', ['cross-site', 'none', 'x']],
  ['cookie', ['basestation=x', 'basestation=%', '; ; =', 'a=b; __Host-basestation=x']],
  ['x-http-method-override', ['DELETE']],
  ['x-forwarded-for', ['unknown', '::1, 127.0.0.1', "'"]],
  ['connection', ['close']],
]

/** It would do what it is told: the gateway would not be ready any more. */
const unasked = 'drainNode'

export class Fuzzer {
  readonly #document: Document
  readonly #operations: { method: string; path: string; operation: Operation }[]
  /** Ids that were seen in answers: with them requests get further. */
  readonly #ids: string[] = []

  constructor(document: Document) {
    this.#document = document
    this.#operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        /^(get|post|patch|delete)$/.test(method) && operation.operationId !== unasked
          ? [{ method: method.toUpperCase(), path, operation }]
          : [],
      ),
    )
  }

  /** Learns from an answer. */
  learn(id: string): void {
    if (this.#ids.length < 500) this.#ids.push(id)
    else this.#ids[id.charCodeAt(id.length - 1) % 500] = id
  }

  make(seed: number, base: string): Request {
    const chance = new Chance(seed)
    const { method, path, operation } = chance.one(this.#operations)
    const atOrigin = /^\/(healthz|readyz|metrics)$/.test(path)
    const address =
      (atOrigin ? '' : base) + this.#path(chance, path, operation) + this.#query(chance, operation)
    const headers: Record<string, string> = {}
    const schema = operation.requestBody?.content['application/json']?.schema
    const body = method === 'GET' ? undefined : this.#body(chance, schema)
    if (body !== undefined) headers['content-type'] = 'application/json'
    while (chance.is(12)) {
      const [name, values] = chance.one(oddHeaders)
      headers[name] = chance.one(values)
    }
    return {
      method: chance.is(2) ? chance.one(['PUT', 'OPTIONS', 'HEAD', 'TRACE', 'DELETE']) : method,
      path: address,
      headers,
      body,
    }
  }

  #path(chance: Chance, path: string, { parameters = [] }: Operation): string {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
      const { schema } = parameters.find(one => one.name === name) ?? { schema: {} }
      const value =
        chance.is(50) && this.#ids.length > 0 ? chance.one(this.#ids) : String(this.#value(chance, schema, 2))
      return encoded(value) || 'x'
    })
    if (!chance.is(2)) return filled
    return chance.one([
      `${filled}/`,
      `${filled}//`,
      filled.toUpperCase(),
      `${filled}%2e%2e`,
      `${filled};a=b`,
      `/..${filled}`,
    ])
  }

  #query(chance: Chance, { parameters = [] }: Operation): string {
    const pairs: string[] = []
    for (const { name, schema } of parameters.filter(one => one.in === 'query'))
      while (chance.is(35)) pairs.push(`${name}=${encoded(String(this.#value(chance, schema, 2)))}`)
    while (chance.is(5))
      pairs.push(`${encoded(chance.one(oddTexts)).slice(0, 200)}=${encoded(chance.one(oddTexts))}`)
    return pairs.length > 0 ? `?${pairs.join('&')}` : ''
  }

  #body(chance: Chance, schema: Schema | undefined): Buffer | undefined {
    if (chance.is(5)) return undefined
    const value = this.#value(chance, schema ?? {}, 6)
    let text = JSON.stringify(value) ?? ''
    if (chance.is(3))
      text = chance.one([
        '',
        '{',
        '[',
        '"',
        'nul',
        `${'['.repeat(5_000)}`,
        `${'{"a":'.repeat(2_000)}1`,
        '\ufeff{}',
      ])
    if (chance.is(2)) text = text.replace('{', `{"${chance.one(['to', 'name', '__proto__', 'a'])}":1,`)
    if (chance.is(2)) text = `{${Array.from({ length: 1_200 }, (_, n) => `"k${n}":0`).join(',')}}`
    const bytes = Buffer.from(text)
    if (chance.is(2) && bytes.length > 0)
      bytes[chance.below(bytes.length)] = chance.one([0xff, 0xc0, 0x00, 0x80])
    return bytes
  }

  /** Mostly what the schema asks for, so that requests get past its door. */
  #value(chance: Chance, given: Schema, depth: number): unknown {
    const schema = given.$ref ? this.#document.components.schemas[given.$ref.split('/').at(-1)!]! : given
    if (depth <= 0 || chance.is(6)) return chance.is(50) ? chance.one(oddTexts) : chance.one(oddValues)
    if (schema.anyOf) return this.#value(chance, chance.one(schema.anyOf), depth)
    if (schema.enum) return chance.is(90) ? chance.one(schema.enum) : chance.one(oddTexts)
    switch ([schema.type].flat()[0]) {
      case 'object': {
        const entries = Object.entries(schema.properties ?? {}).filter(([name]) =>
          schema.required?.includes(name) ? !chance.is(3) : chance.is(40),
        )
        const extra = chance.is(3) ? [[chance.one(oddTexts), 1]] : []
        return Object.fromEntries([
          ...entries.map(([name, inner]) => [name, this.#value(chance, inner, depth - 1)]),
          ...extra,
        ])
      }
      case 'array':
        return Array.from({ length: chance.one([0, 1, 1, 2, 5, 101]) }, () =>
          this.#value(chance, schema.items ?? {}, depth - 1),
        )
      case 'integer':
      case 'number':
        return chance.is(40)
          ? chance.one([schema.minimum ?? 0, schema.maximum ?? 100])
          : chance.one(oddNumbers)
      case 'boolean':
        return chance.is(50)
      case 'null':
        return null
      case 'string':
        return this.#text(chance, schema)
      default:
        return chance.one([...oddTexts, ...oddNumbers])
    }
  }

  #text(chance: Chance, { format, minLength = 0, maxLength = 50 }: Schema): string {
    if (chance.is(25)) return chance.one(oddTexts)
    if (format === 'uuid' && this.#ids.length > 0) return chance.one(this.#ids)
    if (format === 'date-time') return new Date(1_790_000_000_000 + chance.below(1e10)).toISOString()
    const length = chance.one([minLength, minLength + 1, Math.min(maxLength, 5_000), maxLength + 1, 12])
    return chance.is(40) ? `+1555010${1_000 + chance.below(9_000)}` : 'é'.repeat(Math.min(length, 5_000))
  }
}

/** Some clients send bytes that are no UTF-8 at all. */
function encoded(text: string): string {
  if (!text.isWellFormed()) return '%ED%A0%BD'
  return encodeURIComponent(text).slice(0, 6_000)
}

/** How to make the same request by hand. */
export function asCurl(url: string, { method, path, headers, body }: Request): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const parts = [`curl -sS -X ${method} ${quoted(url + path)}`]
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== undefined) parts.push(`--data-binary @<(base64 -d <<< ${body.toString('base64')})`)
  return parts.join(' ')
}
