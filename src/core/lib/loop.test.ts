import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Loop } from './loop.ts'

test('stopped and started again at once, a loop goes on alone, and a stop does not wait for its interval', async () => {
  let [running, most, rounds] = [0, 0, 0]
  const loop = new Loop(
    60_000,
    async () => {
      running += 1
      rounds += 1
      most = Math.max(most, running)
      await sleep(20)
      running -= 1
      return rounds < 5 ? 1 : undefined
    },
    () => {},
  )
  loop.start()
  await sleep(5)
  for (let n = 0; n < 3; n += 1) {
    void loop.stop()
    loop.start()
    await sleep(30)
  }
  await sleep(100)
  const late = sleep(5_000, 'late', { ref: false })
  assert.equal(await Promise.race([loop.stop(), late]), undefined)
  assert.equal(most, 1, 'two rounds ran side by side')
})
