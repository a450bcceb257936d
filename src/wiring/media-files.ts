/** Where received files are kept: by a setting. */

import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { MediaFiles } from '../core/inbox/media-files.ts'
import type { Store } from '../core/store.ts'
import type { DiskRoom } from '../store/files/disk-room.ts'
import { type Bucket, MediaBucket } from '../store/files/media-bucket.ts'
import { MediaDatabase } from '../store/files/media-database.ts'
import { MediaFolder } from '../store/files/media-folder.ts'

const megabyte = 1_000_000

export function buildMediaFiles(config: Config, store: Store, room: DiskRoom): MediaFiles {
  const { MEDIA_STORE, MEDIA_QUOTA_MB, DATA_DIR } = config
  const quota = MEDIA_QUOTA_MB === 0 ? undefined : MEDIA_QUOTA_MB * megabyte
  if (MEDIA_STORE === 'database') return new MediaDatabase(store, quota)
  if (MEDIA_STORE === 'folder') return new MediaFolder(join(DATA_DIR, 'media'), { room, quota })
  return new MediaBucket(bucketOf(config), join(DATA_DIR, 'uploads'))
}

/** `s3://bucket/prefix`. */
function bucketOf(config: Config): Bucket {
  const [bucket = '', ...path] = config.MEDIA_STORE.slice('s3://'.length).split('/')
  const prefix = path.filter(part => part !== '').join('/')
  return {
    endpoint: config.S3_ENDPOINT ?? `https://s3.${config.S3_REGION}.amazonaws.com`,
    region: config.S3_REGION,
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    accessKeyId: config.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: config.S3_SECRET_ACCESS_KEY ?? '',
  }
}
