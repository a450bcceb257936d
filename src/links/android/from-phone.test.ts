/** What the app says and what it is told, where a whole gateway is not needed to see it. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Phone } from '../../core/devices/phone.ts'
import { failureOf } from './failures.ts'
import { timeOf } from './from-phone.ts'
import { phonePath } from './routes.ts'
import { hooksFor, settingsFor } from './to-phone.ts'
import { isAtLeast, versionOf } from './version.ts'

test('Android’s words become stable codes', () => {
  const codes = {
    'Send result: RESULT_ERROR_NO_SERVICE (x)': 'no_service',
    'Send result: RESULT_ERROR_RADIO_OFF': 'radio_off',
    'Send result: RESULT_RIL_RADIO_NOT_AVAILABLE': 'radio_off',
    'Send result: RESULT_ERROR_LIMIT_EXCEEDED': 'limit_reached',
    'Send result: RESULT_RIL_REQUEST_RATE_LIMITED': 'limit_reached',
    "Can't send message: SIM 2 not found": 'sim_missing',
    'Send result: RESULT_RIL_SIM_ABSENT': 'sim_missing',
    'sendSMS: Sending SMS message: uid 1 does not have android.permission.SEND_SMS.': 'permission_missing',
    'Send result: RESULT_ERROR_SHORT_CODE_NEVER_ALLOWED': 'number_not_allowed',
    'Send result: RESULT_ERROR_FDN_CHECK_FAILURE': 'number_not_allowed',
    'Send result: RESULT_INVALID_SMSC_ADDRESS': 'invalid_smsc',
    'Send result: RESULT_NETWORK_REJECT': 'network_rejected',
    'Send result: RESULT_ERROR_NULL_PDU': 'message_refused',
    'TTL expired': 'validity_ended',
    'Send result: RESULT_ERROR_GENERIC_FAILURE': 'phone_error',
    '': 'phone_error',
  }
  for (const [text, code] of Object.entries(codes)) assert.equal(failureOf(text, false).code, code, text)
  assert.equal(failureOf('TP-Status 70', true).code, 'not_delivered')
  assert.equal(failureOf(undefined, true).code, 'not_delivered')
  assert.equal(failureOf('Send result: RESULT_ERROR_NO_SERVICE', true).code, 'no_service')
})

test('times with offsets are read, and what nobody can read is nothing', () => {
  assert.equal(timeOf('2026-07-14T08:13:49.123+07:00'), Date.UTC(2026, 6, 14, 1, 13, 49, 123))
  for (const bad of ['2026-07-14T08:13:49.123+-5:00', '', 'x', 7, null, undefined, '9'.repeat(50)])
    assert.equal(timeOf(bad), undefined)
})

test('versions are compared by number, not by letter', () => {
  assert.equal(versionOf('me.capcom.smsgateway/1.68.0'), '1.68.0')
  assert.equal(versionOf('okhttp/4.10.0'), undefined)
  assert.equal(isAtLeast('1.100.0', [1, 53, 1]), true)
  assert.equal(isAtLeast('1.53.0', [1, 53, 1]), false)
  assert.equal(isAtLeast('2.0', [1, 53, 1]), true)
  assert.equal(isAtLeast(undefined, [1, 0, 0]), false)
})

const phone = {
  device: { id: 'd', perMinute: 20 },
  signingKey: 'bsk_x',
  hook: 'secret',
} as Phone
const events = (version?: string) =>
  hooksFor(phone, version, 'https://sms.example.org').map(({ event }) => event)

test('an app is never told of an event it does not know: its whole list would break', () => {
  const old = ['sms:received', 'sms:sent', 'sms:delivered', 'sms:failed', 'system:ping']
  assert.deepEqual(events(undefined), old)
  assert.deepEqual(events('1.38.9'), old)
  assert.deepEqual(events('1.39.0'), [...old, 'sms:data-received'])
  assert.deepEqual(events('1.47.0'), [...old, 'mms:received', 'sms:data-received'])
  const mms = ['mms:received', 'mms:downloaded', 'sms:data-received']
  assert.deepEqual(events('1.56.0'), [...old, ...mms])
  assert.deepEqual(events('1.66.0'), [...old, ...mms, 'app:started'])
  assert.deepEqual(events('1.67.0'), [...old, ...mms, 'app:started', 'sms:cancelled'])
})

test('hooks have unique ids that stay the same, and an address with a secret in it', () => {
  const hooks = hooksFor(phone, '1.75.0', 'https://sms.example.org')
  assert.equal(new Set(hooks.map(({ id }) => id)).size, hooks.length)
  assert.deepEqual(hooks, hooksFor(phone, '1.75.0', 'https://sms.example.org'))
  assert.ok(hooks.every(({ url }) => url === 'https://sms.example.org/mobile/v1/hooks/secret'))
})

test('settings never hold null, are always the same for the same device, and ask for FIFO, SSE and the pace', () => {
  const settings = settingsFor(phone, '1.68.0')
  assert.doesNotMatch(JSON.stringify(settings), /null/)
  assert.deepEqual(settings, settingsFor(phone, '1.68.0'))
  assert.equal(settings.messages.processing_order, 'FIFO')
  assert.equal(settings.gateway.notification_channel, 'SSE_ONLY')
  assert.deepEqual(
    settingsFor({ ...phone, device: { ...phone.device, perMinute: null } }, undefined).messages,
    {
      processing_order: 'FIFO',
      limit_period: 'Disabled',
    },
  )
  assert.equal(settingsFor(phone, '1.69.0').messages.work_hours_enabled, false, 'hours are decided here')
  const periods = ['Disabled', 'PerMinute', 'PerHour', 'PerDay']
  assert.ok(periods.includes(settings.messages.limit_period), 'one that every version knows')
})

test('only phone addresses are put right', () => {
  assert.equal(phonePath('/api/mobile/v1//messages?order=fifo'), '/mobile/v1/message?order=fifo')
  assert.equal(phonePath('//mobile/v1/'), '/mobile/v1/')
  for (const other of ['/api/v1//sms/send', '/mobile/v2/message', '/x/mobile/v1/message', '/mobile/v1x'])
    assert.equal(phonePath(other), other)
})
