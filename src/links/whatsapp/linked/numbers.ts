/** WhatsApp numbers as devices. */

import type { AttentionCode } from '../../../core/devices/attention.ts'
import type { Vault } from '../../../core/devices/vault.ts'
import type { Log } from '../../../core/lib/log.ts'
import type { LinkKind } from '../../../core/link.ts'
import type { Message } from '../../../core/messages/message.ts'
import type { Files } from './inbox.ts'
import { WhatsAppLine } from './line.ts'
import type { Habits, MediaFile } from './to-whatsapp.ts'
import type { WebVersions } from './web-version.ts'

export type WhatsAppParts = {
  vault: (deviceId: string, epoch: number) => Vault
  attention: (deviceId: string, codes: readonly AttentionCode[]) => Promise<void>
  optedOut: (environmentId: number, lid: string, number: string) => Promise<boolean>
  restricted: (deviceId: string, until: number | null) => Promise<void>
  rests: (deviceId: string, until: number | null) => Promise<void>
  media: (message: Message) => Promise<MediaFile>
  files: Files
  habits: Habits
  url?: string
  versions: WebVersions
  now: () => number
  log: Log
}

export const whatsappNumbers = ({
  vault,
  attention,
  optedOut,
  restricted,
  rests,
  ...rest
}: WhatsAppParts): LinkKind => ({
  kind: 'whatsapp',
  open: (device, news, lease) =>
    new WhatsAppLine({
      device,
      news,
      lease,
      vault: vault(device.id, lease.epoch),
      attention: codes => attention(device.id, codes),
      optedOut: (lid, number) => optedOut(device.environmentId, lid, number),
      restricted: until => restricted(device.id, until),
      rests: until => rests(device.id, until),
      ...rest,
    }),
})
