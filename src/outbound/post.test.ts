import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { Poster, whyUnanswered } from './post.ts'

describe('posting to addresses that strangers chose', () => {
  let server: Server
  let port: number
  let connections = 0
  let reached = 0
  let answer: (response: ServerResponse) => void = response => response.end('thanks')
  before(async () => {
    server = createServer((request, response) => {
      reached += 1
      request.resume()
      request.on('end', () => answer(response))
    })
    server.on('connection', () => {
      connections += 1
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    port = (server.address() as AddressInfo).port
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const allowed = () => new Poster({ allowed: new Set([`127.0.0.1:${port}`]) })
  const post = (poster: Poster, ms = 5_000, url = `http://127.0.0.1:${port}/`) =>
    poster.post(url, {}, '{}', AbortSignal.timeout(ms))

  test('connections are kept, and a stale one is replaced without a word', async () => {
    const poster = allowed()
    connections = 0
    for (let n = 0; n < 5; n += 1) assert.equal((await post(poster)).status, 200)
    assert.equal(connections, 1)
    // The other side closes it while nobody looks.
    server.closeIdleConnections()
    assert.equal((await post(poster)).answer, 'thanks')
    poster.close()
  })
  test('a private machine is not reached, by whatever name', async () => {
    const was = reached
    const poster = new Poster({ allowed: new Set(), lookup: async () => ['127.0.0.1'] })
    for (const host of [
      'example.org',
      '127.0.0.1',
      '2130706433',
      '0x7f000001',
      '[::1]',
      '[::ffff:127.0.0.1]',
    ])
      await assert.rejects(post(poster, 5_000, `http://${host}:${port}/`), error => {
        assert.equal(whyUnanswered(error), 'The address leads to a machine that is not public.', host)
        return true
      })
    assert.equal(reached, was)
    poster.close()
  })
  test('a redirect is an answer like any other, and is not followed', async () => {
    const poster = allowed()
    const was = reached
    answer = response => response.writeHead(302, { location: `http://127.0.0.1:${port}/other` }).end()
    assert.equal((await post(poster)).status, 302)
    assert.equal(reached, was + 1)
    poster.close()
  })
  test('whoever never answers, hangs up or goes on talking holds nobody up', async () => {
    const poster = allowed()
    answer = () => {}
    await assert.rejects(post(poster, 200), error => {
      assert.equal(whyUnanswered(error), 'It did not answer in time.')
      return true
    })
    answer = response => response.destroy()
    await assert.rejects(post(poster), error => /hung up/.test(whyUnanswered(error)))
    // A gigabyte, of which hardly anything is read.
    let written = 0
    answer = response => {
      const chunk = Buffer.alloc(65_536, 97)
      const more = () => {
        while (!response.destroyed && written < 1e9) {
          written += chunk.length
          if (!response.write(chunk)) {
            response.once('drain', more)
            return
          }
        }
      }
      more()
    }
    const { status, answer: text } = await post(poster)
    assert.equal(status, 200)
    assert.ok(text.length <= 1_000)
    assert.ok(written < 50e6, `${written} bytes were taken`)
    // A byte now and then.
    answer = response => {
      const drip = setInterval(() => response.write('x'), 100)
      response.on('close', () => clearInterval(drip))
    }
    assert.equal((await post(poster)).status, 200)
    poster.close()
  })
  test('Retry-After is read as seconds or as a date', async () => {
    const poster = allowed()
    const headers = [
      ['120', 120_000],
      [new Date(Date.now() + 60_000).toUTCString(), 60_000],
      ['soon', undefined],
    ] as const
    for (const [value, expected] of headers) {
      answer = response => response.writeHead(503, { 'retry-after': value }).end()
      const { retryAfterMs } = await post(poster)
      if (expected === undefined) assert.equal(retryAfterMs, undefined)
      else assert.ok(Math.abs(retryAfterMs! - expected) < 5_000, `${value}: ${retryAfterMs}`)
    }
    poster.close()
  })
})
