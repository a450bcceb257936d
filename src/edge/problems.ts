/** Problems on the wire: the only table of codes and HTTP statuses. */

import { Problem, type ProblemCode, type ProblemPart } from '../core/problem.ts'

const table: Record<ProblemCode, readonly [status: number, title: string]> = {
  invalid_request: [400, 'Invalid request'],
  unknown_field: [400, 'Unknown field'],
  invalid_json: [400, 'Invalid JSON'],
  invalid_recipient: [400, 'Invalid recipient'],
  no_valid_recipients: [400, 'No valid recipients'],
  too_many_recipients: [400, 'Too many recipients'],
  message_too_long: [400, 'Message too long'],
  invalid_device: [400, 'Invalid device'],
  media_requires_whatsapp: [400, 'Media needs a WhatsApp device'],
  unsupported_media: [400, 'Unsupported media'],
  media_url_blocked: [400, 'Media address blocked'],
  recipient_opted_out: [400, 'Recipient opted out'],
  webhook_url_blocked: [400, 'Webhook address blocked'],
  missing_key: [401, 'API key missing'],
  invalid_key: [401, 'API key invalid'],
  expired_key: [401, 'API key expired'],
  revoked_key: [401, 'API key revoked'],
  wrong_environment: [401, 'API key of the other environment'],
  not_signed_in: [401, 'Not signed in'],
  wrong_credentials: [401, 'Wrong e-mail address, password or code'],
  code_needed: [401, 'One-time code needed'],
  invalid_phone_token: [401, 'Phone not known'],
  invalid_signature: [401, 'Signature invalid'],
  insufficient_scope: [403, 'Insufficient scope'],
  ip_not_allowed: [403, 'Address not allowed'],
  password_needed: [403, 'Password needed'],
  not_allowed: [403, 'Not allowed'],
  cross_site: [403, 'Asked for by another site'],
  wrong_host: [403, 'Unknown host name'],
  insecure_login: [403, 'Signing in needs https'],
  not_found: [404, 'Not found'],
  message_not_found: [404, 'Message not found'],
  key_not_found: [404, 'Key not found'],
  device_not_found: [404, 'Device not found'],
  media_not_found: [404, 'Media not found'],
  webhook_not_found: [404, 'Webhook not found'],
  event_not_found: [404, 'Event not found'],
  opt_out_not_found: [404, 'Opt-out not found'],
  node_not_found: [404, 'Node not found'],
  method_not_allowed: [405, 'Method not allowed'],
  request_timeout: [408, 'Request timeout'],
  not_cancelable: [409, 'Not cancelable'],
  last_owner: [409, 'Last owner'],
  idempotency_in_progress: [409, 'Request still running'],
  link_expired: [410, 'Link expired'],
  body_too_large: [413, 'Body too large'],
  unsupported_content_type: [415, 'Unsupported content type'],
  expectation_failed: [417, 'Expectation failed'],
  idempotency_key_reused: [422, 'Idempotency key used for another request'],
  rate_limited: [429, 'Rate limit exceeded'],
  too_many_streams: [429, 'Too many open streams'],
  headers_too_large: [431, 'Headers too large'],
  internal: [500, 'Internal error'],
  no_device_available: [503, 'No device available'],
  device_offline: [503, 'Device offline'],
  device_draining: [503, 'Device draining'],
  queue_full: [503, 'Queue full'],
  whatsapp_unreachable: [503, 'WhatsApp cannot be reached'],
  storage_unavailable: [503, 'Storage unavailable'],
  shutting_down: [503, 'Shutting down'],
}

export const statusOf = (code: ProblemCode): number => table[code][0]

export type ProblemBody = {
  success: false
  type: string
  title: string
  status: number
  code: ProblemCode
  detail: string
  request_id: string
  errors?: readonly ProblemPart[]
}

/** What clients may read of storage trouble; what really happened is in the log. */
const storageDetail = 'Storage is unavailable. It is unknown whether this request was stored.'

export function problemBody(problem: Problem, requestId: string, docs: string): ProblemBody {
  const [status, title] = table[problem.code]
  return {
    success: false,
    type: `${docs}#${problem.code}`,
    title,
    status,
    code: problem.code,
    detail: problem.code === 'storage_unavailable' ? storageDetail : problem.message,
    request_id: requestId,
    ...(problem.errors && problem.errors.length > 0 && { errors: problem.errors }),
  }
}

/** Anything that was thrown and is not a problem of the client's is a bug of ours. */
export const asProblem = (error: unknown): Problem =>
  error instanceof Problem
    ? error
    : new Problem('internal', 'Internal error. The log has the cause under this request_id.', {
        cause: error,
      })
