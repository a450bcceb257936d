/** Builds what WhatsApp numbers need: their link, their vaults, and the files that come and go. */

import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { AttentionCode } from '../core/devices/attention.ts'
import { cloudNumber, linkedNumber } from '../core/devices/kinds/whatsapp.ts'
import type { Amendment } from '../core/inbox/amendment.ts'
import type { MediaFiles } from '../core/inbox/media-files.ts'
import { NoRoom } from '../core/inbox/no-room.ts'
import type { Incoming } from '../core/inbox/received.ts'
import type { Log } from '../core/lib/log.ts'
import { LinkDown, type LinkKind } from '../core/link.ts'
import type { Message, Receipt } from '../core/messages/message.ts'
import type { Store } from '../core/store.ts'
import { CloudHooks } from '../links/whatsapp/cloud/hooks.ts'
import { CloudNumbers } from '../links/whatsapp/cloud/numbers.ts'
import { whatsappNumbers } from '../links/whatsapp/linked/numbers.ts'
import { converted, described } from '../outbound/convert.ts'
import { type Downloaded, downloadStream } from '../outbound/download.ts'
import { isInstalled } from '../outbound/ffmpeg.ts'
import { MediaCache } from '../outbound/media-cache.ts'
import { SealedVault } from '../secrets/sealed-vault.ts'
import type { Sealer } from '../secrets/sealer.ts'
import type { DiskRoom } from '../store/files/disk-room.ts'
import { webVersions } from './web-versions.ts'

export type WhatsappParts = {
  config: Config
  sealer: Sealer
  store: Store
  mediaFiles: MediaFiles
  room: DiskRoom
  record: (receipt: Receipt) => Promise<void>
  receive: (incoming: Incoming) => Promise<void>
  amend: (amendment: Amendment, otherwise: Incoming | undefined) => Promise<void>
  now: () => number
  log: Log
}

const megabyte = 1_000_000

const installed = async (program: string) =>
  program !== 'none' && (await isInstalled(program)) ? program : undefined

export type Numbers = {
  numbers: LinkKind
  /** What Meta posts about numbers of the official API. */
  hooks: CloudHooks
  /** Files that were fetched for sending. */
  outgoing: MediaCache
}

export function buildWhatsapp(parts: WhatsappParts): Numbers {
  const { config, sealer, store, mediaFiles, room, now, log } = parts
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
    const options = { ffmpeg: await ffmpeg, most: limits.video, log }
    return await described(await converted(file, options), options)
  }
  const outgoing = new MediaCache(
    join(config.DATA_DIR, 'outgoing'),
    { guard, limits, convert, room: () => room.require(0) },
    now,
  )
  const save = (id: string, bytes: AsyncIterable<Buffer>) => mediaFiles.save(id, bytes)
  const shared = {
    media: ({ id, environmentId, batchId, mediaUrl }: Message) =>
      outgoing.get({ environmentId, request: batchId ?? id, address: mediaUrl! }).catch(error => {
        // Nothing has left, and there may be room later.
        throw error instanceof NoRoom
          ? new LinkDown('there is no room for the file', { cause: error })
          : error
      }),
    vault: (deviceId: string, epoch?: number) => new SealedVault(store, deviceId, sealer, epoch),
    attention: (deviceId: string, attention: readonly AttentionCode[]) =>
      store.describe(deviceId, { attention }),
    now,
    log,
  }
  const linked = whatsappNumbers({
    ...shared,
    habits: { audio: config.WHATSAPP_AUDIO },
    files: {
      limits,
      fetch: (address, most, host) =>
        downloadStream(address, { allowed: new Set(host === undefined ? [] : [host]) }, most),
      save,
    },
    versions: webVersions(config, now),
    optedOut: async (environmentId, lid, number) =>
      (await store.optedOut(environmentId, [lid])).has(lid) &&
      (await store.sameOptOut(environmentId, number, lid)),
    restricted: (deviceId, restrictedUntil) => store.describe(deviceId, { restrictedUntil }),
    rests: (deviceId, restsUntil) => store.describe(deviceId, { restsUntil }),
    ...(config.WHATSAPP_WS_URL !== undefined && { url: config.WHATSAPP_WS_URL }),
  })
  const graph = new URL(config.WHATSAPP_GRAPH_URL)
  // Only a stand-in of the API, on this machine, may keep files on a private one.
  const allowed = new Set(graph.protocol === 'http:' ? [graph.host] : [])
  const cloud = new CloudNumbers({
    ...shared,
    fetch: (address, authorization) =>
      downloadStream(address, { allowed }, limits.document, { authorization }),
    save,
    graphUrl: config.WHATSAPP_GRAPH_URL,
  })
  const hooks = new CloudHooks({
    devices: async () => await store.allDevices(),
    vault: shared.vault,
    record: parts.record,
    receive: parts.receive,
    amend: parts.amend,
    wake: deviceId => cloud.look(deviceId),
    heard: (deviceId, seenAt, attention) => store.describe(deviceId, { seenAt, attention }),
    now,
  })
  const numbers: LinkKind = {
    kind: linkedNumber.name,
    open: (device, news, lease) =>
      device.driver === cloudNumber.driver ? cloud.open(device, news) : linked.open(device, news, lease),
  }
  return { numbers, hooks, outgoing }
}
