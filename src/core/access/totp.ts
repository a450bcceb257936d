/** One-time codes that change every 30 seconds (RFC 6238), as authenticator apps make them. */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

const stepMs = 30_000
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** As people type it into an app: 160 bits in base 32. */
export function newTotpSecret(): string {
  return Array.from(randomBytes(32), byte => letters[byte % 32]).join('')
}

/** What the QR code for an app says. */
export const totpUri = (secret: string, email: string): string =>
  `otpauth://totp/${encodeURIComponent(`Basestation:${email}`)}?secret=${secret}&issuer=Basestation`

export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const offset = mac[19]! & 0xf
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}

export const totpStepAt = (now: number): number => Math.floor(now / stepMs)

/** The step whose code this is, if it is one of now or a moment ago, and later than the last that was used. */
export function usedStep(secret: string, code: string, now: number, lastStep: number): number | undefined {
  const given = code.replaceAll(' ', '')
  if (!/^\d{6}$/.test(given)) return undefined
  const current = totpStepAt(now)
  return [current, current - 1, current + 1].find(
    step => step > lastStep && timingSafeEqual(Buffer.from(totpCode(secret, step)), Buffer.from(given)),
  )
}

function bytesOf(secret: string): Buffer {
  let bits = ''
  for (const letter of secret) bits += letters.indexOf(letter).toString(2).padStart(5, '0')
  return Buffer.from(bits.match(/.{8}/g)!.map(byte => Number.parseInt(byte, 2)))
}
