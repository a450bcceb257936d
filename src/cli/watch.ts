/** Follows a message until it is settled, showing each state as it comes. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type Basestation, BasestationError, type StatusResponse } from '../../sdk/src/index.ts'
import { exitCodes } from './command.ts'
import type { Output } from './output.ts'

type Data = StatusResponse['data']

const settled = new Set(['delivered', 'read', 'failed', 'expired', 'canceled', 'unknown'])
const bad = new Set(['failed', 'expired', 'canceled', 'unknown'])

/** Quick at first, then gentler: a key has so many requests a minute, and others may share it. */
const pauseAfter = (elapsedMs: number) => (elapsedMs < 3_000 ? 150 : elapsedMs < 30_000 ? 1_000 : 3_000)

/** `known`: the state that was shown already. */
export async function watch(
  client: Basestation,
  messageId: string,
  output: Output,
  known = '',
): Promise<number> {
  const started = performance.now()
  let last = known
  for (;;) {
    const data = await patiently(() => client.status(messageId))
    if (data.data.status !== last) {
      last = data.data.status
      output.step(data.data, () => describe(data.data, performance.now() - started))
    }
    if (settled.has(last)) return bad.has(last) ? exitCodes.failed : exitCodes.ok
    await sleep(pauseAfter(performance.now() - started))
  }
}

/** Waits a rate limit out: whoever watches wants to see the end. */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof BasestationError) || error.code !== 'rate_limited') throw error
      await sleep((error.retryAfter ?? 5) * 1_000)
    }
  }
}

export function describe({ status, delivered_at: deliveredAt, error }: Data, elapsedMs?: number): string {
  const after = elapsedMs === undefined ? '' : `${(elapsedMs / 1_000).toFixed(1).padStart(6)} s  `
  const why = error ? `  ${error.code}: ${error.detail}` : ''
  const when = deliveredAt ? `  at ${deliveredAt}` : ''
  return `${after}${status}${when}${why}`
}
