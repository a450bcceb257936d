import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Ear, Silence, unlessSilent } from './silence.ts'

const busy = (ms: number) => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

test('somebody who goes on answering is never called silent, however long it takes', async () => {
  let complaints = 0
  const ear = new Ear()
  const complain = () => {
    complaints += 1
  }
  const silence = new Silence(50, complain, ear)
  for (let n = 0; n < 8; n += 1) {
    await sleep(30)
    ear.heard()
  }
  silence.end()
  assert.equal(complaints, 0)
})

test('an answer that lay unread because this process was busy is in time', async () => {
  const answer = new Promise(resolve => setImmediate(() => setImmediate(() => resolve('here'))))
  const asked = unlessSilent(20, answer, () => new Error('late'))
  busy(100)
  assert.equal(await asked, 'here')
})

test('a question that waits its turn behind others that are answered is not late', async () => {
  const ear = new Ear()
  const slow = unlessSilent(100, sleep(500, 'here'), () => new Error('late'), ear)
  for (let n = 0; n < 8; n += 1) await unlessSilent(100, sleep(50), () => new Error('late'), ear)
  assert.equal(await slow, 'here')
})

test('no answer at all is said', async () => {
  await assert.rejects(
    unlessSilent(20, new Promise(() => {}), () => new Error('late')),
    /late/,
  )
})
