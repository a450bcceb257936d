/** The shapes of the API. Written by `npm run api` from the schemas that the gateway checks with. */

export type AddedDevice = {
  /** Identifier of the device. */
  id: string
  name: string
  /** What it is. */
  kind: 'android' | 'whatsapp' | 'simulated'
  /** Its number; empty when unknown. */
  phone: string
  /** How a WhatsApp number is reached: linked to a phone, or over the official API. */
  driver?: 'linked' | 'cloud'
  /** Whether it can be reached. */
  status: 'online' | 'offline'
  /** It is handed no messages. */
  paused: boolean
  /** It finishes what waits for it, and is given nothing new. */
  draining: boolean
  /** SMS parts it may be handed in any 60 seconds; null: no limit. */
  per_minute: number | null
  /** SMS parts it may be handed on one day (UTC); null: no limit. */
  per_day: number | null
  /** SMS parts, or WhatsApp messages, it may still be handed today (UTC); null: no limit. */
  left_today: number | null
  /** Messages that wait for it. */
  waiting: number
  /** What somebody should look at; empty when all is well. */
  attention: DeviceAttention[]
  abilities: DeviceAbilities
  connection?: DeviceConnection
  safety?: DeviceSafety
  /** What the device says about itself. */
  about: {
    app_version?: string
    model?: string
    battery_percent?: number
    charging?: boolean
    /** Meta’s id of the number. */
    phone_number_id?: string
    sims?: Sim[]
  }
  seen_at: string | null
  /** When it was added. */
  created_at: string
  enrolment?: Enrolment
  /** Only for numbers of the official API. */
  webhook?: {
    /** Callback URL to enter in Meta’s app dashboard. */
    url: string
    /** Verify token to enter there; shown only this once. */
    verify_token: string
  }
}

export type ApiKey = {
  /** By which it is rotated and revoked. */
  id: string
  name: string
  /** Where it works. */
  environment: 'production' | 'staging'
  /** Its first and last characters. */
  hint: string
  /** What the key may do. */
  scopes: Array<'messages:send' | 'messages:read' | 'inbox:read' | 'devices:read' | 'devices:manage' | 'webhooks:manage' | 'events:read' | 'people:manage' | 'stats:read' | 'settings:manage' | 'keys:manage'>
  /** Requests a minute; null: the default of the server. */
  rate_limit: number | null
  /** Addresses and networks it may be used from; empty: any. */
  allowed_ips: string[]
  created_by: string
  /** The key that made it, with which it is revoked; null: a person made it. */
  created_by_key: string | null
  /** When it was made. */
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
}

export type ApiKeyWithSecret = {
  /** By which it is rotated and revoked. */
  id: string
  name: string
  /** Where it works. */
  environment: 'production' | 'staging'
  /** Its first and last characters. */
  hint: string
  /** What the key may do. */
  scopes: Array<'messages:send' | 'messages:read' | 'inbox:read' | 'devices:read' | 'devices:manage' | 'webhooks:manage' | 'events:read' | 'people:manage' | 'stats:read' | 'settings:manage' | 'keys:manage'>
  /** Requests a minute; null: the default of the server. */
  rate_limit: number | null
  /** Addresses and networks it may be used from; empty: any. */
  allowed_ips: string[]
  created_by: string
  /** The key that made it, with which it is revoked; null: a person made it. */
  created_by_key: string | null
  /** When it was made. */
  created_at: string
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  /** The key itself. It is shown only this once. */
  key: string
}

export type Attachment = {
  /** Where to fetch it: /media/{id}. */
  id: string
  /** What it is. */
  kind: 'image' | 'video' | 'audio' | 'document'
  mime: string
  /** Bytes. */
  size: number
  filename: string | null
}

export type BulkRequest = {
  /** Recipients in international format. */
  recipients: string[]
  /** Text of the message; the caption when media is attached. */
  message: string
  /** Device to use. When omitted, an online device is chosen. */
  device_id?: string
  /** Media file to attach, through WhatsApp devices only: PDF; JPEG, PNG, GIF, WebP; MP4, WebM; MP3, OGG, WAV; DOC, DOCX, TXT, ZIP. Staging ignores it on the single send. */
  media_url?: string
  /** Seconds after which it is too late to hand the message to a device. Default: 24 hours, or default_ttl in the settings. */
  ttl?: number
  /** When to send it, at most 35 days ahead. ttl counts from then. When omitted, it is sent at once. */
  send_at?: string
  /** SIM to send from, counted from 1, on phones with several. */
  sim_slot?: number
}

export type BulkResponse = {
  success: boolean
  /** One for each accepted recipient, in their order. */
  message_ids: string[]
  /** Device that will send all of them. */
  device_id: string
  stats: BulkStats
  /** What cannot be sent to. */
  rejected?: RejectedRecipient[]
}

export type BulkStats = {
  /** Recipients given. */
  total: number
  /** Recipients whose number is valid. */
  valid: number
  /** Recipients whose number was refused. */
  invalid: number
  /** Messages accepted. */
  queued: number
}

export type CancelResponse = {
  success: boolean
  data: {
    /** Identifier of the message. */
    message_id: string
    /** Always canceled. */
    status: 'canceled'
  }
}

export type Conversation = {
  /** A number, or the name of a sender that has none. */
  person: string
  /** Messages of theirs that nobody has seen. */
  unread: number
  last: ReceivedMessage
}

export type ConversationReadResponse = {
  success: boolean
  data: {
    person: string
  }
}

