/** Why a file could not be had, where that is the file's own fault. */

import type { Failure } from '../../core/messages/message.ts'

const codes = ['media_unreachable', 'media_too_large', 'unsupported_media', 'media_url_blocked'] as const

export function mediaFailure(error: unknown): Failure | undefined {
  const { code, message } = error as { code?: string; message: string }
  const known = codes.find(one => one === code)
  return known && { code: known, detail: message }
}
