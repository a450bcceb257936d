import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  fill,
  normalise,
  numberColumn,
  recipientsOf,
  requestsOf,
  resultFile,
  unknownPlaceholders,
} from './list.ts'
import { readTable } from './read.ts'

const table = {
  columns: ['Name', 'Mobile'],
  rows: [
    ['Ann', '+1 (555) 010-1234'],
    ['Bob', '0015550101234'],
    ['Cy', '0155 501'],
    ['Di', '+15550105678'],
  ],
  lines: [2, 3, 4, 5],
}

test('numbers are read as the gateway reads them', () => {
  assert.equal(normalise('00 1 (555) 010-1234'), '+15550101234')
  for (const wrong of ['5550101234', '+0155501012', '+1555', 'ACME', ''])
    assert.equal(normalise(wrong), undefined)
})
test('the column with the numbers is found', () => assert.equal(numberColumn(table), 1))
test('invalid and repeated rows are known before anything is sent', () => {
  const verdicts = recipientsOf(table, 1, 'Hi', new Set(['+15550105678'])).map(({ verdict }) => verdict)
  assert.deepEqual(verdicts, ['fine', 'duplicate', 'invalid', 'opted_out'])
})
test('a row whose text would be empty is told', () => {
  const rows = [['', '+15550101234']]
  const verdict = (template: string) => recipientsOf({ ...table, rows }, 1, template)[0]!.verdict
  assert.equal(verdict('{name}'), 'empty')
  assert.equal(verdict('Hello {name},'), 'missing')
  assert.equal(verdict('Hello {{name|friend}},'), 'fine')
})
test('columns fill the text, however their names are written; others are told', () => {
  assert.equal(fill('Hi { name }, {code}', table.columns, ['Ann', '']), 'Hi Ann, {code}')
  assert.deepEqual(unknownPlaceholders('Hi {NAME}, {code}', table.columns), ['code'])
})
test('a request has at most a hundred people, who all get the same text', () => {
  const rows = Array.from({ length: 250 }, (_, n) => [n % 2 === 0 ? 'Ann' : 'Bob', `+1555010${1000 + n}`])
  const sizes = (template: string) =>
    requestsOf(recipientsOf({ ...table, rows }, 1, template)).map(group => group.length)
  assert.deepEqual(sizes('Hi'), [100, 100, 50])
  assert.deepEqual(sizes('Hi {name}'), [100, 25, 100, 25])
})
test('nothing in the result file is a formula', () => {
  const [recipient] = recipientsOf({ columns: ['n'], rows: [['=cmd()']], lines: [1] }, 0, 'Hi')
  const file = resultFile([{ recipient: recipient!, outcome: '@sum("x")', messageId: '' }])
  assert.equal(file.split('\r\n')[1], `"1","'=cmd()","'@sum(""x"")",""`)
  const [fine] = recipientsOf({ columns: ['n'], rows: [['+15550101234']], lines: [1] }, 0, 'Hi')
  assert.match(resultFile([{ recipient: fine!, outcome: 'accepted', messageId: 'x' }]), /"'\+15550101234"/)
})

test('two braces are one place, and a word stands in where a column is empty', () => {
  assert.equal(fill('Hi {{name}}!', table.columns, ['Bob', '']), 'Hi Bob!')
  assert.equal(fill('Hi {{ name | friend }}!', table.columns, ['', '']), 'Hi friend!')
  assert.deepEqual(unknownPlaceholders('{{code}} {{name|x}}', table.columns), ['code'])
})
test('rows are told by their line in the file, heading and empty lines counted', () => {
  const read = readTable('name,number\n\nAnn,+15550101234\nBob,12\n')
  assert.deepEqual(
    recipientsOf(read, 1, 'Hi').map(({ line, verdict }) => [line, verdict]),
    [
      [3, 'fine'],
      [4, 'invalid'],
    ],
  )
})
