/** Where the gateway's log goes: one JSON object a line, on standard error. */

import { pino } from 'pino'
import type { Log } from '../core/lib/log.ts'

export const makeLog = (level: string): Log =>
  pino({ level, base: null }, pino.destination({ dest: 2, sync: true }))
