import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newTotpSecret, totpCode, totpStepAt, usedStep } from './totp.ts'

/** “12345678901234567890” in base 32, as in RFC 6238. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

test('codes are those of RFC 6238, appendix B, in six digits', () => {
  const vectors: [seconds: number, code: string][] = [
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ]
  for (const [seconds, code] of vectors)
    assert.equal(totpCode(secret, totpStepAt(seconds * 1_000)), code.slice(-6), String(seconds))
})
test('a code counts for its own step and its neighbours, and never after a later one was used', () => {
  const now = 1_111_111_109_000
  const step = totpStepAt(now)
  for (const near of [step - 1, step, step + 1])
    assert.equal(usedStep(secret, totpCode(secret, near), now, 0), near)
  for (const far of [step - 2, step + 2])
    assert.equal(usedStep(secret, totpCode(secret, far), now, 0), undefined)
  assert.equal(usedStep(secret, totpCode(secret, step), now, step), undefined)
  assert.equal(
    usedStep(secret, ` ${totpCode(secret, step).slice(0, 3)} ${totpCode(secret, step).slice(3)}`, now, 0),
    step,
  )
})
test('a new secret has 160 random bits', () => {
  assert.match(newTotpSecret(), /^[A-Z2-7]{32}$/)
  assert.notEqual(newTotpSecret(), newTotpSecret())
})
