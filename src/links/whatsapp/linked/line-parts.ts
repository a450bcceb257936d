/** What the line to a WhatsApp number is given. */

import type { AttentionCode } from '../../../core/devices/attention.ts'
import type { Device } from '../../../core/devices/device.ts'
import type { Vault } from '../../../core/devices/vault.ts'
import type { Log } from '../../../core/lib/log.ts'
import type { News } from '../../../core/link.ts'
import type { Lease } from '../../../core/nodes/lease.ts'
import type { Files } from './inbox.ts'
import type { SenderParts } from './sender.ts'
import type { WebVersions } from './web-version.ts'

export type LineParts = {
  device: Device
  news: News
  lease: Lease
  vault: Vault
  attention: (codes: readonly AttentionCode[]) => Promise<void>
  /** It may begin no new chats until then. */
  restricted: (until: number | null) => Promise<void>
  /** It sends nothing until then. */
  rests: (until: number | null) => Promise<void>
  media: SenderParts['media']
  habits: SenderParts['habits']
  optedOut: SenderParts['optedOut']
  files: Files
  url?: string
  versions: WebVersions
  now: () => number
  log: Log
}
