/** Conversion with the real ffmpeg where it is installed; what happens when it fails or hangs, everywhere. */

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { converted } from '../../src/outbound/convert.ts'
import type { Downloaded } from '../../src/outbound/download.ts'
import { isInstalled } from '../../src/outbound/ffmpeg.ts'
import { mediaKindOf } from '../../src/outbound/media-kind.ts'
import { scratch } from '../standins/databases.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }
const hasFfmpeg = await isInstalled('ffmpeg')
const most = 5_000_000

async function sample(name: string, make: (path: string) => void): Promise<Downloaded> {
  const path = join(scratch(), name)
  make(path)
  const kind = (await mediaKindOf(path, { name, declared: '' }))!
  return { ...kind, path, size: statSync(path).size, filename: name }
}
const ffmpeg = (...args: string[]) => execFileSync('ffmpeg', ['-v', 'error', '-y', ...args])
const picture = ['-f', 'lavfi', '-i', 'testsrc=size=63x49:rate=5:duration=1']
const tone = ['-f', 'lavfi', '-i', 'sine=duration=1']

test('a GIF becomes a film that loops', { skip: !hasFfmpeg && 'ffmpeg is not installed' }, async () => {
  const gif = await sample('c.gif', path => ffmpeg(...picture, path))
  const film = await converted(gif, { ffmpeg: 'ffmpeg', most, log })
  assert.deepEqual([film.extension, film.loops, film.filename], ['mp4', true, 'c'])
  assert.equal((await mediaKindOf(film.path, { name: '', declared: '' }))!.extension, 'mp4')
  assert.equal(existsSync(gif.path), false, 'the original is gone')
})
test('a WebM becomes MP4', { skip: !hasFfmpeg && 'ffmpeg is not installed' }, async () => {
  const webm = await sample('c.webm', path => ffmpeg(...picture, ...tone, '-c:v', 'libvpx', path))
  const film = await converted(webm, { ffmpeg: 'ffmpeg', most, log })
  assert.deepEqual([film.extension, film.loops], ['mp4', undefined])
})
test('a WAV becomes OGG', { skip: !hasFfmpeg && 'ffmpeg is not installed' }, async () => {
  const wav = await sample('c.wav', path => ffmpeg(...tone, path))
  const sound = await converted(wav, { ffmpeg: 'ffmpeg', most, log })
  assert.equal((await mediaKindOf(sound.path, { name: '', declared: '' }))!.mime, 'audio/ogg')
})
test('a file that only pretends is left as it is', {
  skip: !hasFfmpeg && 'ffmpeg is not installed',
}, async () => {
  // A playlist that names a file of this machine, in the dress of a GIF.
  const trick = await sample('t.gif', path => writeFileSync(path, 'GIF89a\n#EXTM3U\nfile:///etc/hostname\n'))
  assert.deepEqual(await converted(trick, { ffmpeg: 'ffmpeg', most, log }), trick)
  assert.match(readFileSync(trick.path, 'utf8'), /^GIF89a/)
})
test('a film that would come out too large is left as it was', {
  skip: !hasFfmpeg && 'ffmpeg is not installed',
}, async () => {
  const gif = await sample('l.gif', path => ffmpeg(...picture, path))
  assert.equal(await converted(gif, { ffmpeg: 'ffmpeg', most: 500, log }), gif)
})

const program = (name: string, script: string) => {
  const path = join(scratch(), name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return path
}
const gif = (name: string) => sample(name, path => writeFileSync(path, 'GIF89a and more'))

test('without ffmpeg, when it fails, and when it hangs, the file goes out as it is', async () => {
  for (const [name, ffmpeg] of [
    ['1.gif', undefined],
    ['2.gif', '/nowhere/ffmpeg'],
    ['3.gif', program('fails', 'exit 1')],
    ['4.gif', program('hangs', 'exec sleep 60')],
    ['5.gif', program('lies', 'exit 0')],
  ] as const) {
    const file = await gif(name)
    assert.equal(await converted(file, { ffmpeg, most, timeoutMs: 300, log }), file, name)
    assert.ok(existsSync(file.path))
  }
})
test('what WhatsApp can play is not touched', async () => {
  const text = await sample('a.txt', path => writeFileSync(path, 'hello'))
  assert.equal(await converted(text, { ffmpeg: program('never', 'exit 1'), most, log }), text)
})
test('whether it is installed is found out by asking it', async () => {
  assert.equal(await isInstalled('/nowhere/ffmpeg'), false)
  assert.equal(await isInstalled(program('fine', 'exit 0')), true)
})
