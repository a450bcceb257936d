/** Makes V8 collect garbage earlier. */

import { setFlagsFromString } from 'node:v8'

/**
 * Left alone, the heap may double before it is cleaned up, and each WhatsApp session leaves much to clean up. Measured
 * with fifty of them: 310 to 360 MiB in place of up to 430, for about as many messages a second.
 */
export function collectEarly(): void {
  setFlagsFromString('--heap-growing-percent=60')
}
