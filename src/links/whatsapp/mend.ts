/**
 * Mends libsignal: where two people wrote to each other at the same time there are several sessions between them, and
 * it tries a message with one after the other. Each try changes the session, also when it fails; all are kept as soon as
 * one try succeeds, and the others can never be read in again. Here a try that fails leaves its session as it was.
 */

import { createRequire } from 'node:module'

type Session = { serialize(): unknown; constructor: { deserialize(data: unknown): Session } }
type Cipher = { doDecryptWhisperMessage(sealed: Uint8Array, session: Session): Promise<Uint8Array> }

let mended = false

export function mendLibsignal(): void {
  if (mended) return
  mended = true
  // The very copy that the library uses.
  const require = createRequire(import.meta.resolve('baileys'))
  const { SessionCipher } = require('libsignal') as { SessionCipher: { prototype: Cipher } }
  const decrypt = SessionCipher.prototype.doDecryptWhisperMessage
  SessionCipher.prototype.doDecryptWhisperMessage = async function (sealed, session) {
    const before = session?.serialize()
    try {
      return await decrypt.call(this, sealed, session)
    } catch (error) {
      if (session) Object.assign(session, session.constructor.deserialize(before))
      throw error
    }
  }
}
