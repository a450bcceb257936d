import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { maskNumber, normaliseNumber } from './number.ts'

const digits = (least: number, most: number) =>
  fc
    .tuple(
      fc.integer({ min: 1, max: 9 }),
      fc.array(fc.integer({ min: 0, max: 9 }), { minLength: least - 1, maxLength: most - 1 }),
    )
    .map(([first, rest]) => [first, ...rest].join(''))

test('separators anywhere and a leading 00 do not change the number', () => {
  fc.assert(
    fc.property(
      digits(7, 15),
      fc.array(fc.constantFrom('', ' ', '-', '.', '(', ')'), { minLength: 16, maxLength: 16 }),
      fc.boolean(),
      (number, separators, zeros) => {
        const written = [...number].map((digit, index) => separators[index] + digit).join('')
        assert.equal(normaliseNumber((zeros ? '00' : '+') + written), `+${number}`)
      },
    ),
  )
})

test('normalising a normalised number changes nothing', () => {
  fc.assert(
    fc.property(fc.string(), text => {
      const once = normaliseNumber(text)
      assert.equal(once === undefined ? undefined : normaliseNumber(once), once)
    }),
  )
})

test('whatever is accepted is + and 7 to 15 digits, not starting with 0', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'+0123456789 -.()x') }), text => {
      const number = normaliseNumber(text)
      if (number !== undefined) assert.match(number, /^\+[1-9]\d{6,14}$/)
    }),
  )
})

for (const refused of [
  '',
  '+',
  '5550101234',
  '0301234567',
  '+0301234567',
  '+123456',
  '+1234567890123456',
  '+1415555O123',
  '+1415555٠١٢٣',
  '++14155550123',
  '+1415+5550123',
  'tel:+14155550123',
  '+14155550123\n',
])
  test(`${JSON.stringify(refused)} is not a number in international format`, () => {
    assert.equal(normaliseNumber(refused), undefined)
  })

test('a masked number cannot be called', () => {
  assert.equal(maskNumber('+4915112345617'), '+49…17')
  assert.equal(maskNumber('ACME'), '…')
})
