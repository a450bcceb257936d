/** Fetching media: kinds by content, limits by counting, and nothing left behind when it fails. */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type DownloadFailed, download } from '../../src/outbound/download.ts'
import { scratch } from '../standins/databases.ts'
import { hex, media, padded, type Sample } from '../standins/media.ts'

const files: Record<string, Sample> = {
  ...media,
  // The content decides, not the name.
  'picture.txt': {
    bytes: padded(hex('ffd8ffe0 0010 4a46494600')),
    type: 'text/plain',
    expected: 'image jpg',
  },
  'program.pdf': { bytes: padded(Buffer.from('MZ')), type: 'application/pdf', expected: undefined },
  'excel.xls': { bytes: padded(hex('d0cf11e0a1b11ae1')), expected: undefined },
  'page.html': { bytes: Buffer.from('<html><script>1</script>'), type: 'text/html', expected: undefined },
  'binary.txt': { bytes: hex('00ff00ff'), expected: undefined },
  'latin.txt': { bytes: Buffer.from('Grüße', 'latin1'), expected: undefined },
  nameless: { bytes: Buffer.from('hello'), expected: undefined },
  'empty.txt': { bytes: Buffer.alloc(0), expected: 'document txt' },
  'empty.jpg': { bytes: Buffer.alloc(0), expected: undefined },
}

describe('downloads', () => {
  let origin = ''
  let close = () => {}
  let answer: RequestListener = () => {}
  before(async () => {
    const server = createServer((request, response) => answer(request, response))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    close = () => server.close()
  })
  after(() => close())

  const limits = { image: 16_000_000, video: 64_000_000, audio: 16_000_000, document: 100_000_000 }
  const path = () => join(scratch(), 'file')
  const get = (name: string, more = {}) =>
    download(`${origin}/${name}`, path(), { guard: { allowed: new Set(['127.0.0.1']) }, limits, ...more })
  const refused = async (name: string, code: DownloadFailed['code'], more = {}) => {
    await assert.rejects(get(name, more), error => {
      assert.equal((error as DownloadFailed).code, code, `${name}: ${(error as Error).cause}`)
      return true
    })
    assert.equal(existsSync(path()), false, 'nothing is left behind')
  }

  test('every kind is known by its content; what is none of them is unsupported', async () => {
    for (const [name, { bytes, type, expected }] of Object.entries(files)) {
      answer = (_request, response) =>
        response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(bytes)
      if (expected === undefined) {
        await refused(name, 'unsupported_media')
        continue
      }
      const found = await get(name)
      assert.equal(`${found.class} ${found.extension}`, expected, name)
      assert.deepEqual([found.size, found.filename], [bytes.length, name])
      assert.deepEqual(readFileSync(path()), bytes)
    }
  })

  test('too large is too large: by what is announced, by what comes, and by what it turns out to be', async () => {
    const image = padded(hex('ffd8ffe0 0010 4a46494600'), 2_000_000)
    const small = { image: 1_000_000, video: 1_500_000, audio: 1_500_000, document: 1_500_000 }
    answer = (_request, response) => response.writeHead(200, { 'content-length': image.length }).end(image)
    await refused('a.jpg', 'media_too_large', { limits: small })
    answer = (_request, response) =>
      void response.writeHead(200).write(image.subarray(0, 1_000_000), () => response.end(image))
    await refused('a.jpg', 'media_too_large', { limits: small })
    const middling = image.subarray(0, 1_200_000)
    answer = (_request, response) => response.end(middling)
    await refused('a.jpg', 'media_too_large', { limits: small })
  })

  test('a server that stalls, breaks off, errs or packs its answer is unreachable', async () => {
    answer = (_request, response) => void response.writeHead(200).write('%PDF-')
    await refused('a.pdf', 'media_unreachable', { totalMs: 300 })
    answer = () => {}
    await refused('a.pdf', 'media_unreachable', { totalMs: 300 })
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': 1_000 }).write('%PDF-')
      setTimeout(() => response.destroy(), 20)
    }
    await refused('a.pdf', 'media_unreachable')
    for (const status of [204, 206, 301, 400, 401, 404, 500]) {
      answer = (_request, response) => response.writeHead(status).end()
      await refused('a.pdf', 'media_unreachable')
    }
    answer = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('%PDF-1.7'))
    await refused('a.pdf', 'media_unreachable')
    // Neither an answer nor an error, and the line is closed: it once kept us waiting for ever.
    answer = request =>
      void request.socket.write('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
    await refused('a.pdf', 'media_unreachable')
  })

  test('a name that does not exist, a closed port and a private address are told apart as far as callers may know', async () => {
    const options = { guard: { allowed: new Set<string>() }, limits }
    await assert.rejects(download(`${origin}/a.pdf`, path(), options), { code: 'media_url_blocked' })
    const allowing = { guard: { allowed: new Set(['127.0.0.1']) }, limits }
    await assert.rejects(download('http://127.0.0.1:9/a.pdf', path(), allowing), {
      code: 'media_unreachable',
    })
    const nameless = {
      guard: { allowed: new Set<string>(), lookup: () => Promise.reject(new Error('ENOTFOUND')) },
      limits,
    }
    await assert.rejects(download('http://nowhere.test/a.pdf', path(), nameless), {
      code: 'media_unreachable',
    })
  })
})