export type ConversationsQuery = {
  /** Only those with something nobody has seen. */
  unread?: 'true'
  /** Only those with this in their number, name or newest text. */
  contains?: string
  /** Items a page. */
  limit?: number
  /** next_cursor of the page before. */
  cursor?: string
}

export type ConversationsResponse = {
  success: boolean
  data: Conversation[]
  /** How many conversations have something unseen, counted up to 100. */
  unread: number
  next_cursor: string | null
}

export type DeliveriesQuery = {
  /** Only those in this state. */
  state?: 'pending' | 'delivered' | 'failed'
  /** Items a page. */
  limit?: number
  /** next_cursor of the page before. */
  cursor?: string
}

export type DeliveriesResponse = {
  success: boolean
  data: Delivery[]
  next_cursor: string | null
}

export type Delivery = {
  event_id: string
  /** null once the event was removed. */
  event_type: 'message.scheduled' | 'message.queued' | 'message.sending' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.expired' | 'message.canceled' | 'message.unknown' | 'message.received' | 'message.reaction' | 'received.edited' | 'received.deleted' | 'received.reaction' | 'device.online' | 'device.offline' | 'device.attention' | 'device.added' | 'device.changed' | 'device.paused' | 'device.resumed' | 'device.removed' | 'webhook.disabled' | 'person.erased' | null
  /** pending: it is tried again. failed: it is not. */
  state: 'pending' | 'delivered' | 'failed'
  /** How often it was tried, since it was last replayed. */
  attempts: number
  last_attempt_at: string | null
  next_attempt_at: string | null
  /** The last attempts, oldest first. */
  log: DeliveryAttempt[]
}

export type DeliveryAttempt = {
  /** When it was posted. */
  at: string
  duration_ms: number
  url: string
  status: number | null
  /** The beginning of its answer. */
  answer: string
  error: string | null
}

export type DeliveryResponse = {
  success: boolean
  data: DeliveryWithEvent
}

export type DeliveryWithEvent = {
  event_id: string
  /** null once the event was removed. */
  event_type: 'message.scheduled' | 'message.queued' | 'message.sending' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.expired' | 'message.canceled' | 'message.unknown' | 'message.received' | 'message.reaction' | 'received.edited' | 'received.deleted' | 'received.reaction' | 'device.online' | 'device.offline' | 'device.attention' | 'device.added' | 'device.changed' | 'device.paused' | 'device.resumed' | 'device.removed' | 'webhook.disabled' | 'person.erased' | null
  /** pending: it is tried again. failed: it is not. */
  state: 'pending' | 'delivered' | 'failed'
  /** How often it was tried, since it was last replayed. */
  attempts: number
  last_attempt_at: string | null
  next_attempt_at: string | null
  /** The last attempts, oldest first. */
  log: DeliveryAttempt[]
  event: Event | null
}

export type Device = {
  /** Identifier of the device. */
  id: string
  name: string
  /** What it is. */
  kind: 'android' | 'whatsapp' | 'simulated'
  /** Its number; empty when unknown. */
  phone: string
  /** How a WhatsApp number is reached: linked to a phone, or over the official API. */
  driver?: 'linked' | 'cloud'
  /** Whether it can be reached. */
  status: 'online' | 'offline'
  /** It is handed no messages. */
  paused: boolean
  /** It finishes what waits for it, and is given nothing new. */
  draining: boolean
  /** SMS parts it may be handed in any 60 seconds; null: no limit. */
  per_minute: number | null
  /** SMS parts it may be handed on one day (UTC); null: no limit. */
  per_day: number | null
  /** SMS parts, or WhatsApp messages, it may still be handed today (UTC); null: no limit. */
  left_today: number | null
  /** Messages that wait for it. */
  waiting: number
  /** What somebody should look at; empty when all is well. */
  attention: DeviceAttention[]
  abilities: DeviceAbilities
  connection?: DeviceConnection
  safety?: DeviceSafety
  /** What the device says about itself. */
  about: {
    app_version?: string
    model?: string
    battery_percent?: number
    charging?: boolean
    /** Meta’s id of the number. */
    phone_number_id?: string
    sims?: Sim[]
  }
  seen_at: string | null
  /** When it was added. */
  created_at: string
}

export type DeviceAbilities = {
  /** What people call it. */
  title: string
  /** How one is added and connected again. name: at once. enrolment: by an app on a phone. linking: to a phone, with POST /links. credentials: those of WhatsApp’s official API. */
  added_by: 'name' | 'enrolment' | 'linking' | 'credentials'
  /** What its limits count. */
  counts: 'sms_parts' | 'messages'
  /** Longest text: SMS parts where counts is sms_parts, characters where it is messages. */
  longest_text: number
  /** It can send media. */
  media: boolean
  /** Longest text with media, in characters; null: it cannot send media. */
  longest_caption: number | null
  /** Its number is what its network says, and cannot be changed. */
  fixed_number: boolean
}

export type DeviceAddRequest = {
  /** What it is. Simulated ones exist only in staging. */
  kind: 'android' | 'whatsapp' | 'simulated'
  /** What to call it. */
  name: string
  /** Its number in international format; may be empty. */
  phone?: string
  /** SMS parts it may be handed in any 60 seconds; null: no limit. */
  per_minute?: number | null
  /** SMS parts it may be handed on one day (UTC); null: no limit. */
  per_day?: number | null
  /** Of a WhatsApp number; a linked one is added with POST /links. */
  driver?: 'linked' | 'cloud'
  /** What the official API needs. */
  cloud?: {
    /** Meta’s id of the number. */
    phone_number_id: string
    /** Token of a system user, which does not expire. */
    access_token: string
    /** The app’s secret, with which Meta signs its webhooks. */
    app_secret: string
  }
  /** Whether to make a one-time code too, for Android devices. */
  code?: boolean
}

