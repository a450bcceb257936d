/** The gateway's own certificate, read again when it was renewed. */

import { readFileSync } from 'node:fs'
import { createSecureContext, type Server } from 'node:tls'
import { ConfigProblem } from './config.ts'
import type { Log } from './core/log.ts'
import { Loop } from './core/loop.ts'

export type TlsFiles = { cert: string; key: string }
export type Certificate = { cert: Buffer; key: Buffer }

const lookMs = 5_000

/** Complains when the files are missing, or do not belong together. */
export function readCertificate(files: TlsFiles): Certificate {
  try {
    const certificate = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
    createSecureContext(certificate)
    return certificate
  } catch (error) {
    throw new ConfigProblem([`TLS_CERT, TLS_KEY: ${(error as Error).message}`])
  }
}

/** Connections from then on get the new certificate; those that are open stay. */
export function watchCertificate(files: TlsFiles, current: Certificate, server: Server, log: Log): Loop {
  let used = current
  let refused: Certificate | undefined
  const same = (a: Certificate | undefined, b: Certificate) => a?.cert.equals(b.cert) && a.key.equals(b.key)
  const look = async (): Promise<undefined> => {
    const found = { cert: readFileSync(files.cert), key: readFileSync(files.key) }
    if (same(used, found) || same(refused, found)) return
    try {
      createSecureContext(found)
    } catch (error) {
      // Perhaps only one of the two files has been replaced yet.
      refused = found
      throw error
    }
    server.setSecureContext(found)
    used = found
    log.info({ file: files.cert }, 'the certificate was renewed')
  }
  return new Loop(lookMs, look, error =>
    log.warn({ err: error }, 'the new certificate cannot be used; the old one stays in use'),
  )
}
