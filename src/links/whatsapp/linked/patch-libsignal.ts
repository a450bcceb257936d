/** Mends two faults of libsignal that cost messages. */

import { createRequire } from 'node:module'

type Session = { serialize(): unknown; constructor: { deserialize(data: unknown): Session } }
type Job = () => Promise<unknown>
type Cipher = {
  addr: object
  queueJob(job: Job): Promise<unknown>
  doDecryptWhisperMessage(sealed: Uint8Array, session: Session): Promise<Uint8Array>
}
type Builder = { addr: object; initOutgoing(bundle: object): Promise<unknown> }
type Libsignal = { SessionCipher: { prototype: Cipher }; SessionBuilder: { prototype: Builder } }

let mended = false

export function patchLibsignal(): void {
  if (mended) return
  // The very copy that the library uses.
  const require = createRequire(import.meta.resolve('baileys'))
  const { SessionCipher, SessionBuilder } = require('libsignal') as Libsignal
  mendQueue(SessionCipher.prototype, SessionBuilder.prototype)
  mendTries(SessionCipher.prototype)
  mended = true
}

/**
 * Jobs for one person wait in one queue for all numbers, and run as if whoever came first had asked for them. So their
 * changes went to a transaction that was over, and were lost: the next message was sealed with a key that had been used,
 * and its recipient never saw it. Here each job runs for whoever asked.
 */
function mendQueue(cipher: Cipher, builder: Builder): void {
  const last = new Map<string, Promise<unknown>>()
  const inTurn = (address: object, job: Job): Promise<unknown> => {
    const bucket = String(address)
    const mine = (last.get(bucket) ?? Promise.resolve()).then(job, job)
    last.set(bucket, mine)
    const tidy = () => {
      if (last.get(bucket) === mine) last.delete(bucket)
    }
    mine.then(tidy, tidy)
    return mine
  }
  cipher.queueJob = function (job) {
    return inTurn(this.addr, job)
  }
  const initOutgoing = builder.initOutgoing
  builder.initOutgoing = function (bundle) {
    return inTurn(this.addr, () => initOutgoing.call(this, bundle))
  }
}

/**
 * Where two people wrote to each other at the same time there are several sessions between them, and a message is tried
 * with one after the other. Each try changes the session, also when it fails; all are kept as soon as one succeeds, and
 * the others can never be read in again. Here a try that fails leaves its session as it was.
 */
function mendTries(cipher: Cipher): void {
  const decrypt = cipher.doDecryptWhisperMessage
  cipher.doDecryptWhisperMessage = async function (sealed, session) {
    const before = session?.serialize()
    try {
      return await decrypt.call(this, sealed, session)
    } catch (error) {
      if (session) Object.assign(session, session.constructor.deserialize(before))
      throw error
    }
  }
}
