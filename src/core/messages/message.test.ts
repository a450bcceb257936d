import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mayMove, moves, type Outcome, type Status, sourcesOf, statuses } from './message.ts'

/** What a device that tells the truth can report, in order. */
const stories: readonly (readonly Outcome[])[] = [
  ['sent'],
  ['sent', 'delivered'],
  ['sent', 'delivered', 'read'],
  ['sent', 'failed'],
  ['failed'],
  ['canceled'],
]

const tell = (from: Status, receipts: readonly Outcome[]): Status =>
  receipts.reduce<Status>((status, outcome) => (mayMove(status, outcome) ? outcome : status), from)

test('any order and repetition of receipts ends in the same state', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...stories),
      fc.constantFrom<Status>('sending', 'unknown'),
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.infiniteStream(fc.nat()),
      (story, from, repeats, order) => {
        const receipts = [...story, ...repeats.map(n => story[n % story.length]!)]
        const shuffled = receipts
          .map(outcome => ({ outcome, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ outcome }) => outcome)
        assert.equal(tell(from, shuffled), story.at(-1))
      },
    ),
  )
})

test('a state that is final never changes, but for delivered to read and unknown by a late receipt', () => {
  for (const status of ['read', 'failed', 'expired', 'canceled'] as const) assert.deepEqual(moves[status], [])
  assert.deepEqual(moves.delivered, ['read'])
  assert.ok(moves.unknown.every(to => !['queued', 'sending', 'scheduled', 'expired'].includes(to)))
})

test('the only step back is sending to queued', () => {
  const rank: Partial<Record<Status, number>> = {
    scheduled: 0,
    queued: 1,
    sending: 2,
    sent: 3,
    delivered: 4,
    read: 5,
  }
  for (const from of statuses)
    for (const to of moves[from]) {
      const [a, b] = [rank[from], rank[to]]
      if (a !== undefined && b !== undefined && b <= a) assert.deepEqual([from, to], ['sending', 'queued'])
    }
})

test('what a device may have is never expired, and only what a device took becomes unknown', () => {
  assert.deepEqual(sourcesOf('expired'), ['scheduled', 'queued'])
  assert.deepEqual(sourcesOf('unknown'), ['sending'])
})
