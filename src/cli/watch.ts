/** Follows a message until it is settled, showing each state as it comes. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type Basestation, BasestationError, type StatusResponse } from '../../sdk/src/index.ts'
import { exitCodes } from './command.ts'
import { type Output, printable } from './output.ts'
import { Unreachable } from './with-client.ts'

type Data = StatusResponse['data']

const settled = new Set(['delivered', 'read', 'failed', 'expired', 'canceled', 'unknown'])
const bad = new Set(['failed', 'expired', 'canceled', 'unknown'])

/** `sent` may be the last that is ever heard of a message. */
const receiptMs = 60_000

/** Quick at first, then gentler: a key has so many requests a minute, and others may share it. */
const pauseAfter = (elapsedMs: number) => (elapsedMs < 2_000 ? 200 : elapsedMs < 20_000 ? 1_000 : 3_000)

/** `known`: the state that was shown already. */
export async function watch(
  client: Basestation,
  messageId: string,
  output: Output,
  known = '',
): Promise<number> {
  const patiently = patience()
  const started = performance.now()
  let sentAt: number | undefined
  let last = known
  for (;;) {
    const data = await patiently(() => client.status(messageId))
    if (data.data.status !== last) {
      last = data.data.status
      output.step(data.data, () => describe(data.data, performance.now() - started))
    }
    if (settled.has(last)) return bad.has(last) ? exitCodes.failed : exitCodes.ok
    if (last === 'sent') sentAt ??= performance.now()
    if (sentAt !== undefined && performance.now() - sentAt > receiptMs) {
      output.say('The network took it; no delivery report has come yet, and perhaps none will.')
      return exitCodes.ok
    }
    await sleep(pauseAfter(performance.now() - started))
  }
}

/** Retries through rate limits and restarts. If the first request finds no gateway, it fails at once. */
export function patience(): <T>(ask: () => Promise<T>) => Promise<T> {
  let answered = false
  return async ask => {
    for (;;) {
      try {
        const answer = await ask()
        answered = true
        return answer
      } catch (error) {
        const limited = error instanceof BasestationError && error.code === 'rate_limited'
        const away = error instanceof BasestationError ? error.status === 503 : error instanceof Unreachable
        if (!limited && !(away && answered)) throw error
        const wait = error instanceof BasestationError ? error.retryAfter : undefined
        await sleep((wait ?? 2) * 1_000)
      }
    }
  }
}

export function describe({ status, delivered_at: deliveredAt, error }: Data, elapsedMs?: number): string {
  const after = elapsedMs === undefined ? '' : `${(elapsedMs / 1_000).toFixed(1).padStart(6)} s  `
  const why = error ? `  ${error.code}: ${printable(error.detail)}` : ''
  const when = deliveredAt ? `  at ${deliveredAt}` : ''
  return `${after}${status}${when}${why}`
}
