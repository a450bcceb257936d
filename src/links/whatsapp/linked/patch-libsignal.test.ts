import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { patchLibsignal } from './patch-libsignal.ts'
import { quietLibsignal } from './quiet-libsignal.ts'

type Libsignal = {
  ProtocolAddress: new (name: string, device: number) => object
  SessionCipher: new (store: object, address: object) => { queueJob<T>(job: () => Promise<T>): Promise<T> }
}

test('each job runs for whoever asked, one after the other, also behind one that failed', async () => {
  patchLibsignal()
  const require = createRequire(import.meta.resolve('baileys'))
  const { ProtocolAddress, SessionCipher } = require('libsignal') as Libsignal
  const asker = new AsyncLocalStorage<string>()
  const order: string[] = []
  const ask = (name: string, ms: number) =>
    asker.run(name, () =>
      new SessionCipher({}, new ProtocolAddress('15550002000', 0)).queueJob(async () => {
        order.push(`${name} begins`)
        await sleep(ms)
        order.push(`${name} ends`)
        if (name === 'b') throw new Error('no')
        return asker.getStore()
      }),
    )
  const answers = await Promise.allSettled([ask('a', 20), ask('b', 5), ask('c', 1)])
  assert.deepEqual(
    answers.map(one => (one.status === 'fulfilled' ? one.value : 'failed')),
    ['a', 'failed', 'c'],
  )
  assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('session keys are not printed, and everything else is', t => {
  const printed: unknown[] = []
  const usual = console.info
  console.info = (...words) => void printed.push(words[0])
  t.after(() => {
    console.info = usual
  })
  quietLibsignal()
  console.info('Closing session:', { privKey: 'secret' })
  console.info('Removing old closed session:', { privKey: 'secret' })
  console.info('hello')
  assert.deepEqual(printed, ['hello'])
})
