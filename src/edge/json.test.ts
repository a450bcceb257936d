import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Problem } from '../core/problem.ts'
import { readJson } from './json.ts'

const read = (text: string) => readJson(Buffer.from(text))
const codeOf = (bytes: string | Buffer) => {
  try {
    readJson(Buffer.from(bytes as string))
    return 'fine'
  } catch (error) {
    return (error as Problem).code
  }
}

test('whatever JSON.stringify writes is read back the same', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), value => {
      const text = JSON.stringify(value)
      fc.pre(!text.includes('\\u'))
      assert.deepEqual(read(text), JSON.parse(text))
    }),
  )
})
test('a key that appears twice is refused, however it is spelled', () => {
  for (const text of [
    '{"to":1,"to":2}',
    '{"a":{"x":1,"y":2,"x":3}}',
    '{"to":1,"\\u0074o":2}',
    '[{"a":1},{"b":1,"b":2}]',
    '{"to" : 1 , "to"\n:2}',
  ])
    assert.equal(codeOf(text), 'invalid_json', text)
})
test('the same key in different objects, and keys as values, are fine', () => {
  for (const text of [
    '{"a":{"a":1},"b":{"a":1}}',
    '[{"a":1},{"a":2}]',
    '{"a":"b","b":"a"}',
    '{"a":"x\\":\\"","b":["a","a"]}',
  ])
    assert.equal(codeOf(text), 'fine', text)
})
test('a megabyte of nesting is refused at once', () => {
  for (const text of ['['.repeat(1_000_000), '{"a":'.repeat(200_000), `${'['.repeat(33)}${']'.repeat(33)}`])
    assert.equal(codeOf(text), 'invalid_json')
  assert.equal(codeOf(`${'['.repeat(32)}${']'.repeat(32)}`), 'fine')
})
test('NUL and half a surrogate pair are refused in texts and keys', () => {
  for (const text of ['{"a":"\\u0000"}', '{"a":["x\\ud83d"]}', '{"\\udc00":1}'])
    assert.equal(codeOf(text), 'invalid_request', text)
  assert.equal(codeOf('{"a":"\\ud83d\\ude00"}'), 'fine')
})
test('what is not UTF-8 or not JSON is refused', () => {
  assert.equal(codeOf(Buffer.from([0x22, 0xff, 0x22])), 'invalid_json')
  for (const text of ['', '{', '{"a":1,}', 'undefined', "{'a':1}", '{"a":NaN}', '"\0"'])
    assert.equal(codeOf(text), 'invalid_json', text)
})
