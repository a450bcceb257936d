/** The one error that means something to a caller: a stable code and a sentence for people. */

export const problemCodes = [
  'invalid_request',
  'unknown_field',
  'invalid_json',
  'invalid_recipient',
  'no_valid_recipients',
  'too_many_recipients',
  'message_too_long',
  'invalid_device',
  'media_requires_whatsapp',
  'unsupported_media',
  'media_url_blocked',
  'recipient_opted_out',
  'webhook_url_blocked',
  'missing_key',
  'invalid_key',
  'expired_key',
  'revoked_key',
  'wrong_environment',
  'not_signed_in',
  'wrong_credentials',
  'code_needed',
  'invalid_phone_token',
  'invalid_signature',
  'insufficient_scope',
  'ip_not_allowed',
  'not_allowed',
  'password_needed',
  'cross_site',
  'wrong_host',
  'insecure_login',
  'not_found',
  'message_not_found',
  'key_not_found',
  'device_not_found',
  'media_not_found',
  'webhook_not_found',
  'event_not_found',
  'opt_out_not_found',
  'node_not_found',
  'method_not_allowed',
  'request_timeout',
  'not_cancelable',
  'last_owner',
  'idempotency_in_progress',
  'link_expired',
  'body_too_large',
  'unsupported_content_type',
  'expectation_failed',
  'idempotency_key_reused',
  'headers_too_large',
  'rate_limited',
  'too_many_streams',
  'internal',
  'no_device_available',
  'device_offline',
  'device_draining',
  'queue_full',
  'whatsapp_unreachable',
  'storage_unavailable',
  'shutting_down',
] as const

export type ProblemCode = (typeof problemCodes)[number]

/** One of several things that are wrong at once. `pointer` is a JSON pointer into the request. */
export type ProblemPart = { pointer: string; code: string; detail: string }

export type ProblemExtras = {
  errors?: readonly ProblemPart[]
  /** Seconds after which trying again makes sense. */
  retryAfter?: number
  /** The cause is for the log; it never reaches a client. */
  cause?: unknown
}

export class Problem extends Error {
  readonly code: ProblemCode
  readonly errors: readonly ProblemPart[] | undefined
  readonly retryAfter: number | undefined

  constructor(code: ProblemCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, { cause: extras.cause })
    this.name = 'Problem'
    this.code = code
    this.errors = extras.errors
    this.retryAfter = extras.retryAfter
  }
}

/** One field of a request is wrong. */
export const invalid = (pointer: string, detail: string): Problem =>
  new Problem('invalid_request', detail, { errors: [{ pointer, code: 'invalid', detail }] })

/** The same with a code of its own, so that a form can say it beside the field. */
export const wrong = (code: ProblemCode, pointer: string, detail: string): Problem =>
  new Problem(code, detail, { errors: [{ pointer, code, detail }] })
