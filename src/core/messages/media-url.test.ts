import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Problem } from '../problem.ts'
import { checkMediaUrl } from './media-url.ts'

const codeOf = (url: string, httpsOnly = false) => {
  try {
    checkMediaUrl(url, httpsOnly)
    return 'fine'
  } catch (error) {
    return (error as Problem).code
  }
}

test('an absolute http or https address is fine, whatever unknown extension it has', () => {
  for (const url of [
    'https://example.org/a.pdf',
    'http://example.org/a',
    'https://example.org/a.v2?x=.exe',
    'https://example.org/photo.JPG',
    'https://example.org/file.xyz',
  ])
    assert.equal(codeOf(url), 'fine', url)
})
test('anything else is an invalid request', () => {
  for (const url of [
    'a.pdf',
    '/a.pdf',
    'ftp://example.org/a.pdf',
    'javascript:alert(1)',
    'https:example.org',
    'data:text/plain,x',
    'file:///etc/passwd',
  ])
    assert.equal(codeOf(url), 'invalid_request', url)
})
test('a well-known extension of another kind is unsupported', () => {
  for (const url of [
    'https://example.org/a.exe',
    'https://example.org/a.XLSX',
    'https://example.org/a.mov',
    'http://127.0.0.1/a.exe',
  ])
    assert.equal(codeOf(url), 'unsupported_media', url)
})
test('addresses that are not public are blocked in every spelling', () => {
  for (const host of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0',
    '10.0.0.8',
    '192.168.1.1',
    '172.20.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[fe80::1]',
    '[fc00::1]',
    '[64:ff9b::7f00:1]',
    'localhost',
    'x.localhost',
  ])
    assert.equal(codeOf(`https://${host}/a.pdf`), 'media_url_blocked', host)
})
test('names are judged when they are fetched, not before', () => {
  assert.equal(codeOf('https://internal.example.org/a.pdf'), 'fine')
})
test('plain http can be forbidden', () => {
  assert.equal(codeOf('http://example.org/a.pdf', true), 'invalid_request')
})
