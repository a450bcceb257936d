/** WhatsApp numbers that are reached over the official API. */

import type { AttentionCode } from '../../../core/devices/attention.ts'
import type { Device } from '../../../core/devices/device.ts'
import type { Vault } from '../../../core/devices/vault.ts'
import type { Link, News } from '../../../core/link.ts'
import { CloudLine, type CloudLineParts } from './line.ts'

export type CloudNumbersParts = Omit<
  CloudLineParts,
  'device' | 'news' | 'vault' | 'attention' | 'onClose'
> & {
  vault: (deviceId: string) => Vault
  attention: (deviceId: string, codes: readonly AttentionCode[]) => Promise<void>
}

export class CloudNumbers {
  readonly #parts: CloudNumbersParts
  readonly #lines = new Map<string, CloudLine>()

  constructor(parts: CloudNumbersParts) {
    this.#parts = parts
  }

  open(device: Device, news: News): Link {
    const { vault, attention, ...rest } = this.#parts
    const line: CloudLine = new CloudLine({
      ...rest,
      // Another one may have been opened meanwhile.
      onClose: () => {
        if (this.#lines.get(device.id) === line) this.#lines.delete(device.id)
      },
      device,
      news,
      vault: vault(device.id),
      attention: codes => attention(device.id, codes),
    })
    this.#lines.set(device.id, line)
    return line
  }

  /** Something came for this number; if its line is at another node, that one looks by itself soon. */
  look(deviceId: string): void {
    void this.#lines.get(deviceId)?.look()
  }
}
