/** What to do when the connection to WhatsApp ends. */

import type { AttentionCode } from '../../../core/devices/attention.ts'

export type Verdict =
  | { again: 'now' | 'soon' }
  /** Slowly, because trying harder makes it worse. */
  | { again: 'seldom'; attention: AttentionCode }
  /** A person must do something. */
  | { again: 'never'; attention: AttentionCode; forget: boolean }

/** An unknown code is a passing one: many things the server says are mapped to 500, and a session is worth keeping. */
export function verdictOf(code: number | undefined): Verdict {
  switch (code) {
    case 515:
      return { again: 'now' }
    case 401:
      return { again: 'never', attention: 'logged_out', forget: true }
    case 403:
      return { again: 'never', attention: 'number_banned', forget: false }
    case 406:
    case 411:
      return { again: 'never', attention: 'whatsapp_refused', forget: false }
    case 440:
      return { again: 'seldom', attention: 'session_conflict' }
    case 405:
      return { again: 'seldom', attention: 'client_outdated' }
    // A ban that ends by itself, and being asked for less.
    case 402:
    case 429:
      return { again: 'seldom', attention: 'whatsapp_refused' }
    default:
      return { again: 'soon' }
  }
}

const steps = [1, 2, 5, 10, 30, 60]
const seldomMs = 120_000

/** Milliseconds before the next try, with jitter, so that many devices do not come back in one moment. */
export function pauseMs(verdict: Verdict, attempt: number): number {
  if (verdict.again === 'now') return 0
  const base = verdict.again === 'seldom' ? seldomMs : steps[Math.min(attempt, steps.length - 1)]! * 1_000
  return base * (0.8 + Math.random() * 0.4)
}
