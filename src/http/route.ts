/** What a route is. */

import type { Canceler } from '../core/canceler.ts'
import type { Environment, Settings } from '../core/environment.ts'
import type { Fleet } from '../core/fleet.ts'
import type { Gateway } from '../core/gateway.ts'
import type { Key, Scope } from '../core/key.ts'
import type { ProblemCode } from '../core/problem.ts'
import type { Store } from '../core/store.ts'
import type { Keeper } from './idempotency.ts'
import type { LinkParts } from './linking.ts'
import type { ReadFile } from './media.ts'

export type ApiRequest = {
  environment: Environment
  key: Key
  body: unknown
  query: unknown
  params: Readonly<Record<string, string>>
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
  group: 'Messages' | 'Inbox' | 'Devices' | 'Environment'
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
  /** The answer holds a secret, which is kept for repetitions only under seal. */
  secret?: true
  /** The answer comes line by line, each of this shape. */
  lines?: true
  /** Problems of its own, beside those every route can have. */
  problems: readonly ProblemCode[]
  action: Action
}

export type RouteParts = {
  gateway: Pick<Gateway, 'send' | 'sendBulk' | 'preview'>
  canceler: Pick<Canceler, 'cancel'>
  store: Pick<Store, 'message' | 'messages' | 'story' | 'inbox' | 'media'>
  fleet: Pick<Fleet, 'member'>
  devices: LinkParts
  readFile: ReadFile
  configure: (environment: Environment, settings: Settings) => Promise<void>
}

export const bodyProblems: readonly ProblemCode[] = [
  'invalid_json',
  'unknown_field',
  'body_too_large',
  'unsupported_content_type',
]
