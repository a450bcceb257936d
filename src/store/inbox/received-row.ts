/** A received message as it lies in the database. */

import { numberOfDevice, type Received } from '../../core/inbox/received.ts'
import { raw } from '../engine/sql.ts'

/** No network has a sender like this. Each forgotten person has one of their own, so that their list stays one. */
export const erasedPrefix = '\u007ferased '
export const erasedSender = (token: string): string => `${erasedPrefix}${token}`

export const columns =
  raw(`r.id, r.environment_id AS "environmentId", r.device_id AS "deviceId", d.name AS "deviceName",
  d.phone AS "devicePhone", r.sender, r.text, r.type, r.metadata, r.received_at AS "receivedAt"`)

export type ReceivedRow = Omit<Received, 'metadata'> & { metadata: string }
export function fromRow(row: ReceivedRow): Received {
  const metadata = JSON.parse(row.metadata) as Record<string, unknown>
  return {
    ...row,
    // Nobody: the person was forgotten.
    sender: row.sender.startsWith(erasedPrefix) ? '' : row.sender,
    devicePhone: numberOfDevice(metadata, row.devicePhone),
    metadata,
  }
}
