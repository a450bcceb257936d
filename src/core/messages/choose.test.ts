import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Device } from '../devices/device.ts'
import { android } from '../devices/kinds/android.ts'
import { linkedNumber } from '../devices/kinds/whatsapp.ts'
import { afterHanding, freshPace } from '../devices/pace.ts'
import { type Candidate, choose, Weight } from './choose.ts'

const now = Date.UTC(2026, 10, 15, 12)

function candidate(
  id: string,
  device: Partial<Device> = {},
  rest: Partial<Omit<Candidate, 'device'>> = {},
): Candidate {
  return {
    device: {
      id,
      environmentId: 1,
      environment: 'production',
      kind: 'android',
      name: id,
      phone: '',
      perMinute: 20,
      driver: null,
      safety: null,
      restrictedUntil: null,
      perDay: null,
      paused: false,
      draining: false,
      online: true,
      heldBy: 'node',
      about: {},
      connection: { registeredAt: null, streamAt: null, keyAt: null },
      attention: [],
      seenAt: null,
      createdAt: 0,
      removedAt: null,
      ...device,
    },
    online: true,
    load: { deviceId: id, waiting: 0, waitingParts: 0, movable: 0, pace: freshPace },
    lastChosen: 0,
    ...rest,
  }
}
const text = new Weight({ text: 'hello', media: false })
const media = new Weight({ text: 'hello', media: true })
const chosen = (list: Candidate[], weight = text, lastDevice?: string) => {
  const choice = choose(list, weight, now, lastDevice)
  return 'candidate' in choice ? choice.candidate.device.id : choice.refusals.map(({ code }) => code)
}
const waiting = (parts: number) => ({
  load: { deviceId: '', waiting: parts, waitingParts: parts, movable: 0, pace: freshPace },
})

test('the device that last exchanged messages with the recipient comes first, even if it is busier', () => {
  assert.equal(chosen([candidate('a'), candidate('b', {}, waiting(500))], text, 'b'), 'b')
})
test('a familiar device that cannot take it is passed over', () => {
  assert.equal(chosen([candidate('a'), candidate('b', { paused: true })], text, 'b'), 'a')
})
test('a device that is being emptied takes nothing new, now or later', () => {
  assert.equal(chosen([candidate('a'), candidate('b', { draining: true })], text, 'b'), 'a')
  const later = choose([candidate('a', { draining: true })], text, now, undefined, true)
  assert.deepEqual('refusals' in later && later.refusals.map(({ code }) => code), ['draining'])
})
test('Android comes before WhatsApp when there is no media', () => {
  assert.equal(
    chosen([candidate('w', { kind: 'whatsapp', perMinute: null }), candidate('a', {}, waiting(50))]),
    'a',
  )
})
test('media goes through WhatsApp', () => {
  assert.equal(chosen([candidate('a'), candidate('w', { kind: 'whatsapp' })], media), 'w')
})
test('then the shortest expected wait', () => {
  assert.equal(chosen([candidate('a', {}, waiting(100)), candidate('b', {}, waiting(40))]), 'b')
})
test('devices that wait equally long take turns', () => {
  assert.equal(chosen([candidate('a', {}, { lastChosen: 2 }), candidate('b', {}, { lastChosen: 1 })]), 'b')
})
test('nobody can: each says why', () => {
  const spent = afterHanding(freshPace, 5, now)
  const list = [
    candidate('a', {}, { online: false }),
    candidate('b', { paused: true }),
    candidate(
      'c',
      { perDay: 5 },
      { load: { deviceId: 'c', waiting: 0, waitingParts: 0, movable: 0, pace: spent } },
    ),
  ]
  assert.deepEqual(chosen(list), ['offline', 'paused', 'out_of_budget'])
  assert.deepEqual(chosen([candidate('a')], media), ['cannot_send_media'])
})
test('what already waits counts against the day’s budget', () => {
  assert.deepEqual(chosen([candidate('a', { perDay: 5 }, waiting(5))]), ['out_of_budget'])
})
test('a text of eleven segments fits no phone, but may fit WhatsApp', () => {
  const long = new Weight({ text: 'a'.repeat(1_600), media: false })
  assert.equal(long.fits(android), false)
  assert.equal(chosen([candidate('a'), candidate('w', { kind: 'whatsapp' })], long), 'w')
})
test('WhatsApp takes 4,096 characters, with media 1,024', () => {
  assert.equal(new Weight({ text: 'a'.repeat(4_096), media: false }).fits(linkedNumber), true)
  assert.equal(new Weight({ text: 'a'.repeat(4_097), media: false }).fits(linkedNumber), false)
  assert.equal(new Weight({ text: 'a'.repeat(1_025), media: true }).fits(linkedNumber), false)
})
test('the story names what decided: a longer wait is not a lost turn', () => {
  const passed = (list: Candidate[]) => {
    const choice = choose(list, text, now)
    return 'candidate' in choice ? choice.passed.map(({ deviceId, code }) => [deviceId, code]) : []
  }
  assert.deepEqual(passed([candidate('a'), candidate('b', {}, { lastChosen: 1 })]), [['b', 'not_its_turn']])
  assert.deepEqual(passed([candidate('a'), candidate('b', {}, waiting(50))]), [['b', 'longer_wait']])
  assert.deepEqual(passed([candidate('a'), candidate('b', { kind: 'whatsapp' })]), [['b', 'sms_first']])
  const resting = { restrictedUntil: now + 24 * 3_600_000, kind: 'whatsapp' } as const
  assert.deepEqual(passed([candidate('a', { kind: 'whatsapp' }), candidate('b', resting)]), [
    ['b', 'longer_wait'],
  ])
})
