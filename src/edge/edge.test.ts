/** What goes wrong between a client and a handler: each ends one request, and nothing else. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { after, before, describe, test } from 'node:test'
import { Problem } from '../core/problem.ts'
import { Edge } from './edge.ts'
import type { Exchange } from './exchange.ts'
import type { EdgeRoute } from './site.ts'

/** Sends it as it is, and resolves with everything that comes until the other side hangs up. */
async function talk(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.on('data', chunk => {
    heard += chunk
  })
  socket.on('error', () => {})
  socket.write(text)
  await once(socket, 'close')
  return heard
}

const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}Connection: close\r\n\r\n`

describe('the edge', () => {
  let port: number
  let edge: Edge
  const faults: string[] = []
  const answered: (string | undefined)[] = []
  let arrived: (exchange: Exchange) => void = () => {}
  let goOn: () => void = () => {}
  const file = new Readable({ read: () => {} })
  const routes: EdgeRoute[] = [
    { method: 'GET', path: '/plain', handle: () => ({ is: 'fine' }) },
    {
      method: 'GET',
      path: '/file',
      handle: async exchange => {
        arrived(exchange)
        await new Promise<void>(resolve => {
          goOn = resolve
        })
        return file
      },
    },
    {
      method: 'GET',
      path: '/unwritable',
      handle: async exchange => {
        exchange.header('x-name', 'two\nlines')
        return {}
      },
    },
    {
      method: 'GET',
      path: '/half',
      handle: exchange => {
        exchange.setHeaders({ 'content-length': '5', 'content-encoding': 'gzip' })
        throw new Problem('media_not_found', 'It is gone.')
      },
    },
    { method: 'POST', path: '/small', bodyLimit: 10, handle: () => ({}) },
  ]
  before(async () => {
    edge = new Edge({
      sites: [
        {
          prefix: '/api',
          routes,
          nothing: () => {
            throw new Problem('missing_key', 'Who are you?')
          },
        },
        { prefix: '', routes: [], nothing: () => 'the page' },
      ],
      rewrite: url => url,
      admit: () => {},
      docsUrl: () => 'http://docs',
      trustProxy: undefined,
      tls: undefined,
      maxConnections: 100,
      onAnswer: ({ template }) => answered.push(template),
      onFault: (_exchange, problem) => faults.push(String((problem.cause as Error).message)),
    })
    port = await edge.listen({ host: '127.0.0.1', port: 0 })
  })
  after(() => edge.close())

  test('a file for a client that has left is closed, and the request is counted', async () => {
    const asked = new Promise<Exchange>(resolve => {
      arrived = resolve
    })
    const socket = connect(port, '127.0.0.1')
    socket.write(get('/api/file'))
    const { response } = await asked
    socket.destroy()
    await once(response, 'close')
    goOn()
    if (!file.destroyed) await once(file, 'close')
    assert.deepEqual(answered.splice(0), ['/api/file'])
    assert.deepEqual(faults, [], 'a client that leaves is no fault of ours')
  })

  test('a header that cannot be written ends that request, and the next is answered', async () => {
    assert.equal(await talk(port, get('/api/unwritable')), '')
    assert.match(faults.splice(0).join(' '), /Invalid character/)
    assert.match(await talk(port, get('/api/plain')), /^HTTP\/1\.1 200 [\s\S]*\{"is":"fine"\}$/)
  })

  test('a refusal does not carry the headers of the answer that it replaces', async () => {
    const heard = await talk(port, get('/api/half'))
    assert.match(heard, /^HTTP\/1\.1 404 /)
    assert.equal(heard.match(/content-length/gi)?.length, 1)
    assert.doesNotMatch(heard, /gzip/)
  })

  test('however an unknown address is written, its site answers for it', async () => {
    for (const path of ['/api/none', '/%61pi/none', 'http://x/api/none', 'HTTP://x/%61pi/none'])
      assert.match(await talk(port, get(path)), /^HTTP\/1\.1 401 /, path)
    assert.match(await talk(port, get('/none')), /the page$/)
    assert.match(await talk(port, get('http://x')), /the page$/)
    assert.match(await talk(port, get('http://x/api/plain')), /"fine"/)
  })

  test('a body of another type is 415 however long it is, a long one of ours 413; both hang up on the rest', async () => {
    const post = (type: string, length: number) =>
      `POST /api/small HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n0123456789`
    for (const [type, status] of [
      ['text/plain', 415],
      ['application/json', 413],
    ] as const) {
      const heard = await talk(port, post(type, 1_000_000))
      assert.match(heard, new RegExp(`^HTTP/1.1 ${status} `))
      assert.match(heard, /connection: close/i)
    }
  })

  test('while the server stops, answers say that the connection ends', async () => {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write('GET /api/plain HTTP/1.1\r\nHost: x\r\n')
    // The server has seen half of the request by the time it has answered a whole one.
    await talk(port, get('/api/plain'))
    const closed = edge.close()
    socket.write('\r\n')
    const [answer] = await once(socket, 'data')
    assert.match(String(answer), /connection: close/i)
    await closed
  })
})
