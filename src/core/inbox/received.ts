/** A message that came in. */

export type ReceivedType = 'sms' | 'mms' | 'whatsapp'

export type Received = {
  id: string
  environmentId: number
  deviceId: string
  deviceName: string
  devicePhone: string
  sender: string
  text: string
  type: ReceivedType
  metadata: Record<string, unknown>
  receivedAt: number
}

/** What a link brings in. */
export type Incoming = {
  deviceId: string
  sender: string
  text: string
  type: ReceivedType
  metadata: Record<string, unknown>
  /** The device's own id of it, by which a second delivery is recognised. */
  externalId: string | null
  /** The received message that it answers, under one of the device's own ids. */
  answers?: readonly string[]
  /** Another name of the sender's, under which they may have written before. */
  alias?: string
  /** What it says, in short, for devices that hand one message over under two ids. */
  fingerprint?: string
  /** It says nothing but that the sender wants no more messages, or wants them again. */
  wish?: 'out' | 'in'
  /** Files that came with it. They are in the media folder already. */
  media?: readonly MediaFile[]
}

/** A device with several SIMs says with each message to which of its numbers it came. */
export const numberOfDevice = (metadata: Record<string, unknown>, phone: string): string =>
  typeof metadata.recipient === 'string' ? metadata.recipient : phone

/** A file in the media folder. */
export type MediaFile = { id: string; mime: string; size: number; filename: string | null }

/** Always 25: the specification fixes the page size. */
export const pageSize = 25

export type InboxFilter = { page: number; deviceId?: string; from?: string; since?: number; until?: number }
export type InboxPage = { items: Received[]; total: number }
