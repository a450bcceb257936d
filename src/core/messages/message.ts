/** A message on its way out, and the only table of how its state may change. */

export const statuses = [
  'scheduled',
  'queued',
  'sending',
  'sent',
  'delivered',
  'read',
  'failed',
  'expired',
  'canceled',
  'unknown',
] as const
export type Status = (typeof statuses)[number]

/** The outcomes a device may report for a message. */
export const outcomes = ['sent', 'delivered', 'read', 'failed', 'canceled'] as const
export type Outcome = (typeof outcomes)[number]

/**
 * Where each state may lead. The guards in the database are made from this table, so news that is late or repeated
 * moves nothing. `queued` leads to what a device may report, although no device should have the message: when one
 * says that it sent it, believing it is the only way not to send it twice.
 */
export const moves: Record<Status, readonly Status[]> = {
  scheduled: ['queued', 'failed', 'expired', 'canceled'],
  queued: ['sending', 'sent', 'delivered', 'read', 'failed', 'expired', 'canceled'],
  sending: ['queued', 'sent', 'delivered', 'read', 'failed', 'canceled', 'unknown'],
  sent: ['delivered', 'read', 'failed'],
  delivered: ['read'],
  read: [],
  failed: [],
  expired: [],
  canceled: [],
  unknown: ['sent', 'delivered', 'read', 'failed', 'canceled'],
}

export const mayMove = (from: Status, to: Status): boolean => moves[from].includes(to)

/** The states from which `to` can be reached. */
export const sourcesOf = (to: Status): Status[] => statuses.filter(from => mayMove(from, to))

export type Message = {
  /** Its place in the journal, which is also the order of acceptance. Internal. */
  seq: number
  id: string
  environmentId: number
  batchId: string | null
  deviceId: string
  /** The sender named the device: the message waits for that one and for no other. */
  pinned: boolean
  recipient: string
  text: string
  mediaUrl: string | null
  simSlot: number | null
  /** SMS segments; 1 for anything that is not an SMS. */
  parts: number
  status: Status
  errorCode: string | null
  errorDetail: string | null
  createdAt: number
  /** When it is to be sent; null: at once. */
  sendAt: number | null
  expiresAt: number
  handedAt: number | null
  sentAt: number | null
  deliveredAt: number | null
  readAt: number | null
  /** How often it was handed to a device. */
  attempts: number
  /** Under which lease of the device's link, or registration of the phone, it was handed over. */
  epoch: number | null
  /** How often its state changed: the number of its latest event. */
  version: number
  /** The device's own times; null while it has said nothing about the message. */
  reported: DeviceTimes | null
  /** Somebody wants it canceled, and its device has been asked to. */
  cancelAsked: boolean
}

export type NewMessage = Pick<
  Message,
  | 'id'
  | 'environmentId'
  | 'batchId'
  | 'deviceId'
  | 'pinned'
  | 'recipient'
  | 'text'
  | 'mediaUrl'
  | 'simSlot'
  | 'parts'
  | 'expiresAt'
> & {
  /** When to send it; at once when not given. */
  sendAt?: number | null
  /** How its device was chosen, for whoever asks later. */
  choice?: DeviceChoice
}

export type DeviceChoice = { why: string; passed: readonly { deviceId: string; code: string }[] }

/** What a device reports about a message it was given. */
export type Receipt = {
  messageId: string
  deviceId: string
  /** `taken`: it has the message, and nothing has become of it yet. */
  outcome: Outcome | 'taken'
  /** When it happened, by the device's clock. */
  at: number
  error?: Failure
  /** The device's own time of each state it tells of. The earliest of each is kept. */
  times?: DeviceTimes
  /** The lease of the link that it came over: older ones have nothing to say about what newer ones took. */
  epoch?: number
}

export type DeviceTimes = Partial<Record<'taken' | 'processed' | Outcome, number>>

/** Why a message ended badly. `code` is one of `failures`; `detail` may add what the network said. */
export type Failure = {
  code: FailureCode
  detail?: string
  /** What the network or the device said, in its own words or numbers. */
  raw?: string
}

type FailureMeaning = { detail: string; retryable: boolean }

/** Every reason a message can end badly, in words for people, and whether sending it again can help. */
export const failures = {
  network_rejected: { detail: 'The phone network refused the message.', retryable: true },
  no_service: {
    detail: 'The phone had no network. Check its reception and that its SIM is active.',
    retryable: true,
  },
  radio_off: { detail: 'The phone’s radio was off. Switch flight mode off.', retryable: true },
  limit_reached: {
    detail: 'The phone may not send so many messages at once. Lower the device’s pace (--per-minute).',
    retryable: true,
  },
  sim_missing: {
    detail: 'The phone has no such SIM. Check sim_slot, the SIM, and the app’s permission to see it.',
    retryable: false,
  },
  permission_missing: {
    detail: 'Android does not let the app send. Allow it to send SMS, in the phone’s settings.',
    retryable: true,
  },
  number_not_allowed: {
    detail: 'The phone or its SIM does not allow this number (a short code, or fixed dialling).',
    retryable: false,
  },
  invalid_smsc: {
    detail: 'The number of the SIM’s message centre is wrong. Set it in the phone’s message settings.',
    retryable: true,
  },
  message_refused: { detail: 'The phone could not make an SMS of this text.', retryable: false },
  phone_error: {
    detail: 'The phone could not send it. If it happens again, restart the phone.',
    retryable: true,
  },
  validity_ended: {
    detail: 'Its validity ended on the phone before it could be sent.',
    retryable: true,
  },
  not_delivered: {
    detail: 'The network took the message and could not deliver it.',
    retryable: true,
  },
  outside_window: {
    detail:
      'More than 24 hours have passed since the recipient last wrote. WhatsApp’s official API then takes only approved templates.',
    retryable: false,
  },
  device_removed: { detail: 'The device this message was meant for was removed.', retryable: true },
  expired: { detail: 'Its validity ended before a device took it.', retryable: true },
  opted_out: {
    detail: 'The recipient wants no messages: they said so from a hidden number.',
    retryable: false,
  },
  not_on_whatsapp: { detail: 'The number is not on WhatsApp.', retryable: false },
  whatsapp_restricted: {
    detail:
      'WhatsApp does not let this number begin new conversations at the moment. Trying again makes it worse.',
    retryable: false,
  },
  whatsapp_refused: { detail: 'WhatsApp refused the message.', retryable: true },
  media_unreachable: { detail: 'The media file could not be fetched.', retryable: true },
  media_too_large: { detail: 'The media file is too large.', retryable: false },
  unsupported_media: { detail: 'The file is of a kind that cannot be sent.', retryable: false },
  media_url_blocked: { detail: 'The media address leads to a machine that is not public.', retryable: false },
  no_answer: {
    detail: 'A device took the message and never reported a result. It may have been sent.',
    retryable: false,
  },
} as const satisfies Record<string, FailureMeaning>
export type FailureCode = keyof typeof failures

export const meaningOf = (code: string): FailureMeaning =>
  (failures as Record<string, FailureMeaning>)[code] ?? {
    detail: 'The message could not be sent.',
    retryable: false,
  }

/** How far ahead a message can be scheduled. */
export const furthestMs = 35 * 24 * 3_600_000

export const validityMs = { default: 24 * 3_600_000, least: 60_000, most: 7 * 24 * 3_600_000 }
