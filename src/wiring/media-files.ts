/** Where received files are kept: by a setting. */

import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { MediaFiles } from '../core/inbox/media-files.ts'
import type { Store } from '../core/store.ts'
import type { DiskRoom } from '../store/files/disk-room.ts'
import { MediaDatabase } from '../store/files/media-database.ts'
import { MediaFolder } from '../store/files/media-folder.ts'

const megabyte = 1_000_000

export function buildMediaFiles(config: Config, store: Store, room: DiskRoom): MediaFiles {
  const quota = config.MEDIA_QUOTA_MB === 0 ? undefined : config.MEDIA_QUOTA_MB * megabyte
  return config.MEDIA_STORE === 'database'
    ? new MediaDatabase(store, quota)
    : new MediaFolder(join(config.DATA_DIR, 'media'), { room, quota })
}
