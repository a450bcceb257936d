/** Why a phone could not send: Android's words, and the codes we make of them. */

import { type Failure, type FailureCode, meaningOf } from '../../core/messages/message.ts'

/** The first that is found in the text decides. */
const signs: readonly (readonly [RegExp, FailureCode])[] = [
  [/TTL expired/i, 'validity_ended'],
  [/SIM_ABSENT|SIM \d+ not found|no sim|subscription/i, 'sim_missing'],
  [
    /permission|SecurityException|USER_NOT_ALLOWED|OPERATION_NOT_ALLOWED|NO_DEFAULT_SMS_APP/i,
    'permission_missing',
  ],
  [/NO_SERVICE|NETWORK_NOT_READY|ACCESS_BARRED/, 'no_service'],
  [/RADIO_OFF|RADIO_NOT_AVAILABLE/, 'radio_off'],
  [/LIMIT_EXCEEDED|RATE_LIMITED/, 'limit_reached'],
  [/FDN_CHECK|SHORT_CODE|BLOCKED_DURING_EMERGENCY/, 'number_not_allowed'],
  [/SMSC/, 'invalid_smsc'],
  [/NETWORK_REJECT|NETWORK_ERR|SMS_SEND_FAIL|SEND_RETRY_FAILED/, 'network_rejected'],
  [/NULL_PDU|INVALID_SMS_FORMAT|ENCODING_ERR|INVALID_ARGUMENTS/, 'message_refused'],
]

/** A failure that comes after the network took the message is the network's word about the recipient. */
export function failureOf(text: string | undefined, wasSent: boolean): Failure {
  const said = text?.trim() ?? ''
  const known = signs.find(([sign]) => sign.test(said))?.[1]
  const code =
    wasSent && (known === undefined || !said.includes('Send result'))
      ? 'not_delivered'
      : (known ?? 'phone_error')
  return said === ''
    ? { code }
    : { code, detail: `${meaningOf(code).detail} The phone said: ${said}`, raw: said }
}