export type DeviceAddResponse = {
  success: boolean
  data: AddedDevice
}

export type DeviceAttention = {
  /** Stable reason. */
  code: 'not_connected' | 'phone_offline' | 'no_event_stream' | 'app_outdated' | 'battery_low' | 'not_charging' | 'signature_refused' | 'logged_out' | 'number_banned' | 'whatsapp_refused' | 'session_conflict' | 'client_outdated' | 'new_chats_paused' | 'no_webhook' | 'token_refused' | 'api_unreachable' | 'library_missing'
  /** What is wrong and what to do, for people. */
  detail: string
  /** What to run on the gateway’s machine, where that mends it. */
  command?: string
}

export type DeviceChangeRequest = {
  /** What to call it. */
  name?: string
  /** Its number in international format; may be empty. */
  phone?: string
  /** SMS parts it may be handed in any 60 seconds; null: no limit. */
  per_minute?: number | null
  /** SMS parts it may be handed on one day (UTC); null: no limit. */
  per_day?: number | null
  paused?: boolean
  draining?: boolean
  /** New secrets of a number of the official API. */
  cloud?: {
    /** Token of a system user, which does not expire. */
    access_token?: string
    /** The app’s secret, with which Meta signs its webhooks. */
    app_secret?: string
  }
  /** How carefully it sends. Only for WhatsApp numbers. */
  safety?: {
    /** Minimum of the random pause between two messages. */
    gap_least_seconds?: number
    /** Maximum of the random pause between two messages. */
    gap_most_seconds?: number
    /** People it may write to for the first time on one day (UTC); null: no limit. */
    new_chats_per_day?: number | null
    /** For so many days after it was added it sends less, and more each day. */
    warm_up_days?: number
  }
}

export type DeviceConnection = {
  registered_at: string | null
  /** What is known about the phone now. app: its version is supported. event_stream: it is notified of new messages immediately. settings: it has fetched its settings since it registered. */
  signs: Array<'app' | 'registered' | 'online' | 'event_stream' | 'settings'>
}

export type DeviceEvent = {
  /** The same in lists, in streams and at webhooks (webhook-id). */
  id: string
  /** When it happened. */
  created_at: string
  sequence: number | null
  data: DeviceEventData
  /** What happened. Ignore types you do not know. */
  type: 'device.online' | 'device.offline' | 'device.attention' | 'device.added' | 'device.changed' | 'device.paused' | 'device.resumed' | 'device.removed'
}

export type DeviceEventData = {
  /** Identifier of the device. */
  id: string
  name: string
  /** What it is. */
  kind: 'android' | 'whatsapp' | 'simulated'
  /** Its number; empty when unknown. */
  phone: string
  /** How a WhatsApp number is reached: linked to a phone, or over the official API. */
  driver?: 'linked' | 'cloud'
  /** Whether it can be reached. */
  status: 'online' | 'offline'
  /** It is handed no messages. */
  paused: boolean
  /** It finishes what waits for it, and is given nothing new. */
  draining: boolean
  /** SMS parts it may be handed in any 60 seconds; null: no limit. */
  per_minute: number | null
  /** SMS parts it may be handed on one day (UTC); null: no limit. */
  per_day: number | null
  /** SMS parts, or WhatsApp messages, it may still be handed today (UTC); null: no limit. */
  left_today: number | null
  /** Messages that wait for it. */
  waiting: number
  /** What somebody should look at; empty when all is well. */
  attention: DeviceAttention[]
  abilities: DeviceAbilities
  connection?: DeviceConnection
  safety?: DeviceSafety
  /** What the device says about itself. */
  about: {
    app_version?: string
    model?: string
    battery_percent?: number
    charging?: boolean
    /** Meta’s id of the number. */
    phone_number_id?: string
    sims?: Sim[]
  }
  seen_at: string | null
  /** When it was added. */
  created_at: string
  [name: string]: unknown
}

export type DeviceKind = {
  /** What it is. */
  kind: 'android' | 'whatsapp' | 'simulated'
  /** How it is reached. */
  driver?: 'linked' | 'cloud'
  /** For somebody who chooses. */
  about: string
  abilities: DeviceAbilities
}

export type DeviceKindsResponse = {
  success: boolean
  data: DeviceKind[]
}

export type DeviceResponse = {
  success: boolean
  data: Device
}

export type DeviceSafety = {
  /** Minimum of the random pause between two messages. */
  gap_least_seconds: number
  /** Maximum of the random pause between two messages. */
  gap_most_seconds: number
  /** People it may write to for the first time on one day (UTC); null: no limit. */
  new_chats_per_day: number | null
  /** For so many days after it was added it sends less, and more each day. */
  warm_up_days: number
  warm_up_ends_at: string | null
  /** Messages it may still send today (UTC); null: no limit. */
  messages_left_today: number | null
  /** People it may still write to for the first time today; null: no limit. */
  new_chats_left_today: number | null
  new_chats_paused_until: string | null
  rests_until: string | null
}

export type DevicesResponse = {
  success: boolean
  data: Device[]
}

export type DoneResponse = {
  success: boolean
  data: {
    id: string
  }
}

