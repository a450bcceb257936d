/** Builds what WhatsApp numbers need: their link, their vaults, and the files that come and go. */

import { join } from 'node:path'
import type { Config } from './config.ts'
import type { LinkKind } from './core/link.ts'
import type { Log } from './core/log.ts'
import type { Store } from './core/store.ts'
import { whatsappNumbers } from './links/whatsapp/numbers.ts'
import { converted, isInstalled } from './outbound/convert.ts'
import { type Downloaded, downloadStream } from './outbound/download.ts'
import { MediaCache } from './outbound/media-cache.ts'
import { SealedVault } from './sealed-vault.ts'
import { secretKey } from './secret-key.ts'
import type { MediaFolder } from './store/media-folder.ts'

export type NumbersParts = {
  config: Config
  store: Store
  mediaFolder: MediaFolder
  now: () => number
  log: Log
}

const megabyte = 1_000_000

const installed = async (program: string) =>
  program !== 'none' && (await isInstalled(program)) ? program : undefined

export function buildNumbers({ config, store, mediaFolder, now, log }: NumbersParts): {
  numbers: LinkKind
  /** Files that were fetched for sending. */
  outgoing: MediaCache
} {
  const limits = {
    image: config.MEDIA_IMAGE_MB * megabyte,
    video: config.MEDIA_VIDEO_MB * megabyte,
    audio: config.MEDIA_AUDIO_MB * megabyte,
    document: config.MEDIA_DOCUMENT_MB * megabyte,
  }
  const guard = { allowed: config.MEDIA_ALLOW_HOSTS ?? new Set<string>() }
  /** Asked when the first file is there. */
  let ffmpeg: Promise<string | undefined> | undefined
  const convert = async (file: Downloaded) => {
    ffmpeg ??= installed(config.FFMPEG)
    return await converted(file, { ffmpeg: await ffmpeg, most: limits.video, log })
  }
  const outgoing = new MediaCache(join(config.DATA_DIR, 'outgoing'), { guard, limits, convert }, now)
  const numbers = whatsappNumbers({
    media: ({ id, batchId, mediaUrl }) => outgoing.get(batchId ?? id, mediaUrl!),
    habits: { audio: config.WHATSAPP_AUDIO },
    files: {
      limits,
      fetch: (address, most, host) =>
        downloadStream(address, { allowed: new Set(host === undefined ? [] : [host]) }, most),
      save: (id, bytes) => mediaFolder.save(id, bytes),
    },
    vault: deviceId => new SealedVault(store, deviceId, secretKey(config)),
    attention: (deviceId, attention) => store.describe(deviceId, { attention }),
    restricted: (deviceId, restrictedUntil) => store.describe(deviceId, { restrictedUntil }),
    ...(config.WHATSAPP_WS_URL !== undefined && { url: config.WHATSAPP_WS_URL }),
    now,
    log,
  })
  return { numbers, outgoing }
}
