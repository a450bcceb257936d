import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Arrivals } from './arrivals.ts'

const bytes = () => new Uint8Array(1)

function world() {
  const clock = { now: 1_000 }
  const arrivals = new Arrivals(() => clock.now)
  const come = () => {
    const sealed = bytes()
    arrivals.came({ tag: 'message', attrs: {} }, [sealed])
    return arrivals.of(sealed)!
  }
  return { clock, arrivals, come }
}

test('what lies behind one that is not decrypted waits for it', () => {
  const { arrivals, come } = world()
  const [first, second] = [come(), come()]
  arrivals.settled(second)
  assert.equal(arrivals.frontier(), first.place)
  arrivals.settled(first)
  assert.equal(arrivals.frontier(), undefined)
})
test('one that the library passed over holds up nobody for long, however busy it is', () => {
  const { clock, arrivals, come } = world()
  const lost = come()
  for (let n = 0; n < 30; n += 1) {
    const later = come()
    clock.now += 100
    arrivals.settled(later)
    if (n < 15) assert.equal(arrivals.frontier(), lost.place)
  }
  assert.equal(arrivals.frontier(), undefined)
})
test('messages that lie while none is decrypted are stuck; while others are, they only wait', () => {
  const { clock, arrivals, come } = world()
  assert.equal(arrivals.stuckMs(), 0)
  come()
  const other = come()
  clock.now += 50_000
  assert.equal(arrivals.stuckMs(), 50_000)
  arrivals.settled(other)
  clock.now += 10_000
  assert.equal(arrivals.stuckMs(), 10_000)
})
