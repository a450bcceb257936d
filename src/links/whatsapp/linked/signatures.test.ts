import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadLibrary } from './library.ts'
import { watchSignatures } from './signatures.ts'

test('a signature that does not verify is told, and a good one is not', async () => {
  const { Curve } = await loadLibrary()
  const told: string[] = []
  const nothing = () => {}
  const log = {
    debug: nothing,
    info: nothing,
    error: nothing,
    warn: (_: object, say: string) => told.push(say),
  }
  watchSignatures({ Curve }, log)
  // A connection later there is one watch, not two.
  watchSignatures({ Curve }, log)
  const [mine, other] = [Curve.generateKeyPair(), Curve.generateKeyPair()]
  const message = Buffer.from('certificate')
  const signature = Curve.sign(mine.private, message)
  Curve.verify(mine.public, message, signature)
  assert.deepEqual(told, [])
  Curve.verify(other.public, message, signature)
  Curve.verify(mine.public, Buffer.from('certificat3'), signature)
  Curve.verify(mine.public, message, Buffer.alloc(64))
  Curve.verify(mine.public, message, Buffer.alloc(3))
  assert.equal(told.length, 4)
  assert.match(told[0]!, /verification failed/)
})