export type Enrolment = {
  /** Address to type into the app. */
  url: string
  /** Private token to type into the app; shown only this once. */
  token: string
  code: string | null
  code_expires_at: string | null
  /** What to do on the phone, step by step. */
  steps: string[]
  /** For each step the sign in `connection` that shows it done; null: only people can see it. */
  shown_by: Array<'app' | 'registered' | 'online' | 'event_stream' | 'settings' | null>
  warning: string | null
}

export type EnrolmentRequest = {
  /** Whether to make a one-time code too. */
  code?: boolean
}

export type ErasedResponse = {
  success: boolean
  data: {
    /** Messages to the person that were blanked. */
    messages: number
    /** Messages from the person that were blanked. */
    received: number
    /** Files of the person that were removed. */
    files: number
  }
}

export type Event = MessageEvent | ReceivedEvent | DeviceEvent | OtherEvent

export type EventsQuery = {
  /** Only these types, comma-separated. There are message.scheduled, message.queued, message.sending, message.sent, message.delivered, message.read, message.failed, message.expired, message.canceled, message.unknown, message.received, message.reaction, received.edited, received.deleted, received.reaction, device.online, device.offline, device.attention, device.added, device.changed, device.paused, device.resumed, device.removed, webhook.disabled, person.erased. */
  types?: string
  /** Only what concerns this device. */
  device_id?: string
  /** Only what came after this event: next_cursor, or the id of an event. */
  after?: string
  /** The same as after, under the name that other lists use. */
  cursor?: string
  /** Events a page. */
  limit?: number
}

export type EventsResponse = {
  success: boolean
  data: Event[]
  /** Give it as cursor, or after, to go on, now or later. A page may be short, even empty, and not the last. */
  next_cursor: string
  /** Whether more has happened already. */
  has_more: boolean
}

export type GatewayNode = {
  /** By which it is asked to drain. */
  id: string
  /** The machine or container it runs on. */
  host: string
  version: string
  /** alive: it renews its lease. draining: it hands over what it holds. gone: its lease has ended. */
  status: 'alive' | 'draining' | 'gone'
  /** When it started. */
  started_at: string
  /** When it last renewed its lease, by the database’s clock. */
  seen_at: string
  /** Seconds since then. A healthy node renews every 1.5 seconds. */
  lag_seconds: number
  /** Links of devices that it holds: simulated phones and WhatsApp numbers. */
  links: number
  /** Webhooks that it delivers to. */
  webhooks: number
  /** It sweeps, schedules, counts and forgets for all nodes. */
  runs_loops: boolean
  /** It is the one that answered this request. */
  answered: boolean
}

export type KeyAddRequest = {
  /** What it is for. */
  name: string
  /** What the key may do. */
  scopes?: Array<'messages:send' | 'messages:read' | 'inbox:read' | 'devices:read' | 'devices:manage' | 'webhooks:manage' | 'events:read' | 'people:manage' | 'stats:read' | 'settings:manage' | 'keys:manage'>
  /** Requests a minute; null: the default of the server. */
  rate_limit?: number | null
  /** Addresses and networks it may be used from; empty: any. */
  allowed_ips?: string[]
  expires_at?: string | null
}

export type KeyResponse = {
  success: boolean
  data: ApiKey
}

export type KeyRotateRequest = {
  /** For so long the key before works too. */
  overlap_hours?: number
}

export type KeySecretResponse = {
  success: boolean
  data: ApiKeyWithSecret
}

export type KeysResponse = {
  success: boolean
  data: ApiKey[]
}

export type LinkRequest = {
  /** What to call it. */
  name: string
  /** Its number in international format; may be empty. */
  phone?: string
}

export type LinkStep = {
  /** A code to scan, renewed until it ends; a code to type instead, if a phone number was given, or that there is none; how it ended. */
  step: 'qr' | 'code' | 'code_refused' | 'linked' | 'failed'
  /** What the QR code says. */
  qr?: string
  /** When the QR code ends; another follows. */
  expires_at?: string
  /** The code to type; of a failure, its stable reason. */
  code?: string
  /** Why it failed, or why there is no code to type, for people. */
  detail?: string
  device?: Device
}

export type ListedMessage = {
  /** Identifier of the message. */
  message_id: string
  batch_id: string | null
  /** Device that sends it. */
  device_id: string
  /** Where the message is. Treat a value you do not know as not final. */
  status: 'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'expired' | 'canceled' | 'unknown'
  /** The recipient; empty once the person was forgotten. */
  to: string
  /** The text; empty once it was forgotten. */
  message: string
  media_url: string | null
  sim_slot: number | null
  /** SMS segments; 1 for anything that is not an SMS. */
  segments: number
  /** How often it was handed to a device. */
  attempts: number
  /** When it was accepted. */
  created_at: string
  send_at: string | null
  /** After this it is too late to hand it to a device. */
  expires_at: string
  sent_at: string | null
  delivered_at: string | null
  read_at: string | null
  error: MessageError | null
  /** The name of the device; empty: not known. */
  device_name: string
}

export type Message = {
  /** Identifier of the message. */
  message_id: string
  batch_id: string | null
  /** Device that sends it. */
  device_id: string
  /** Where the message is. Treat a value you do not know as not final. */
  status: 'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'expired' | 'canceled' | 'unknown'
  /** The recipient; empty once the person was forgotten. */
  to: string
  /** The text; empty once it was forgotten. */
  message: string
  media_url: string | null
  sim_slot: number | null
  /** SMS segments; 1 for anything that is not an SMS. */
  segments: number
  /** How often it was handed to a device. */
  attempts: number
  /** When it was accepted. */
  created_at: string
  send_at: string | null
  /** After this it is too late to hand it to a device. */
  expires_at: string
  sent_at: string | null
  delivered_at: string | null
  read_at: string | null
  error: MessageError | null
}

