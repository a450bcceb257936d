import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { measure } from './segments.ts'

const of = (text: string) => [measure(text).encoding, measure(text).segments]

test('GSM-7: 160 characters are one segment, then 153 each', () => {
  assert.deepEqual(of('a'.repeat(160)), ['GSM-7', 1])
  assert.deepEqual(of('a'.repeat(161)), ['GSM-7', 2])
  assert.deepEqual(of('a'.repeat(306)), ['GSM-7', 2])
  assert.deepEqual(of('a'.repeat(307)), ['GSM-7', 3])
})

test('extension characters cost two', () => {
  assert.deepEqual(of('€'.repeat(80)), ['GSM-7', 1])
  assert.deepEqual(of('€'.repeat(81)), ['GSM-7', 2])
})

test('an extension character is not split over two segments', () => {
  // 152 + € would end at 154: the € starts the second segment, whose 153 then are one too few for the rest.
  assert.deepEqual(of('a'.repeat(152) + '€'.repeat(1) + 'a'.repeat(151)), ['GSM-7', 2])
  assert.deepEqual(of('a'.repeat(152) + '€'.repeat(1) + 'a'.repeat(152)), ['GSM-7', 3])
})

test('UCS-2: 70 units are one segment, then 67 each', () => {
  assert.deepEqual(of('ж'.repeat(70)), ['UCS-2', 1])
  assert.deepEqual(of('ж'.repeat(71)), ['UCS-2', 2])
  assert.deepEqual(of('ж'.repeat(134)), ['UCS-2', 2])
  assert.deepEqual(of('ж'.repeat(135)), ['UCS-2', 3])
})

test('a surrogate pair is not split over two segments', () => {
  // 66 + a pair would end at 68: the pair starts the second segment.
  assert.deepEqual(of(`${'ж'.repeat(66)}😀${'ж'.repeat(65)}`), ['UCS-2', 2])
  assert.deepEqual(of(`${'ж'.repeat(66)}😀${'ж'.repeat(66)}`), ['UCS-2', 3])
})

test('the first character that GSM-7 lacks is named', () => {
  assert.equal(measure('naïve “quotes” 😀').culprit, 'ï')
  assert.equal(measure('plain').culprit, undefined)
})

test('one character more never makes fewer segments', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'é', '€', '{', '\n', 'ж', '😀'), maxLength: 400 })
  fc.assert(
    fc.property(text, fc.constantFrom('a', '€', 'ж', '😀'), (start, more) => {
      assert.ok(measure(start + more).segments >= measure(start).segments)
    }),
  )
})

test('the segments hold the text and no fewer would', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '€', 'ж', '😀'), minLength: 1, maxLength: 400 })
  fc.assert(
    fc.property(text, written => {
      const { encoding, segments } = measure(written)
      const units =
        encoding === 'UCS-2' ? written.length : [...written].reduce((sum, c) => sum + (c === '€' ? 2 : 1), 0)
      const [alone, each] = encoding === 'UCS-2' ? [70, 67] : [160, 153]
      assert.equal(segments === 1, units <= alone)
      if (segments > 1) {
        assert.ok(units <= segments * each, 'they hold it')
        // Each segment but the last may leave one unit free, where a character of two did not fit.
        assert.ok(units > (segments - 1) * (each - 1), 'and one fewer would not')
      }
    }),
  )
})
