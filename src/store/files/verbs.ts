/** What the store does about files that are kept in the database. */

import type { FileStore } from '../../core/inbox/media-files.ts'
import type { Ground } from '../engine/ground.ts'
import * as files from './stored-files.ts'

export function fileVerbs({ reader, write }: Ground): FileStore {
  return {
    writePart: write(files.writePart),
    finishFile: write(files.finishFile),
    removeFile: write(files.removeFile),
    storedFile: id => files.storedFile(reader, id),
    filePart: (token, n) => files.filePart(reader, token, n),
    storedBytes: () => files.storedBytes(reader),
    forgetParts: write(files.forgetParts),
  }
}
