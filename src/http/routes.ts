/** The whole API on one page. */

import type { Environment, Settings } from '../core/environment.ts'
import type { Gateway } from '../core/gateway.ts'
import type { Key, Scope } from '../core/key.ts'
import type { ProblemCode } from '../core/problem.ts'
import type { Store } from '../core/store.ts'
import { send, sendBulk, status } from './messages.ts'
import { received } from './received.ts'
import * as schemas from './schemas.ts'
import { configure, settings } from './settings.ts'

export type ApiRequest = {
  environment: Environment
  key: Key
  body: unknown
  query: unknown
  params: Readonly<Record<string, string>>
}

/** What a route does: a request in, the body of a 200 out, or a Problem thrown. */
export type Action<Response = unknown> = (request: ApiRequest) => Promise<Response>

export type Route = {
  /** Its name in the OpenAPI document and the SDK. */
  operation: string
  summary: string
  /** Under which heading the reference shows it. */
  group: 'Messages' | 'Inbox' | 'Environment'
  method: 'GET' | 'POST' | 'PATCH'
  /** The first is the usual one; the others are the same code under another name. */
  paths: readonly string[]
  scope: Scope
  body?: object
  /** Where staging takes another body than production. */
  stagingBody?: object
  query?: object
  response: object
  /** Problems of its own, beside those every route can have. */
  problems: readonly ProblemCode[]
  action: Action
}

export type RouteParts = {
  gateway: Pick<Gateway, 'send' | 'sendBulk'>
  store: Pick<Store, 'message' | 'inbox'>
  configure: (environment: Environment, settings: Settings) => Promise<void>
}

const sendProblems: readonly ProblemCode[] = [
  'invalid_json',
  'unknown_field',
  'message_too_long',
  'invalid_device',
  'media_requires_whatsapp',
  'unsupported_media',
  'media_url_blocked',
  'body_too_large',
  'unsupported_content_type',
  'no_device_available',
  'device_offline',
  'queue_full',
]

export const routes = ({ gateway, store, configure: change }: RouteParts): readonly Route[] => [
  {
    operation: 'send',
    group: 'Messages',
    summary: 'Send a message to one recipient',
    method: 'POST',
    paths: ['/sms/send', '/message/send'],
    scope: 'messages:send',
    body: schemas.SendRequest,
    stagingBody: schemas.StagingSendRequest,
    response: schemas.SendResponse,
    problems: ['invalid_recipient', ...sendProblems],
    action: send(gateway),
  },
  {
    operation: 'sendBulk',
    group: 'Messages',
    summary: 'Send one message to up to 100 recipients',
    method: 'POST',
    paths: ['/sms/bulk', '/message/bulk'],
    scope: 'messages:send',
    body: schemas.BulkRequest,
    response: schemas.BulkResponse,
    problems: ['no_valid_recipients', 'too_many_recipients', ...sendProblems],
    action: sendBulk(gateway),
  },
  {
    operation: 'status',
    group: 'Messages',
    summary: 'Delivery status of a message',
    method: 'GET',
    paths: ['/sms/status/:message_id', '/message/status/:message_id'],
    scope: 'messages:read',
    response: schemas.StatusResponse,
    problems: ['message_not_found'],
    action: status(store),
  },
  {
    operation: 'received',
    group: 'Inbox',
    summary: 'Received messages, newest first',
    method: 'GET',
    paths: ['/messages/received', '/message/received'],
    scope: 'inbox:read',
    query: schemas.ReceivedQuery,
    response: schemas.ReceivedResponse,
    problems: [],
    action: received(store),
  },
  {
    operation: 'settings',
    group: 'Environment',
    summary: 'Settings of the environment',
    method: 'GET',
    paths: ['/settings'],
    scope: 'settings:manage',
    response: schemas.SettingsResponse,
    problems: [],
    action: settings(),
  },
  {
    operation: 'configure',
    group: 'Environment',
    summary: 'Change settings of the environment',
    method: 'PATCH',
    paths: ['/settings'],
    scope: 'settings:manage',
    body: schemas.SettingsRequest,
    response: schemas.SettingsResponse,
    problems: ['invalid_json', 'unknown_field', 'body_too_large', 'unsupported_content_type'],
    action: configure(change),
  },
]
