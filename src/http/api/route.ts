/** What a route is. */

import type { Key, Scope } from '../../core/access/key.ts'
import type { Environment } from '../../core/environment.ts'
import type { ProblemCode } from '../../core/problem.ts'
import type { Keeper } from './idempotency.ts'

export type ApiRequest = {
  environment: Environment
  key: Key
  /** Somebody with a browser, who has no key. */
  isPerson: boolean
  body: unknown
  query: unknown
  params: Readonly<Record<string, string>>
  /** The last event that a client has, which comes back. */
  lastEventId: string | undefined
  /** Whether the key may still be used, for answers that go on for long. */
  isAllowed: () => Promise<boolean>
  /** Keeps the answer in the commit of its effect, for clients that gave an Idempotency-Key. */
  keep: Keeper
}

/** What a route does: a request in, the body of the answer out, or a Problem thrown. */
export type Action<Response = unknown> = (request: ApiRequest) => Promise<Response>

export type Route = {
  /** Its name in the OpenAPI document and the SDK. */
  operation: string
  summary: string
  /** Under which heading the reference shows it. */
  group: 'Messages' | 'Inbox' | 'Devices' | 'Events' | 'Webhooks' | 'People' | 'Keys' | 'Environment'
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The first is the usual one; the others are the same code under another name. */
  paths: readonly string[]
  scope: Scope
  body?: object
  /** Where staging takes another body than production. */
  stagingBody?: object
  query?: object
  /** 200 when not given. */
  success?: 201
  /** The shape of the answer, or that it is a file. */
  response: object | 'file'
  /** It changes nothing, whatever the method says. */
  isLook?: true
  /** The journal tells what keys do with it, so that the audit log need not. */
  isTold?: true
  /** It gives access that outlasts a session: people give their password again. */
  asksPassword?: true
  /** The answer holds a secret, which is kept for repetitions only under seal. */
  secret?: true
  /** The answer comes piece by piece, each of this shape, for as long as somebody listens. */
  stream?: 'application/x-ndjson' | 'text/event-stream'
  /** Problems of its own, beside those every route can have. */
  problems: readonly ProblemCode[]
  action: Action
}

export const bodyProblems: readonly ProblemCode[] = [
  'invalid_json',
  'unknown_field',
  'body_too_large',
  'unsupported_content_type',
]
