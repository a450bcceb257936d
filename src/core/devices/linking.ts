/** Linking a WhatsApp number: what is to be linked, and the steps on the way. */

import type { Device } from './device.ts'

/** A new device, or one that lost its session. */
export type LinkTarget =
  | { device: Device }
  | { environmentId: number; name: string /** If given, no other number will do. */; phone?: string }

export type LinkFailure =
  | 'not_scanned'
  | 'unreachable'
  | 'number_taken'
  | 'wrong_number'
  | 'already_linked'
  | 'library_missing'

export type LinkStep =
  | { step: 'qr'; qr: string; expires_at: string }
  | { step: 'code'; code: string }
  /** There is none to type; the QR code still works. */
  | { step: 'code_refused'; detail: string }
  | { step: 'linked'; device: Device }
  | { step: 'failed'; code: LinkFailure; detail: string }
