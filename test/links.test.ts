import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { simulatedPhones } from '../src/links/simulated.ts'
import { linkContract, listen, messageTo } from './link.contract.ts'
import { until } from './standins/gateway.ts'

linkContract('a simulated phone', simulatedPhones({ now: Date.now }))

/** Delays shrunk to a hundredth, so that thirty seconds are a third of one; their order stays. */
const quick = simulatedPhones({ now: Date.now, pace: 0.01 })

const told = async (recipient: string) => {
  const { link, receipts, received } = listen(quick)
  await link.send!(messageTo(recipient))
  await sleep(120)
  const early = receipts.map(({ outcome, error }) => (error ? `${outcome} ${error.code}` : outcome))
  await sleep(300)
  await link.close()
  return {
    early,
    // Sorted: at this pace the two may come in the same moment.
    late: receipts.map(({ outcome }) => outcome).toSorted(),
    texts: received.map(({ text, sender }) => [sender, text]),
  }
}

test('the last four digits of the recipient choose the fate', async () => {
  const [usual, failed, lost, silent, slow, pong, stop] = await Promise.all(
    ['1234', '0001', '0002', '0003', '0004', '0005', '0006'].map(end => told(`+1555010${end}`)),
  )
  assert.deepEqual(usual!.early, ['sent', 'delivered'])
  assert.deepEqual(failed!.late, ['failed'])
  assert.deepEqual(failed!.early, ['failed network_rejected'])
  assert.deepEqual(lost!.late, ['sent'])
  assert.deepEqual(silent!.late, [])
  assert.deepEqual([slow!.early, slow!.late], [['sent'], ['delivered', 'sent']])
  assert.deepEqual([pong!.late, pong!.texts], [['delivered', 'sent'], [['+15550100005', 'PONG']]])
  assert.deepEqual(stop!.texts, [['+15550100006', 'STOP']])
})

test('what was with the phone before a restart is reported after it, without a second send', async () => {
  const aired: string[] = []
  const { link, receipts } = listen(
    simulatedPhones({ now: Date.now, onAir: message => aired.push(message.id) }),
  )
  link.resume!([{ ...messageTo('+15550101234'), handedAt: Date.now() - 60_000 }])
  await until('reported', () => receipts.length === 2)
  assert.deepEqual(aired, [])
  await link.close()
})
