/** Files that strangers made: no bomb takes more than its share, and no slow host anybody else's. */

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { NoRoom } from '../../src/core/inbox/no-room.ts'
import { limits } from '../../src/core/limits.ts'
import { contentsOf } from '../../src/links/whatsapp/linked/to-whatsapp.ts'
import { converted, described } from '../../src/outbound/convert.ts'
import type { Downloaded } from '../../src/outbound/download.ts'
import { isInstalled, readCarefully, runFfmpeg } from '../../src/outbound/ffmpeg.ts'
import { MediaCache } from '../../src/outbound/media-cache.ts'
import { mediaKindOf } from '../../src/outbound/media-kind.ts'
import { DiskRoom } from '../../src/store/files/disk-room.ts'
import { MediaFolder } from '../../src/store/files/media-folder.ts'
import { App } from '../standins/app.ts'
import { scratch } from '../standins/databases.ts'
import { until, withGateway } from '../standins/gateway.ts'
import { media } from '../standins/media.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const withFfmpeg = { skip: !(await isInstalled('ffmpeg')) && 'ffmpeg is not installed' }
const options = { ffmpeg: 'ffmpeg', most: 5_000_000, log }
const folder = () => mkdtempSync(join(scratch(), 'media-'))

async function sample(name: string, ...args: string[]): Promise<Downloaded> {
  const path = join(folder(), name)
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, path])
  const kind = (await mediaKindOf(path, { name, declared: '' }))!
  return { ...kind, path, size: statSync(path).size, filename: name }
}

/** A GIF of a few bytes that says it is 6,000 pixels wide and high. */
function bomb(): Buffer {
  const head = Buffer.from('GIF89a')
  const screen = Buffer.alloc(7)
  screen.writeUInt16LE(6_000, 0)
  screen.writeUInt16LE(6_000, 2)
  screen[4] = 0x80
  const frame = Buffer.concat([
    Buffer.from([0x2c, 0, 0, 0, 0]),
    screen.subarray(0, 4),
    Buffer.from([0, 2, 2, 0x44, 1, 0]),
  ])
  return Buffer.concat([
    head,
    screen,
    Buffer.from([0, 0, 0, 255, 255, 255]),
    ...Array(50).fill(frame),
    Buffer.from([0x3b]),
  ])
}

