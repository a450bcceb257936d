/** Being told to stop: once is a request, twice is an order. */

import { exitCodes } from './command.ts'

/** One Ctrl-C may arrive twice: from the terminal, and passed on by a launcher. */
const sameMs = 500

/** Calls `stop` at the first signal. A later one ends the process at once. */
export function onStop(stop: () => void): void {
  let first: number | undefined
  // Never removed: without a listener, the duplicate signal of one Ctrl-C would kill the process.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (first === undefined) {
        first = performance.now()
        stop()
      } else if (performance.now() - first > sameMs) process.exit(exitCodes.failed)
    })
}
