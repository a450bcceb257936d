/** Copies the log back when it is told to: see checkpoints.ts. */

import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const database = new DatabaseSync(workerData as string)
database.exec('PRAGMA busy_timeout = 0; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
const copy = database.prepare('PRAGMA wal_checkpoint(PASSIVE)')
parentPort!.on('message', () => {
  try {
    parentPort!.postMessage(copy.get())
  } catch (error) {
    parentPort!.postMessage(String(error))
  }
})
