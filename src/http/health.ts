/** For those who watch over the process: alive, ready, metrics. No key. */

import type { FastifyInstance } from 'fastify'
import type { ServerParts } from './server.ts'

export function registerHealth(
  app: FastifyInstance,
  { ready, metrics }: Pick<ServerParts, 'ready' | 'metrics'>,
): void {
  app.get('/healthz', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    return { status: 'ok' }
  })
  app.get('/readyz', async (_request, reply) => {
    reply.header('cache-control', 'no-store')
    await ready()
    return { status: 'ready' }
  })
  app.get('/metrics', async (_request, reply) => {
    const { type, text } = await metrics()
    return reply.header('cache-control', 'no-store').type(type).send(text)
  })
}