export type MessageError = {
  /** Stable reason. */
  code: string
  /** What it means, and what to do about it. */
  detail: string
  /** Whether sending it again can help. */
  retryable: boolean
}

export type MessageEvent = {
  /** The same in lists, in streams and at webhooks (webhook-id). */
  id: string
  /** When it happened. */
  created_at: string
  sequence: number | null
  data: MessageEventData
  /** What happened. Ignore types you do not know. */
  type: 'message.scheduled' | 'message.queued' | 'message.sending' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.expired' | 'message.canceled' | 'message.unknown' | 'message.reaction'
}

export type MessageEventData = {
  /** Identifier of the message. */
  message_id: string
  batch_id: string | null
  /** Device that sends it. */
  device_id: string
  /** Where the message is. Treat a value you do not know as not final. */
  status: 'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'expired' | 'canceled' | 'unknown'
  /** The recipient; empty once the person was forgotten. */
  to: string
  /** The text; empty once it was forgotten. */
  message: string
  media_url: string | null
  sim_slot: number | null
  /** SMS segments; 1 for anything that is not an SMS. */
  segments: number
  /** How often it was handed to a device. */
  attempts: number
  /** When it was accepted. */
  created_at: string
  send_at: string | null
  /** After this it is too late to hand it to a device. */
  expires_at: string
  sent_at: string | null
  delivered_at: string | null
  read_at: string | null
  error: MessageError | null
  [name: string]: unknown
}

export type MessageResponse = {
  success: boolean
  data: MessageWithTimeline
}

export type MessagesQuery = {
  /** Only messages in this state. */
  status?: 'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'expired' | 'canceled' | 'unknown'
  /** Only messages of this device. */
  device_id?: string
  /** Only messages to this number. */
  to?: string
  /** Only messages of this bulk request. */
  batch_id?: string
  /** Only messages with this in their text, in large or small letters. */
  contains?: string
  /** Only messages accepted at or after this time. */
  since?: string
  /** Only messages accepted at or before this time. */
  until?: string
  /** Items a page. */
  limit?: number
  /** next_cursor of the page before. */
  cursor?: string
}

export type MessagesResponse = {
  success: boolean
  data: ListedMessage[]
  next_cursor: string | null
}

export type MessageWithTimeline = {
  /** Identifier of the message. */
  message_id: string
  batch_id: string | null
  /** Device that sends it. */
  device_id: string
  /** Where the message is. Treat a value you do not know as not final. */
  status: 'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'expired' | 'canceled' | 'unknown'
  /** The recipient; empty once the person was forgotten. */
  to: string
  /** The text; empty once it was forgotten. */
  message: string
  media_url: string | null
  sim_slot: number | null
  /** SMS segments; 1 for anything that is not an SMS. */
  segments: number
  /** How often it was handed to a device. */
  attempts: number
  /** When it was accepted. */
  created_at: string
  send_at: string | null
  /** After this it is too late to hand it to a device. */
  expires_at: string
  sent_at: string | null
  delivered_at: string | null
  read_at: string | null
  error: MessageError | null
  /** What happened to it, in order. */
  timeline: TimelineEntry[]
}

export type NodeResponse = {
  success: boolean
  data: GatewayNode
}

export type NodesResponse = {
  success: boolean
  data: GatewayNode[]
}

export type OptInResponse = {
  success: boolean
  data: {
    number: string
  }
}

export type OptOut = {
  number: string | null
  /** message: a text such as STOP came from it. */
  source: 'message' | 'api' | 'command line'
  /** Since when. */
  created_at: string
}

export type OptOutRequest = {
  /** A number in international format, such as +14155550123. */
  number: string
}

export type OptOutResponse = {
  success: boolean
  data: OptOut
}

export type OptOutsQuery = {
  /** Only this number. */
  number?: string
  /** Items a page. */
  limit?: number
  /** next_cursor of the page before. */
  cursor?: string
}

export type OptOutsResponse = {
  success: boolean
  data: OptOut[]
  next_cursor: string | null
}

export type OtherEvent = {
  /** The same in lists, in streams and at webhooks (webhook-id). */
  id: string
  /** When it happened. */
  created_at: string
  sequence: number | null
  /** What the type says. */
  data: {
    [name: string]: unknown
  }
  /** What happened. Ignore types you do not know. */
  type: 'webhook.disabled' | 'person.erased'
}

export type Pagination = {
  page: number
  /** Always 25. */
  per_page: number
  /** Matching messages. */
  total: number
  total_pages: number
  /** Whether a later page exists. */
  has_more: boolean
}

export type Preview = {
  /** Who would get it, normalised. */
  recipients: string[]
  /** What cannot be sent to. */
  rejected: RejectedRecipient[]
  /** Length of the text, as JavaScript counts. */
  characters: number
  /** How an SMS would be written. */
  encoding: 'GSM-7' | 'UCS-2'
  /** Parts that each SMS would have. */
  segments: number
  texts?: Array<{
    /** Parts that it would have as an SMS. */
    segments: number
    /** How it would be written. */
    encoding: 'GSM-7' | 'UCS-2'
  }>
  culprit: string | null
  device: {
    /** The device that would send it. */
    id: string
    name: string
    /** What it is. */
    kind: 'android' | 'whatsapp' | 'simulated'
  } | null
  expected_seconds: number | null
  problem: {
    /** What a send would be refused with. */
    code: string
    detail: string
  } | null
}

