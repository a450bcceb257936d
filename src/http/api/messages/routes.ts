/** The routes about messages, sent and received. */

import type { ProblemCode } from '../../../core/problem.ts'
import { bodyProblems, type Route } from '../route.ts'
import type { RouteParts } from '../route-parts.ts'
import * as schemas from '../shapes.ts'
import { cancel, preview, send, sendBulk, status } from './actions.ts'
import { message, messages } from './list.ts'
import { media } from './media.ts'
import * as previews from './preview-schemas.ts'
import { received } from './received.ts'
import * as shapes from './schemas.ts'

const sendProblems: readonly ProblemCode[] = [
  ...bodyProblems,
  'message_too_long',
  'invalid_device',
  'media_requires_whatsapp',
  'unsupported_media',
  'media_url_blocked',
  'no_device_available',
  'device_offline',
  'device_draining',
  'queue_full',
]

export const messageRoutes = (parts: RouteParts): readonly Route[] => [
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
    isTold: true,
    problems: ['invalid_recipient', 'recipient_opted_out', ...sendProblems],
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
    isTold: true,
    problems: ['no_valid_recipients', 'too_many_recipients', ...sendProblems],
    action: sendBulk(parts.gateway),
  },
  {
    operation: 'preview',
    isLook: true,
    group: 'Messages',
    summary: 'Preview a message without sending it',
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
    operation: 'messages',
    group: 'Messages',
    summary: 'Messages, newest first',
    method: 'GET',
    paths: ['/messages'],
    scope: 'messages:read',
    query: shapes.MessagesQuery,
    response: shapes.MessagesResponse,
    problems: [],
    action: messages(parts.store, parts.fleet),
  },
  {
    operation: 'message',
    group: 'Messages',
    summary: 'Everything about one message, with its story',
    method: 'GET',
    paths: ['/messages/:message_id'],
    scope: 'messages:read',
    response: shapes.MessageResponse,
    problems: ['message_not_found'],
    action: message(parts.store, parts.fleet),
  },
  {
    operation: 'cancel',
    group: 'Messages',
    summary: 'Cancel a message',
    method: 'POST',
    paths: ['/messages/:message_id/cancel'],
    scope: 'messages:send',
    response: schemas.CancelResponse,
    isTold: true,
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
]
