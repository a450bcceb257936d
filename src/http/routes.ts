/** The whole API on one page. */

import type { Canceler } from '../core/canceler.ts'
import type { Environment, Settings } from '../core/environment.ts'
import type { Gateway } from '../core/gateway.ts'
import type { Key, Scope } from '../core/key.ts'
import type { ProblemCode } from '../core/problem.ts'
import type { Store } from '../core/store.ts'
import * as shapes from './device-schemas.ts'
import { addDevice, changeDevice, device, devices, enrolDevice, removeDevice } from './devices.ts'
import * as links from './link-schemas.ts'
import { type LinkParts, linkDevice, linkNumber } from './linking.ts'
import { media, type ReadFile } from './media.ts'
import { cancel, preview, send, sendBulk, status } from './messages.ts'
import * as previews from './preview-schemas.ts'
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
  /** The answer comes line by line, each of this shape. */
  lines?: true
  /** Problems of its own, beside those every route can have. */
  problems: readonly ProblemCode[]
  action: Action
}

export type RouteParts = {
  gateway: Pick<Gateway, 'send' | 'sendBulk' | 'preview'>
  canceler: Pick<Canceler, 'cancel'>
  store: Pick<Store, 'message' | 'inbox' | 'media'>
  devices: LinkParts
  readFile: ReadFile
  configure: (environment: Environment, settings: Settings) => Promise<void>
}

const bodyProblems: readonly ProblemCode[] = [
  'invalid_json',
  'unknown_field',
  'body_too_large',
  'unsupported_content_type',
]

const sendProblems: readonly ProblemCode[] = [
  ...bodyProblems,
  'message_too_long',
  'invalid_device',
  'media_requires_whatsapp',
  'unsupported_media',
  'media_url_blocked',
  'no_device_available',
  'device_offline',
  'queue_full',
]

export const routes = (parts: RouteParts): readonly Route[] => [
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
    action: send(parts.gateway),
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
    action: sendBulk(parts.gateway),
  },
  {
    operation: 'preview',
    group: 'Messages',
    summary: 'What would become of a message, without sending it',
    method: 'POST',
    paths: ['/messages/preview'],
    scope: 'messages:send',
    body: previews.PreviewRequest,
    response: previews.PreviewResponse,
    problems: bodyProblems,
    action: preview(parts.gateway),
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
    action: status(parts.store),
  },
  {
    operation: 'cancel',
    group: 'Messages',
    summary: 'Take a message back',
    method: 'POST',
    paths: ['/messages/:message_id/cancel'],
    scope: 'messages:send',
    response: schemas.CancelResponse,
    problems: ['message_not_found', 'not_cancelable'],
    action: cancel(parts.canceler),
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
    action: received(parts.store),
  },
  {
    operation: 'media',
    group: 'Inbox',
    summary: 'A file that came with a received message',
    method: 'GET',
    paths: ['/media/:media_id'],
    scope: 'inbox:read',
    response: 'file',
    problems: ['media_not_found'],
    action: media(parts.store, parts.readFile),
  },
  {
    operation: 'devices',
    group: 'Devices',
    summary: 'All devices',
    method: 'GET',
    paths: ['/devices'],
    scope: 'devices:read',
    response: shapes.DevicesResponse,
    problems: [],
    action: devices(parts.devices),
  },
  {
    operation: 'addDevice',
    group: 'Devices',
    summary: 'Add a device',
    method: 'POST',
    paths: ['/devices'],
    scope: 'devices:manage',
    body: shapes.DeviceAddRequest,
    success: 201,
    response: shapes.DeviceAddResponse,
    problems: ['whatsapp_unreachable', ...bodyProblems],
    action: addDevice(parts.devices),
  },
  {
    operation: 'device',
    group: 'Devices',
    summary: 'One device',
    method: 'GET',
    paths: ['/devices/:device_id'],
    scope: 'devices:read',
    response: shapes.DeviceResponse,
    problems: ['device_not_found'],
    action: device(parts.devices),
  },
  {
    operation: 'changeDevice',
    group: 'Devices',
    summary: 'Change a device, pause or resume it',
    method: 'PATCH',
    paths: ['/devices/:device_id'],
    scope: 'devices:manage',
    body: shapes.DeviceChangeRequest,
    response: shapes.DeviceResponse,
    problems: ['device_not_found', 'whatsapp_unreachable', ...bodyProblems],
    action: changeDevice(parts.devices),
  },
  {
    operation: 'enrolDevice',
    group: 'Devices',
    summary: 'A fresh token, and a code, to connect an Android phone',
    method: 'POST',
    paths: ['/devices/:device_id/enrolment'],
    scope: 'devices:manage',
    body: shapes.EnrolmentRequest,
    response: shapes.DeviceAddResponse,
    problems: ['device_not_found', ...bodyProblems],
    action: enrolDevice(parts.devices),
  },
  {
    operation: 'linkNumber',
    group: 'Devices',
    summary: 'Link a WhatsApp number as a new device, step by step',
    method: 'POST',
    paths: ['/links'],
    scope: 'devices:manage',
    body: links.LinkRequest,
    response: links.LinkStep,
    lines: true,
    problems: bodyProblems,
    action: linkNumber(parts.devices),
  },
  {
    operation: 'linkDevice',
    group: 'Devices',
    summary: 'Link a WhatsApp device again that was logged out, step by step',
    method: 'POST',
    paths: ['/devices/:device_id/link'],
    scope: 'devices:manage',
    response: links.LinkStep,
    lines: true,
    problems: ['device_not_found'],
    action: linkDevice(parts.devices),
  },
  {
    operation: 'removeDevice',
    group: 'Devices',
    summary: 'Remove a device for good',
    method: 'DELETE',
    paths: ['/devices/:device_id'],
    scope: 'devices:manage',
    response: shapes.RemovedResponse,
    problems: ['device_not_found'],
    action: removeDevice(parts.devices),
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
    problems: bodyProblems,
    action: configure(parts.configure),
  },
]