export type PreviewRequest = {
  /** One recipient; or recipients. */
  to?: string
  recipients?: string[]
  /** Text of the message; the caption when media is attached. */
  message: string
  /** Other texts whose length as an SMS is to be told, in the same order. */
  texts?: string[]
  /** Device to use. When omitted, an online device is chosen. */
  device_id?: string
  /** Media file to attach, through WhatsApp devices only: PDF; JPEG, PNG, GIF, WebP; MP4, WebM; MP3, OGG, WAV; DOC, DOCX, TXT, ZIP. Staging ignores it on the single send. */
  media_url?: string
  /** When to send it, at most 35 days ahead. ttl counts from then. When omitted, it is sent at once. */
  send_at?: string
  /** Seconds after which it is too late to hand the message to a device. Default: 24 hours, or default_ttl in the settings. */
  ttl?: number
  /** SIM to send from, counted from 1, on phones with several. */
  sim_slot?: number
}

export type PreviewResponse = {
  success: boolean
  data: Preview
}

export type Problem = {
  success: false
  /** Link to the error's description. */
  type: string
  title: string
  status: number
  /** Stable: decide by this. */
  code: 'invalid_request' | 'unknown_field' | 'invalid_json' | 'invalid_recipient' | 'no_valid_recipients' | 'too_many_recipients' | 'message_too_long' | 'invalid_device' | 'media_requires_whatsapp' | 'unsupported_media' | 'media_url_blocked' | 'recipient_opted_out' | 'webhook_url_blocked' | 'missing_key' | 'invalid_key' | 'expired_key' | 'revoked_key' | 'wrong_environment' | 'not_signed_in' | 'wrong_credentials' | 'code_needed' | 'invalid_phone_token' | 'invalid_signature' | 'insufficient_scope' | 'ip_not_allowed' | 'not_allowed' | 'password_needed' | 'cross_site' | 'wrong_host' | 'insecure_login' | 'not_found' | 'message_not_found' | 'key_not_found' | 'device_not_found' | 'media_not_found' | 'webhook_not_found' | 'event_not_found' | 'opt_out_not_found' | 'node_not_found' | 'method_not_allowed' | 'request_timeout' | 'not_cancelable' | 'last_owner' | 'idempotency_in_progress' | 'link_expired' | 'body_too_large' | 'unsupported_content_type' | 'expectation_failed' | 'idempotency_key_reused' | 'headers_too_large' | 'rate_limited' | 'too_many_streams' | 'internal' | 'no_device_available' | 'device_offline' | 'device_draining' | 'queue_full' | 'whatsapp_unreachable' | 'storage_unavailable' | 'shutting_down'
  /** For people; may change. */
  detail: string
  /** Also in X-Request-Id. */
  request_id: string
  /** Present where several things are wrong at once. */
  errors?: Array<{
    pointer: string
    code: string
    detail: string
  }>
}

export type ReceivedEvent = {
  /** The same in lists, in streams and at webhooks (webhook-id). */
  id: string
  /** When it happened. */
  created_at: string
  sequence: number | null
  data: ReceivedEventData
  /** What happened. Ignore types you do not know. */
  type: 'message.received' | 'received.edited' | 'received.deleted' | 'received.reaction'
}

export type ReceivedEventData = {
  /** Identifier of the received message. */
  id: string
  /** The sender's phone number or name. */
  from: string
  message: string
  /** When the gateway stored it; never decreases in order of arrival. */
  received_at: string
  /** Device that received it. */
  device_id: string
  device_name: string
  device_phone: string
  /** Kind of message. */
  type: 'sms' | 'mms' | 'whatsapp'
  metadata: {
    /** SIM it came in on, counted from 1. */
    sim_slot?: number
    /** The time by the sender's or the phone's clock. */
    sent_at?: string
    /** Attachments. */
    media?: Attachment[]
    [name: string]: unknown
  }
  [name: string]: unknown
}

export type ReceivedMessage = {
  /** Identifier of the received message. */
  id: string
  /** The sender's phone number or name. */
  from: string
  message: string
  /** When the gateway stored it; never decreases in order of arrival. */
  received_at: string
  /** Device that received it. */
  device_id: string
  device_name: string
  device_phone: string
  /** Kind of message. */
  type: 'sms' | 'mms' | 'whatsapp'
  metadata: {
    /** SIM it came in on, counted from 1. */
    sim_slot?: number
    /** The time by the sender's or the phone's clock. */
    sent_at?: string
    /** Attachments. */
    media?: Attachment[]
    [name: string]: unknown
  }
}

export type ReceivedQuery = {
  /** Page number; 25 items each. */
  page?: number
  /** Only messages received by this device. */
  device_id?: string
  /** Only messages from this sender. */
  from?: string
  /** Only messages received at or after this time. */
  since?: string
  /** Only messages received at or before this time. */
  until?: string
}

export type ReceivedResponse = {
  success: boolean
  data: ReceivedMessage[]
  pagination: Pagination
}

export type RejectedRecipient = {
  /** Position in recipients, from 0. */
  index: number
  to: string
  /** Why it was not queued. */
  code: 'invalid_recipient' | 'duplicate_recipient' | 'recipient_opted_out'
  detail: string
}

export type RemovedResponse = {
  success: boolean
  data: {
    /** What was removed. */
    id: string
  }
}

export type ReplayRequest = {
  /** Everything that happened at or after this time is told again, */
  since: string
  /** up to this time. When omitted: up to now. */
  until?: string
}

