/** Stops parts one after the other, even if one of them fails: a stop must not end half-way. */

import type { Log } from '../core/lib/log.ts'

export async function stopAll(parts: readonly (() => unknown)[], log: Log): Promise<void> {
  for (const stop of parts)
    try {
      await stop()
    } catch (error) {
      log.error({ err: error }, 'a component failed to stop')
    }
}
