/** For those who watch over the process: alive, ready, metrics. No API key. */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { Problem } from '../../core/problem.ts'

export type HealthParts = {
  ready: () => Promise<void>
  metrics: () => Promise<{ type: string; text: string }>
  /** What one must know to see the metrics; undefined: nothing. */
  metricsToken: string | undefined
}

export function registerHealth(app: FastifyInstance, parts: HealthParts): void {
  const { ready, metrics, metricsToken } = parts
  app.get('/healthz', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'ok' }
  })
  app.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    await ready()
    return { status: 'ready' }
  })
  app.get('/metrics', async (request, reply) => {
    if (metricsToken !== undefined && !isSame(request.headers.authorization, `Bearer ${metricsToken}`))
      throw new Problem('missing_key', 'Send the value of METRICS_TOKEN as “Authorization: Bearer <token>”.')
    const { type, text } = await metrics()
    return reply.header('cache-control', 'no-store').type(type).send(text)
  })
}

/** Takes the same time whatever was given. */
const isSame = (given: string | undefined, expected: string) =>
  timingSafeEqual(digest(given ?? ''), digest(expected))
const digest = (text: string) => createHash('sha256').update(text).digest()
