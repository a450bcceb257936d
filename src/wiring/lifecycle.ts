/** Stops parts one after the other, each whatever became of the one before: a stop must not stop half-way. */

import type { Log } from '../core/lib/log.ts'

export async function stopAll(parts: readonly (() => unknown)[], log: Log): Promise<void> {
  for (const stop of parts)
    try {
      await stop()
    } catch (error) {
      log.error({ err: error }, 'a component failed to stop')
    }
}