export type RotateRequest = {
  /** For how long the old secret signs too. */
  overlap_hours?: number
}

export type SendRequest = {
  /** Recipient in international format, such as +14155550123. */
  to: string
  /** Text of the message; the caption when media is attached. */
  message: string
  /** Device to use. When omitted, an online device is chosen. */
  device_id?: string
  /** Media file to attach, through WhatsApp devices only: PDF; JPEG, PNG, GIF, WebP; MP4, WebM; MP3, OGG, WAV; DOC, DOCX, TXT, ZIP. Staging ignores it on the single send. */
  media_url?: string
  /** Seconds after which it is too late to hand the message to a device. Default: 24 hours, or default_ttl in the settings. */
  ttl?: number
  /** When to send it, at most 35 days ahead. ttl counts from then. When omitted, it is sent at once. */
  send_at?: string
  /** SIM to send from, counted from 1, on phones with several. */
  sim_slot?: number
}

export type SendResponse = {
  success: boolean
  /** Identifier of the message. */
  message_id: string
  /** Device that will send it. */
  device_id: string
  /** queued: accepted and safely stored. scheduled: stored, and queued at send_at. */
  status: 'queued' | 'scheduled'
  /** The recipient, normalised. */
  to: string
  message: string
  /** Present when media was supplied. */
  media_url?: string
}

export type Settings = {
  /** shape: any number that looks international. plan: it must also exist in the numbering plans. */
  number_check: 'shape' | 'plan'
  /** Seconds that a message may wait for a device when it has no ttl of its own. */
  default_ttl: number
  /** A received text that is one of these opts its sender out. The usual words in ten languages. */
  opt_out_words: string[]
  /** A received text that is one of these opts its sender in again. */
  opt_in_words: string[]
  /** After so many days the texts and files of messages are forgotten; null: never. */
  forget_texts_after_days: number | null
  /** After so many days messages are removed altogether; null: never. */
  remove_after_days: number | null
}

export type SettingsRequest = {
  /** shape: any number that looks international. plan: it must also exist in the numbering plans. */
  number_check?: 'shape' | 'plan'
  /** Null: 24 hours, as usual. */
  default_ttl?: number | null
  opt_out_words?: string[] | null
  opt_in_words?: string[] | null
  /** After so many days the texts and files of messages are forgotten; null: never. */
  forget_texts_after_days?: number | null
  /** After so many days messages are removed altogether; null: never. */
  remove_after_days?: number | null
}

export type SettingsResponse = {
  success: boolean
  data: Settings
}

export type Sim = {
  /** Counted from 1, as in sim_slot. */
  slot: number
  number: string | null
  carrier: string | null
}

export type Stats = {
  /** When the period begins. */
  since: string
  /** By the hour over 24 hours, otherwise by the day. What happened counts when it happened. */
  points: StatsPoint[]
  totals: {
    /** Messages that were accepted. */
    accepted: number
    /** Messages that the network took. */
    sent: number
    /** Messages that arrived. */
    delivered: number
    /** Messages that did not and will not arrive. */
    failed: number
    /** Messages whose validity ended before a device took them. */
    expired: number
    /** Messages that a device took and never answered for. */
    unknown: number
    /** Messages that were canceled. */
    canceled: number
    /** Messages that came in. */
    received: number
  }
  /** Of the messages that ended in this period, the share that arrived; null: none ended. */
  delivery_rate: number | null
  delivered_within: {
    /** Half of the deliveries took at most so many seconds. */
    half: number | null
    /** 19 of 20 deliveries took at most so many seconds. */
    most: number | null
  }
  /** Why messages did not arrive, the most frequent first. */
  errors: Array<{
    code: string
    detail: string
    count: number
  }>
  queue: {
    /** Messages that no device has yet. */
    waiting: number
    /** With a device that has not answered yet. */
    sending: number
    /** For another time. */
    scheduled: number
    oldest_at: string | null
  }
}

export type StatsPoint = {
  /** When it begins. */
  at: string
  /** Messages that were accepted. */
  accepted: number
  /** Messages that the network took. */
  sent: number
  /** Messages that arrived. */
  delivered: number
  /** Messages that did not and will not arrive. */
  failed: number
  /** Messages whose validity ended before a device took them. */
  expired: number
  /** Messages that a device took and never answered for. */
  unknown: number
  /** Messages that were canceled. */
  canceled: number
  /** Messages that came in. */
  received: number
}

export type StatsQuery = {
  /** How far back; default 24h. */
  period?: '24h' | '7d' | '30d'
  /** Where days begin, in minutes ahead of UTC, such as 120 or -300. Default 0. */
  utc_offset?: string
}

export type StatsResponse = {
  success: boolean
  data: Stats
}

export type StatusResponse = {
  success: boolean
  data: {
    /** Identifier of the message. */
    message_id: string
    /** Where the message is. Treat a value you do not know as not final. */
    status: 'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'expired' | 'canceled' | 'unknown'
    delivered_at: string | null
    /** Device used for sending. */
    device_id: string
    /** Present when the message ended badly. */
    error?: {
      /** Stable reason. */
      code: string
      /** The reason for people. */
      detail: string
      /** Whether sending it again can help. */
      retryable: boolean
    }
  }
}