test('a picture that claims to be huge is not converted, and goes out as it came', withFfmpeg, async () => {
  const path = join(folder(), 'bomb.gif')
  writeFileSync(path, bomb())
  const file = {
    ...(await mediaKindOf(path, { name: '', declared: '' }))!,
    path,
    size: 1,
    filename: 'bomb.gif',
  }
  assert.equal(await converted(file, options), file)
  // The very same through ffmpeg without our limit: it is the limit that refuses it.
  const free = spawnSync('ffmpeg', [
    '-v',
    'error',
    '-f',
    'gif',
    '-i',
    path,
    '-frames:v',
    '1',
    '-f',
    'null',
    '-',
  ])
  assert.equal(free.status, 0, String(free.stderr))
})
test('ffmpeg has only so much memory, and only so much time', withFfmpeg, async () => {
  const shell = (script: string) => {
    const path = join(folder(), 'greedy')
    writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    return path
  }
  const said = await runFfmpeg(shell('ulimit -v; ulimit -t'), [])
  assert.deepEqual(said.toString().trim().split('\n').map(Number), [
    limits.conversionMemory.value / 1_024,
    limits.conversionSeconds.value,
  ])
  await assert.rejects(runFfmpeg(shell('exec sleep 60'), [], 200), /SIGKILL/)
  assert.ok(readCarefully('gif', 'x').includes('-max_pixels'))
})
test('one conversion runs at a time', async () => {
  const path = join(folder(), 'slow')
  const notes = join(folder(), 'notes')
  writeFileSync(path, `#!/bin/sh\necho in >> ${notes}; sleep 0.05; echo out >> ${notes}\n`, { mode: 0o755 })
  await Promise.all([1, 2, 3].map(() => runFfmpeg(path, [])))
  assert.equal(readFileSync(notes, 'utf8'), 'in\nout\n'.repeat(3))
})
test('Vorbis becomes Opus; without ffmpeg it is a document, and never called Opus', withFfmpeg, async () => {
  const vorbis = await sample('v.ogg', '-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'libvorbis')
  assert.equal(vorbis.extension, 'oga')
  const [content] = contentsOf('words', vorbis, { audio: 'playable' })
  assert.ok('document' in content! && !JSON.stringify(content).includes('opus'))
  const opus = await converted(vorbis, options)
  assert.equal((await mediaKindOf(opus.path, { name: '', declared: '' }))!.extension, 'ogg')
  const direct = await sample('o.opus', '-f', 'lavfi', '-i', 'sine=duration=1', '-c:a', 'libopus')
  assert.equal(direct.extension, 'ogg')
})
test(
  'the library for WhatsApp is left nothing to look into: thumbnails and lengths are given',
  withFfmpeg,
  async () => {
    const picture = await sample('p.png', '-f', 'lavfi', '-i', 'testsrc=size=640x480', '-frames:v', '1')
    const { thumbnail } = await described(picture, options)
    assert.ok(thumbnail && thumbnail.length < limits.thumbnail.value)
    assert.equal(thumbnail.subarray(0, 2).toString('hex'), 'ffd8', 'a JPEG')
    for (const file of [
      { ...picture, thumbnail },
      picture,
      { ...picture, class: 'video' as const, extension: 'mp4' },
      { ...picture, class: 'audio' as const, extension: 'mp3' },
    ]) {
      const [content] = contentsOf('x', file, { audio: 'playable' })
      assert.ok('jpegThumbnail' in content! || 'seconds' in content!, file.extension)
    }
  },
)

/** Answers only when it is told to. */
async function slowHost(bytes: Buffer) {
  const waiting: (() => void)[] = []
  let asked = 0
  let isOpen = false
  const server = createServer((_request, response) => {
    asked += 1
    const answer = () => response.end(bytes)
    if (isOpen) answer()
    else waiting.push(answer)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    open: () => {
      isOpen = true
      for (const answer of waiting) answer()
    },
    stop: () => server.close(),
  }
}
const cacheIn = (path: string) =>
  new MediaCache(
    path,
    {
      guard: { allowed: new Set(['127.0.0.1']) },
      limits: { image: 1e6, video: 1e6, audio: 1e6, document: 1e6 },
    },
    Date.now,
  )

test('slow hosts of one environment hold up neither its other hosts nor the other environment', async () => {
  const slow = await slowHost(media['a.jpg']!.bytes)
  const quick = await slowHost(media['a.jpg']!.bytes)
  quick.open()
  const cache = cacheIn(folder())
  await cache.start()
  const stuck = Array.from({ length: 20 }, (_, n) =>
    cache.get({ environmentId: 2, request: `s${n}`, address: `${slow.url}/${n}` }),
  )
  await until('the slow host is asked', () => slow.asked() === limits.downloadsPerHost.value)
  for (const environmentId of [1, 2])
    assert.ok(await cache.get({ environmentId, request: 'q', address: `${quick.url}/${environmentId}` }))
  assert.ok(await cache.get({ environmentId: 1, request: 'q', address: `${quick.url}/again` }))
  assert.equal(slow.asked(), limits.downloadsPerHost.value, 'the rest waits')
  slow.open()
  await Promise.all(stuck)
  slow.stop()
  quick.stop()
})
test('the same file in many requests lies on disk once', async () => {
  const host = await slowHost(media['a.jpg']!.bytes)
  host.open()
  const path = folder()
  const cache = cacheIn(path)
  await cache.start()
  const files = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      cache.get({ environmentId: 1, request: `r${n}`, address: `${host.url}/${n}` }),
    ),
  )
  assert.equal(new Set(files.map(file => file.path)).size, 1)
  assert.equal(readdirSync(path).length, 1)
  host.stop()
})

test('files leave the reserve free, and keep to their quota', async () => {
  const path = folder()
  const bytes = Buffer.alloc(1_000)
  const none = new MediaFolder(path, { room: new DiskRoom(path, Number.MAX_SAFE_INTEGER) })
  await assert.rejects(none.save('aa1', bytes), NoRoom)
  const room = new DiskRoom(path, 0)
  const small = new MediaFolder(path, { room, quota: 2_500 })
  await small.save('aa1', bytes)
  await small.save('aa2', bytes)
  await assert.rejects(small.save('aa3', bytes), NoRoom)
  await small.remove('aa1')
  await small.save('aa3', bytes)
  await assert.rejects(
    new MediaFolder(path, { room, quota: 2_500 }).save('aa4', bytes),
    NoRoom,
    'counted again',
  )
})
test('with no room left an MMS is kept without its files and says why, and texts go on', async () =>
  withGateway({ appPhones: true, settings: { MEDIA_RESERVE_MB: '1000000' } }, async gateway => {
    const app = await App.enrol(gateway)
    const file = {
      partId: 1,
      contentType: 'image/png',
      name: 'a.png',
      data: media['a.png']!.bytes.toString('base64'),
    }
    const payload = { sender: '+15550100199', receivedAt: '2026-10-01T11:31:40.000+02:00' }
    const mms = await app.post('mms:downloaded', { ...payload, body: 'Look', attachments: [file] })
    assert.equal(mms.status, 200)
    assert.equal((await app.post('sms:received', { ...payload, message: 'Still here' })).status, 200)
    const key = await gateway.key('production')
    const { data } = (await gateway.ask('GET', '/api/v1/messages/received', { key })).body
    assert.deepEqual(
      data.map(({ message }: { message: string }) => message),
      ['Still here', 'Look'],
    )
    const { metadata } = data[1]
    assert.deepEqual(
      [metadata.media, metadata.media_missing, metadata.media_missing_because],
      [undefined, 1, 'no_room'],
    )
    assert.equal((await gateway.ask('GET', '/readyz')).status, 200)
  }))
