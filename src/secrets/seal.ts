/** Seals secrets at rest: AES-256-GCM, each bound to its place, so that none can be put in another's. */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ivBytes = 12
const tagBytes = 16

/** Where a secret is kept: no other place can open it. */
export type Place = readonly string[]

const bound = (place: Place) => Buffer.from(JSON.stringify(place))

export function seal(key: Buffer, place: Place, text: string): string {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound(place))
  const sealed = [cipher.update(text, 'utf8'), cipher.final()]
  return Buffer.concat([iv, ...sealed, cipher.getAuthTag()]).toString('base64')
}

export function unseal(key: Buffer, place: Place, sealed: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes))
    .setAAD(bound(place))
    .setAuthTag(bytes.subarray(-tagBytes))
  const opened = [decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]
  return Buffer.concat(opened).toString('utf8')
}
