/** The address that Meta posts to. */

import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import { Budget } from '../../../core/lib/budget.ts'
import { limits } from '../../../core/limits.ts'
import { Problem } from '../../../core/problem.ts'
import { type CloudHooks, unsigned } from './hooks.ts'
import { hasSignature } from './signature.ts'

export const cloudBase = '/whatsapp/v1'
export const webhookPath = `${cloudBase}/webhook`
const bodyLimit = limits.metaBody.value

export type CloudRouteParts = {
  hooks: CloudHooks
  /** For how long to hold a refusal back from this address. */
  delay: (address: string) => number
}

type Done = (error: Error | null, payload: RequestPayload) => void

/** Registers the routes in a scope of their own, under `cloudBase`. */
export function cloudRoutes(app: FastifyInstance, { hooks, delay }: CloudRouteParts): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.get('/webhook', { exposeHeadRoute: false }, async (request, reply) => {
    const query = request.query as Record<string, unknown>
    const [mode, token, challenge] = ['mode', 'verify_token', 'challenge'].map(name => query[`hub.${name}`])
    if (mode !== 'subscribe' || typeof token !== 'string' || !(await hooks.answers(token))) {
      await sleep(delay(request.ip))
      throw new Problem('invalid_signature', 'The verify token is not that of any number.')
    }
    return reply.type('text/plain').send(String(challenge ?? ''))
  })
  const unproven = new Budget(limits.unprovenBodies.value)
  /** Anybody may post here: what cannot be Meta's is not read at all. */
  const beforeBody = async (request: FastifyRequest) => {
    if (hasSignature(request.headers['x-hub-signature-256'])) return
    await sleep(delay(request.ip))
    throw unsigned()
  }
  /** The rest is read only so much at a time. What counts is what has come, not what somebody says will. */
  const whileReading = (
    _request: FastifyRequest,
    reply: FastifyReply,
    payload: RequestPayload,
    done: Done,
  ) => {
    const taken: (() => void)[] = []
    const count = (chunk: Buffer) => {
      const giveBack = unproven.take(chunk.length)
      if (giveBack) {
        taken.push(giveBack)
        return
      }
      payload.off('data', count)
      // Not destroyed, which would take the answer with it; whoever goes on is hung up on after that.
      reply.header('connection', 'close')
      payload.emit(
        'error',
        new Problem('rate_limited', 'Too much is being posted at once.', { retryAfter: 5 }),
      )
    }
    payload.on('data', count)
    reply.raw.once('close', () => {
      for (const giveBack of taken) giveBack()
    })
    done(null, payload)
  }
  app.post('/webhook', { bodyLimit, onRequest: beforeBody, preParsing: whileReading }, async request => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
    try {
      await hooks.take(body, request.headers['x-hub-signature-256'])
    } catch (error) {
      if (error instanceof Problem && error.code === 'invalid_signature') await sleep(delay(request.ip))
      throw error
    }
    return { success: true }
  })
}
