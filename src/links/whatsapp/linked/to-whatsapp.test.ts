import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentsOf, type MediaFile } from './to-whatsapp.ts'

const file = (extension: string, kind: MediaFile['class'], mime: string): MediaFile => ({
  class: kind,
  extension,
  mime,
  path: '/f',
  filename: 'song',
  size: 1,
})

test('a sound goes out with its words behind it, or as one document if that was chosen', () => {
  const sound = file('mp3', 'audio', 'audio/mpeg')
  assert.deepEqual(contentsOf('hi', sound, { audio: 'playable' }), [
    { audio: { url: '/f' }, mimetype: 'audio/mpeg', seconds: 0 },
    { text: 'hi', linkPreview: null },
  ])
  assert.deepEqual(contentsOf('hi', sound, { audio: 'document' }), [
    { document: { url: '/f' }, fileName: 'song.mp3', caption: 'hi', mimetype: 'audio/mpeg' },
  ])
})
test('a moving picture that was made a film is shown as a moving picture; otherwise it is a document', () => {
  const habits = { audio: 'playable' as const }
  const film = { ...file('mp4', 'video', 'video/mp4'), loops: true }
  assert.deepEqual(contentsOf('hi', film, habits), [
    { video: { url: '/f' }, caption: 'hi', mimetype: 'video/mp4', jpegThumbnail: '', gifPlayback: true },
  ])
  const [gif] = contentsOf('hi', file('gif', 'image', 'image/gif'), habits)
  assert.equal((gif as { fileName?: string }).fileName, 'song.gif')
})
test('no address in a text is looked at', () => {
  assert.deepEqual(contentsOf('see https://example.com', undefined, { audio: 'playable' }), [
    { text: 'see https://example.com', linkPreview: null },
  ])
})
