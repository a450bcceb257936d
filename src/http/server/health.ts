/** For those who watch over the process: alive, ready, metrics. No API key. */

import { createHash, timingSafeEqual } from 'node:crypto'
import { Problem } from '../../core/problem.ts'
import type { EdgeRoute } from '../../edge/site.ts'

export type HealthParts = {
  ready: () => Promise<void>
  metrics: () => Promise<{ type: string; text: string }>
  /** What one must know to see the metrics; undefined: nothing. */
  metricsToken: string | undefined
}

export const healthRoutes = ({ ready, metrics, metricsToken }: HealthParts): readonly EdgeRoute[] => [
  {
    method: 'GET',
    path: '/healthz',
    handle: exchange => {
      exchange.header('cache-control', 'no-store')
      return { status: 'ok' }
    },
  },
  {
    method: 'GET',
    path: '/readyz',
    handle: async exchange => {
      exchange.header('cache-control', 'no-store')
      await ready()
      return { status: 'ready' }
    },
  },
  {
    method: 'GET',
    path: '/metrics',
    handle: async exchange => {
      if (metricsToken !== undefined && !isSame(exchange.headers.authorization, `Bearer ${metricsToken}`))
        throw new Problem(
          'missing_key',
          'Send the value of METRICS_TOKEN as “Authorization: Bearer <token>”.',
        )
      const { type, text } = await metrics()
      exchange.header('cache-control', 'no-store')
      exchange.type = type
      return text
    },
  },
]

/** Takes the same time whatever was given. */
const isSame = (given: string | undefined, expected: string) =>
  timingSafeEqual(digest(given ?? ''), digest(expected))
const digest = (text: string) => createHash('sha256').update(text).digest()
