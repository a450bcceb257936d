import assert from 'node:assert/strict'
import { test } from 'node:test'
import { usualOptInWords, usualOptOutWords, wishOf } from './opt-out.ts'

const usual = { optOutWords: usualOptOutWords, optInWords: usualOptInWords }

test('the usual words in many languages are understood, in any case, with blanks around them', () => {
  for (const text of [
    'STOP',
    ' stop\n',
    'Unsubscribe',
    'ALTO',
    'arrêt',
    'ARRÊT',
    'СТОП',
    '停止',
    'रोकें',
    'توقف',
    'বন্ধ',
    'PARAR',
    'بند',
  ])
    assert.equal(wishOf(text, usual), 'out', text)
  for (const text of ['START', 'начать', 'Unstop', '开始']) assert.equal(wishOf(text, usual), 'in', text)
  // The accent may be a character of its own.
  assert.equal(wishOf('arre\u0302t', usual), 'out')
})
test('only the whole text counts', () => {
  for (const text of [
    '',
    ' ',
    'stop it',
    'please stop',
    'stop.',
    'nonstop',
    'STOP STOP',
    's top',
    'x'.repeat(1_000),
  ])
    assert.equal(wishOf(text, usual), undefined, text)
})
test('no word says both', () => {
  for (const word of usualOptOutWords) assert.equal(wishOf(word, usual), 'out')
  for (const word of usualOptInWords) assert.equal(wishOf(word, usual), 'in')
})
test('words can be set', () => {
  const own = { optOutWords: ['Ende'], optInWords: [] }
  assert.equal(wishOf('ENDE', own), 'out')
  assert.equal(wishOf('STOP', own), undefined)
})
