/** The gateway's own certificate, read again when it was renewed. */

import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext, type Server } from 'node:tls'
import type { Log } from '../core/lib/log.ts'
import { Loop } from '../core/lib/loop.ts'
import { ConfigProblem } from './setting.ts'

export type TlsFiles = { cert: string; key: string }
export type Certificate = { cert: Buffer; key: Buffer }

const lookMs = 5_000

/** Complains, in words, when a file cannot be read or the two do not belong together. */
export function readCertificate(files: TlsFiles): Certificate {
  const certificate = { cert: readNamed('TLS_CERT', files.cert), key: readNamed('TLS_KEY', files.key) }
  const { cert, key } = certificate
  const say = (text: string) => new ConfigProblem([text])
  let parsed: X509Certificate
  let secret: KeyObject
  try {
    parsed = new X509Certificate(cert)
  } catch {
    throw say(`TLS_CERT: ${files.cert} is not a certificate in PEM form`)
  }
  try {
    secret = createPrivateKey(key)
  } catch {
    throw say(`TLS_KEY: ${files.key} is not an unencrypted private key in PEM form`)
  }
  if (!parsed.checkPrivateKey(secret))
    throw say('TLS_KEY: the key does not belong to the certificate in TLS_CERT')
  try {
    createSecureContext(certificate)
  } catch (error) {
    throw say(`TLS_CERT, TLS_KEY: ${(error as Error).message}`)
  }
  return certificate
}

function readNamed(setting: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new ConfigProblem([`${setting}: cannot read ${path} (${(error as { code?: string }).code})`])
  }
}

/** Connections from then on get the new certificate; those that are open stay. */
export function watchCertificate(files: TlsFiles, current: Certificate, server: Server, log: Log): Loop {
  let used = current
  let trouble = ''
  const look = async (): Promise<undefined> => {
    try {
      const found = readCertificate(files)
      trouble = ''
      if (used.cert.equals(found.cert) && used.key.equals(found.key)) return
      server.setSecureContext(found)
      used = found
      log.info({ file: files.cert }, 'the certificate was renewed')
    } catch (error) {
      // Perhaps only one of the two files has been replaced yet. It is said once.
      const { message } = error as Error
      if (message !== trouble)
        log.warn({ reason: message }, 'the new certificate is invalid; keeping the old one')
      trouble = message
    }
  }
  return new Loop(lookMs, look, error => log.error({ err: error }, 'could not check the certificate'))
}
