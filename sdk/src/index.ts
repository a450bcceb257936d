/** A client for a Basestation gateway. Needs nothing but `fetch`: Node.js, Deno, Bun and browsers have it. */

import type * as api from './api.ts'
import { lines, stream } from './stream.ts'
import { type Asked, type BasestationOptions, Transport } from './transport.ts'

export type * from './api.ts'
export { BasestationError } from './error.ts'
export { BasestationSession } from './session.ts'
export type * from './session-api.ts'
export { apiPaths, type BasestationOptions } from './transport.ts'

export type RepeatOptions = {
  /**
   * Under the same key the same request has one effect, however often it is sent within 24 hours: give one that you
   * keep, and you may repeat the request after a crash of your own. Without it each call has a key of its own.
   */
  idempotencyKey?: string
}

export class Basestation {
  readonly base: string
  readonly #transport: Transport

  constructor(options: BasestationOptions) {
    this.#transport = new Transport(options)
    this.base = this.#transport.base
  }

  /** Sends a message to one recipient. */
  send(request: api.SendRequest, options: RepeatOptions = {}): Promise<api.SendResponse> {
    return this.#ask('POST', '/sms/send', request, options)
  }

  /** Sends one message to up to 100 recipients. */
  sendBulk(request: api.BulkRequest, options: RepeatOptions = {}): Promise<api.BulkResponse> {
    return this.#ask('POST', '/sms/bulk', request, options)
  }

  /** Asks for the status of a message. */
  status(messageId: string): Promise<api.StatusResponse> {
    return this.#ask('GET', `/sms/status/${encodeURIComponent(messageId)}`)
  }

  /** Takes a message back; fails with `not_cancelable` once it is too late. */
  cancel(messageId: string): Promise<api.CancelResponse> {
    return this.#ask('POST', `/messages/${encodeURIComponent(messageId)}/cancel`)
  }

  /** Lists received messages, newest first. */
  received(query: api.ReceivedQuery = {}): Promise<api.ReceivedResponse> {
    return this.#ask('GET', `/messages/received${queryOf(query)}`)
  }

  /** People who wrote, the latest first. */
  conversations(query: api.ConversationsQuery = {}): Promise<api.ConversationsResponse> {
    return this.#ask('GET', `/conversations${queryOf(query)}`)
  }

  /** What was said with one person, newest first. */
  thread(person: string, query: api.ThreadQuery = {}): Promise<api.ThreadResponse> {
    return this.#ask('GET', `/conversations/${encodeURIComponent(person)}${queryOf(query)}`)
  }

  /** Notes that what a person wrote was seen. */
  readConversation(person: string): Promise<api.ConversationReadResponse> {
    const path = `/conversations/${encodeURIComponent(person)}/read`
    return this.#transport.ask({ method: 'POST', path, isLook: true })
  }

  /** What was sent, delivered and received lately, and what waits. */
  stats(query: api.StatsQuery = {}): Promise<api.StatsResponse> {
    return this.#ask('GET', `/stats${queryOf(query)}`)
  }

  /** The gateways on one database, and what each of them holds. */
  nodes(): Promise<api.NodesResponse> {
    return this.#ask('GET', '/nodes')
  }

  /** Asks a gateway to hand over what it holds, before it is stopped. */
  drainNode(nodeId: string): Promise<api.NodeResponse> {
    return this.#ask('POST', `/nodes/${encodeURIComponent(nodeId)}/drain`)
  }

  /** API keys, revoked ones too. */
  keys(): Promise<api.KeysResponse> {
    return this.#ask('GET', '/keys')
  }

  /** A new API key, which is shown this once. */
  addKey(request: api.KeyAddRequest, options: RepeatOptions = {}): Promise<api.KeySecretResponse> {
    return this.#ask('POST', '/keys', request, options)
  }

  /** A new key like this one, which goes on working for a while. */
  rotateKey(keyId: string, request: api.KeyRotateRequest = {}): Promise<api.KeySecretResponse> {
    return this.#ask('POST', `/keys/${encodeURIComponent(keyId)}/rotate`, request)
  }

  revokeKey(keyId: string): Promise<api.KeyResponse> {
    return this.#ask('DELETE', `/keys/${encodeURIComponent(keyId)}`)
  }

  /** What would become of a message, without sending it. */
  preview(request: api.PreviewRequest): Promise<api.PreviewResponse> {
    return this.#transport.ask({ method: 'POST', path: '/messages/preview', body: request, isLook: true })
  }

  /** A file that came with a received message. */
  media(mediaId: string): Promise<Blob> {
    const path = `/media/${encodeURIComponent(mediaId)}`
    return this.#transport.ask({ method: 'GET', path }, response => response.blob())
  }

  /** All devices. */
  devices(): Promise<api.DevicesResponse> {
    return this.#ask('GET', '/devices')
  }

  /** Kinds of devices that can be added, and what they can do. */
  deviceKinds(): Promise<api.DeviceKindsResponse> {
    return this.#ask('GET', '/device-kinds')
  }

  device(deviceId: string): Promise<api.DeviceResponse> {
    return this.#ask('GET', devicePath(deviceId))
  }

  /** Adds a device; for an Android phone the answer says how to connect it. */
  addDevice(request: api.DeviceAddRequest): Promise<api.DeviceAddResponse> {
    return this.#ask('POST', '/devices', request)
  }

  changeDevice(deviceId: string, request: api.DeviceChangeRequest): Promise<api.DeviceResponse> {
    return this.#ask('PATCH', devicePath(deviceId), request)
  }

  /** A fresh token, and a one-time code, to connect an Android phone. */
  enrolDevice(deviceId: string, request: api.EnrolmentRequest = {}): Promise<api.DeviceAddResponse> {
    return this.#ask('POST', `${devicePath(deviceId)}/enrolment`, request)
  }

