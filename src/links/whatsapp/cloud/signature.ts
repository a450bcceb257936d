/** Whether a post comes from Meta. */

import { createHmac, hash, timingSafeEqual } from 'node:crypto'

const form = /^sha256=([0-9a-f]{64})$/i

/** Whether there is one at all: without, nothing need be looked up. */
export const hasSignature = (header: unknown): boolean => typeof header === 'string' && form.test(header)

/** Over the bytes as they came: the same JSON written in another way has another signature. */
export function isSignedWith(secret: string, body: Buffer, header: unknown): boolean {
  const expected = createHmac('sha256', secret).update(body).digest()
  const [, given = ''] = form.exec(typeof header === 'string' ? header : '') ?? []
  const bytes = Buffer.from(given, 'hex')
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}

/** Without telling by the time it takes how much of it was right. */
export const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', expected, 'buffer'))
