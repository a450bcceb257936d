/** Received files, wherever they are kept. */

import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import type { MediaFiles } from '../src/core/inbox/media-files.ts'
import { NoRoom } from '../src/core/inbox/no-room.ts'
import { DiskRoom } from '../src/store/files/disk-room.ts'
import { type Bucket, MediaBucket } from '../src/store/files/media-bucket.ts'
import { MediaDatabase } from '../src/store/files/media-database.ts'
import { MediaFolder } from '../src/store/files/media-folder.ts'
import { openStore } from '../src/store/open.ts'
import { databases, scratch } from './standins/databases.ts'

/** Where `npm run try:s3` has a bucket. */
const endpoint = process.env.TEST_S3_ENDPOINT

type Place = {
  /** It knows a quota. */
  isBounded?: boolean

  name: string
  open: (quota?: number) => Promise<{ files: MediaFiles; close: () => Promise<void> }>
}

const places: Place[] = [
  {
    name: 'a folder',
    open: async quota => {
      const path = join(scratch(), randomUUID())
      return { files: new MediaFolder(path, { room: new DiskRoom(path, 0), quota }), close: async () => {} }
    },
  },
  ...databases.map(({ name, empty }) => ({
    name,
    open: async (quota?: number) => {
      const store = await openStore(await empty())
      return { files: new MediaDatabase(store, quota), close: () => store.close() }
    },
  })),
]

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 70_001) yield bytes.subarray(at, at + 70_001)
}

const account = { region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
const bucket = (more: Partial<Bucket> = {}) =>
  new MediaBucket(
    { ...account, endpoint: endpoint!, bucket: 'received', prefix: 'in/', ...more },
    join(scratch(), 'uploads'),
  )
if (endpoint !== undefined) {
  places.push({
    name: 'a bucket',
    isBounded: false,
    open: async () => ({ files: bucket(), close: async () => {} }),
  })
  test('a wrong secret, or a bucket that is not there, is said', async () => {
    await assert.rejects(bucket({ secretAccessKey: 'wrong' }).save('x', randomBytes(10)), /403/)
    await assert.rejects(bucket({ bucket: 'elsewhere' }).save('x', randomBytes(10)), /404/)
  })
}

for (const { name, open, isBounded = true } of places)
  describe(`files in ${name}`, () => {
    test('come back as they were, whole or in pieces, small and large, and are gone once removed', async () => {
      const { files, close } = await open()
      for (const size of [0, 1, 196_608, 1_000_000])
        for (const way of [(bytes: Buffer) => bytes, pieces]) {
          const [id, bytes] = [randomUUID(), randomBytes(size)]
          assert.equal(await files.read(id), undefined)
          await files.save(id, way(bytes))
          assert.deepEqual(await buffer((await files.read(id))!), bytes)
          await files.remove(id)
          assert.equal(await files.read(id), undefined)
          await files.remove(id)
        }
      await close()
    })

    test('saved twice at once, or cut off in the middle: what is read is always one whole file', async () => {
      const { files, close } = await open()
      const id = randomUUID()
      const copies = [randomBytes(500_000), randomBytes(700_000)]
      await Promise.all(copies.map(bytes => files.save(id, pieces(bytes))))
      const kept = await buffer((await files.read(id))!)
      assert.ok(copies.some(bytes => bytes.equals(kept)))
      const broken = async function* () {
        yield randomBytes(400_000)
        throw new Error('the line broke')
      }
      await assert.rejects(files.save(id, broken()), /the line broke/)
      assert.deepEqual(await buffer((await files.read(id))!), kept)
      await close()
    })

    test('are refused when the quota is used up, and taken again when there is room', {
      skip: !isBounded && 'a bucket has limits of its own',
    }, async () => {
      const { files, close } = await open(1_000_000)
      const id = randomUUID()
      await files.save(id, randomBytes(900_000))
      await assert.rejects(files.save(randomUUID(), randomBytes(200_000)), NoRoom)
      await files.remove(id)
      await files.save(randomUUID(), randomBytes(200_000))
      await close()
    })
  })
