/** Waits for something that takes its time, and gives up at some point. */

import { setTimeout as sleep } from 'node:timers/promises'

const patienceMs = 120_000

export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`)
    await sleep(100)
  }
}
