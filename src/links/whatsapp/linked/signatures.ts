/** Checks signatures for real: the library's own check says yes to everything. */

import { createRequire } from 'node:module'
import type { Log } from '../../../core/lib/log.ts'
import type { Library } from './library.ts'

type Verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean
type Curve = { verifySignature: Verify }

const original = new WeakMap<object, Verify>()

/**
 * Says so when WhatsApp's server shows a certificate, or a phone an account, that nobody signed. It is not refused: that
 * could not be tried with the real servers, and a mistake here would lock everybody out.
 */
export function watchSignatures({ Curve }: Pick<Library, 'Curve'>, log: Log): void {
  const library = original.get(Curve) ?? Curve.verify
  original.set(Curve, library)
  const isSigned = truly()
  Curve.verify = (key, message, signature) => {
    if (!isSigned(key, message, signature))
      log.warn({}, 'WhatsApp signature verification failed: possible man in the middle')
    return library(key, message, signature)
  }
}

function truly(): Verify {
  const require = createRequire(import.meta.resolve('baileys'))
  const { verifySignature } = require('libsignal/src/curve.js') as Curve
  const prefixed = (key: Uint8Array) => (key.length === 33 ? key : Buffer.concat([Buffer.from([5]), key]))
  return (key, message, signature) => {
    try {
      return verifySignature(prefixed(key), message, signature)
    } catch {
      return false
    }
  }
}