export type StreamQuery = {
  /** Only these types, comma-separated. There are message.scheduled, message.queued, message.sending, message.sent, message.delivered, message.read, message.failed, message.expired, message.canceled, message.unknown, message.received, message.reaction, received.edited, received.deleted, received.reaction, device.online, device.offline, device.attention, device.added, device.changed, device.paused, device.resumed, device.removed, webhook.disabled, person.erased. */
  types?: string
  /** Only what concerns this device. */
  device_id?: string
  /** Begin after this event; the header Last-Event-ID does the same. Without both it begins now. */
  after?: string
}

export type TestEvent = {
  /** The same in lists, in streams and at webhooks (webhook-id). */
  id: string
  /** When it happened. */
  created_at: string
  sequence: number | null
  /** What the type says. */
  data: {
    [name: string]: unknown
  }
  /** What happened. Ignore types you do not know. */
  type: 'webhook.test'
}

export type TestResponse = {
  success: boolean
  data: DeliveryAttempt
}

export type ThreadEntry = {
  sent?: Message
  received?: ReceivedMessage
}

export type ThreadQuery = {
  /** Items a page. */
  limit?: number
  /** next_cursor of the page before. */
  cursor?: string
}

export type ThreadResponse = {
  success: boolean
  data: ThreadEntry[]
  /** Whether the person wants no messages. */
  opted_out: boolean
  next_cursor: string | null
}

export type TimelineEntry = {
  /** Counts the events of the message, from 1, without gaps. */
  sequence: number
  /** The state it came to. */
  status: 'scheduled' | 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'expired' | 'canceled' | 'unknown'
  /** When the gateway learned of it. */
  at: string
  device: {
    /** The device. */
    id: string
    name: string
  } | null
  device_at: string | null
  /** Which hand-over to a device this was. */
  attempt?: number
  reason?: {
    code: string
    detail: string
  }
  from_device?: {
    /** The device. */
    id: string
    name: string
  }
  /** Why this device was chosen, and why others were not. */
  chosen?: {
    code: string
    detail: string
    passed_over: Array<{
      device: {
        /** The device. */
        id: string
        name: string
      }
      code: string
      detail: string
    }>
  }
  error?: {
    /** Stable reason. */
    code: string
    /** What it means, and what to do about it. */
    detail: string
    /** Whether sending it again can help. */
    retryable: boolean
    /** What the network or the device said itself. */
    raw?: string
  }
}

export type Webhook = {
  /** Identifier of the webhook. */
  id: string
  url: string
  types: Array<'message.scheduled' | 'message.queued' | 'message.sending' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.expired' | 'message.canceled' | 'message.unknown' | 'message.received' | 'message.reaction' | 'received.edited' | 'received.deleted' | 'received.reaction' | 'device.online' | 'device.offline' | 'device.attention' | 'device.added' | 'device.changed' | 'device.paused' | 'device.resumed' | 'device.removed' | 'webhook.disabled' | 'person.erased'> | null
  device_id: string | null
  enabled: boolean
  disabled_reason: 'switched_off' | 'gone' | 'failing' | null
  failing_since: string | null
  rests_until: string | null
  previous_secret_until: string | null
  /** When it was added. */
  created_at: string
}

export type WebhookAddRequest = {
  /** Where to post what happens: https, on the public internet. */
  url: string
  /** Only these types of events. When omitted or null: all of them. */
  types?: Array<'message.scheduled' | 'message.queued' | 'message.sending' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.expired' | 'message.canceled' | 'message.unknown' | 'message.received' | 'message.reaction' | 'received.edited' | 'received.deleted' | 'received.reaction' | 'device.online' | 'device.offline' | 'device.attention' | 'device.added' | 'device.changed' | 'device.paused' | 'device.resumed' | 'device.removed' | 'webhook.disabled' | 'person.erased'> | null
  device_id?: string | null
}

export type WebhookChangeRequest = {
  /** Where to post what happens: https, on the public internet. */
  url?: string
  /** Only these types of events. When omitted or null: all of them. */
  types?: Array<'message.scheduled' | 'message.queued' | 'message.sending' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.expired' | 'message.canceled' | 'message.unknown' | 'message.received' | 'message.reaction' | 'received.edited' | 'received.deleted' | 'received.reaction' | 'device.online' | 'device.offline' | 'device.attention' | 'device.added' | 'device.changed' | 'device.paused' | 'device.resumed' | 'device.removed' | 'webhook.disabled' | 'person.erased'> | null
  device_id?: string | null
  /** When enabled again, it receives new events only; replay the missed ones. */
  enabled?: boolean
}

export type WebhookResponse = {
  success: boolean
  data: Webhook
}

export type WebhookSecretResponse = {
  success: boolean
  data: WebhookWithSecret
}

export type WebhooksResponse = {
  success: boolean
  data: Webhook[]
}

export type WebhookWithSecret = {
  /** Identifier of the webhook. */
  id: string
  url: string
  types: Array<'message.scheduled' | 'message.queued' | 'message.sending' | 'message.sent' | 'message.delivered' | 'message.read' | 'message.failed' | 'message.expired' | 'message.canceled' | 'message.unknown' | 'message.received' | 'message.reaction' | 'received.edited' | 'received.deleted' | 'received.reaction' | 'device.online' | 'device.offline' | 'device.attention' | 'device.added' | 'device.changed' | 'device.paused' | 'device.resumed' | 'device.removed' | 'webhook.disabled' | 'person.erased'> | null
  device_id: string | null
  enabled: boolean
  disabled_reason: 'switched_off' | 'gone' | 'failing' | null
  failing_since: string | null
  rests_until: string | null
  previous_secret_until: string | null
  /** When it was added. */
  created_at: string
  /** What signatures are made with. Shown this once. */
  secret: string
}