  /** Links a WhatsApp number as a new device: yields a code to scan, and others when it ends, until it is linked. */
  linkNumber(request: api.LinkRequest): AsyncGenerator<api.LinkStep> {
    return lines(this.#transport, '/links', request)
  }

  /** Links a WhatsApp device again that was logged out. */
  linkDevice(deviceId: string): AsyncGenerator<api.LinkStep> {
    return lines(this.#transport, `${devicePath(deviceId)}/link`)
  }

  /** Removes a device for good. */
  removeDevice(deviceId: string): Promise<api.RemovedResponse> {
    return this.#ask('DELETE', devicePath(deviceId))
  }

  /** The settings of the environment. */
  settings(): Promise<api.SettingsResponse> {
    return this.#ask('GET', '/settings')
  }

  /** Changes settings of the environment. */
  configure(request: api.SettingsRequest): Promise<api.SettingsResponse> {
    return this.#ask('PATCH', '/settings', request)
  }

  /** Messages, newest first, a page at a time: go on with `cursor: next_cursor` until that is null. */
  messages(query: api.MessagesQuery = {}): Promise<api.MessagesResponse> {
    return this.#ask('GET', `/messages${queryOf(query)}`)
  }

  /** Everything about one message, with its story. */
  message(messageId: string): Promise<api.MessageResponse> {
    return this.#ask('GET', `/messages/${encodeURIComponent(messageId)}`)
  }

  /** What happened, oldest first: go on with `after: next_cursor`. */
  events(query: api.EventsQuery = {}): Promise<api.EventsResponse> {
    return this.#ask('GET', `/events${queryOf(query)}`)
  }

  /** What happens, as it happens. A lost line is taken up where it was left: nothing is missed, nothing comes twice. */
  stream(query: api.StreamQuery = {}, signal?: AbortSignal): AsyncGenerator<api.Event> {
    return stream(this.#transport, queryOf({ ...query, after: undefined }), query.after, signal)
  }

  webhooks(): Promise<api.WebhooksResponse> {
    return this.#ask('GET', '/webhooks')
  }

  webhook(webhookId: string): Promise<api.WebhookResponse> {
    return this.#ask('GET', webhookPath(webhookId))
  }

  /** Adds an address that receives events. The secret is in this answer and in no other. */
  addWebhook(request: api.WebhookAddRequest): Promise<api.WebhookSecretResponse> {
    return this.#ask('POST', '/webhooks', request)
  }

  changeWebhook(webhookId: string, request: api.WebhookChangeRequest): Promise<api.WebhookResponse> {
    return this.#ask('PATCH', webhookPath(webhookId), request)
  }

  removeWebhook(webhookId: string): Promise<api.DoneResponse> {
    return this.#ask('DELETE', webhookPath(webhookId))
  }

  /** A new secret; the old one signs too for a while. */
  rotateWebhook(webhookId: string, request: api.RotateRequest = {}): Promise<api.WebhookSecretResponse> {
    return this.#ask('POST', `${webhookPath(webhookId)}/rotate`, request)
  }

  /** Posts a test event, and says what came back. */
  testWebhook(webhookId: string): Promise<api.TestResponse> {
    return this.#ask('POST', `${webhookPath(webhookId)}/test`)
  }

  /** Tells a webhook once more of everything that happened in a time. */
  replay(webhookId: string, request: api.ReplayRequest): Promise<api.DoneResponse> {
    return this.#ask('POST', `${webhookPath(webhookId)}/replay`, request)
  }

  /** Deliveries of a webhook, newest first. */
  deliveries(webhookId: string, query: api.DeliveriesQuery = {}): Promise<api.DeliveriesResponse> {
    return this.#ask('GET', `${webhookPath(webhookId)}/deliveries${queryOf(query)}`)
  }

  /** What was posted of one event, and what came back. */
  delivery(webhookId: string, eventId: string): Promise<api.DeliveryResponse> {
    return this.#ask('GET', `${webhookPath(webhookId)}/deliveries/${encodeURIComponent(eventId)}`)
  }

  /** Tells a webhook once more of one event. */
  redeliver(webhookId: string, eventId: string): Promise<api.DoneResponse> {
    return this.#ask('POST', `${webhookPath(webhookId)}/deliveries/${encodeURIComponent(eventId)}/replay`)
  }

  /** Who wants no messages, newest first. */
  optOuts(query: api.OptOutsQuery = {}): Promise<api.OptOutsResponse> {
    return this.#ask('GET', `/opt-outs${queryOf(query)}`)
  }

  /** Sends no more messages to a number; what waits for it is canceled. */
  optOut(number: string): Promise<api.OptOutResponse> {
    return this.#ask('POST', '/opt-outs', { number })
  }

  /** Takes a number off the list. */
  optIn(number: string): Promise<api.OptInResponse> {
    return this.#ask('DELETE', `/opt-outs/${encodeURIComponent(number)}`)
  }

  /** Forgets a person: texts and numbers are blanked everywhere. */
  erase(number: string): Promise<api.ErasedResponse> {
    return this.#ask('DELETE', `/people/${encodeURIComponent(number)}`)
  }

  #ask<Answer>(
    method: Asked['method'],
    path: string,
    body?: unknown,
    { idempotencyKey }: RepeatOptions = {},
  ): Promise<Answer> {
    return this.#transport.ask({ method, path, body, idempotencyKey })
  }
}

const devicePath = (deviceId: string) => `/devices/${encodeURIComponent(deviceId)}`
const webhookPath = (webhookId: string) => `/webhooks/${encodeURIComponent(webhookId)}`

function queryOf(query: object): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined)
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}
