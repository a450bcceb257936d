/** What Meta's error numbers mean here. */

import type { Failure } from '../../../core/messages/message.ts'

/** Later it would go: nothing left, and the message may wait. */
const later = new Set([4, 80007, 130429, 131056, 131057, 133016])
/** The token is wrong, has ended, or may not do this. */
const credentials = new Set([0, 3, 10, 190, 200, 401, 403])
/** The number, or what it sends, is held back. */
const restricted = new Set([368, 130472, 130497, 131031, 131048, 131049])
const badMedia = new Set([131051, 131052, 131053])

export const mustWait = (code: number): boolean => later.has(code)
export const isAboutCredentials = (code: number): boolean => credentials.has(code)

export function failureOf(code: number, detail: string): Failure {
  const raw = String(code)
  if (code === 131047) return { code: 'outside_window', raw }
  if (restricted.has(code)) return { code: 'whatsapp_restricted', raw }
  if (badMedia.has(code)) return { code: 'unsupported_media', detail: 'WhatsApp did not take the file.', raw }
  const words = detail === '' ? '' : `: ${detail}`
  return { code: 'whatsapp_refused', detail: `WhatsApp refused the message (${code})${words}`, raw }
}
