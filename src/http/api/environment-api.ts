/** One environment's API: every route under its base address. */

import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { apiPaths, type Environment, type EnvironmentName } from '../../core/environment.ts'
import { dropNulls, mayBeLeftOut } from '../../edge/validation.ts'
import { type Door, keyOf } from '../server/auth.ts'
import { notFoundAt } from '../server/not-found.ts'
import { StreamAnswer } from '../server/stream-answer.ts'
import type { Streams } from '../server/streams.ts'
import { type AuditParts, audited, deedOf, noteRefusals } from '../session/audit.ts'
import { type Idempotency, type Keeper, keepNothing } from './idempotency.ts'
import { FileAnswer } from './messages/media.ts'
import { noQuery, readQuery } from './read-query.ts'
import type { Route } from './route.ts'

export type EnvironmentParts = AuditParts & {
  routes: readonly Route[]
  door: Door
  idempotency: Idempotency
  environment: (name: EnvironmentName) => Environment
}

export function registerEnvironment(
  app: FastifyInstance,
  name: EnvironmentName,
  parts: EnvironmentParts,
  streams: Streams,
): void {
  const nothingHere = notFoundAt(apiPaths[name], parts.routes)
  noteRefusals(app, parts, name)
  app.addHook('onRequest', parts.door.hook(name))
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', 'no-store')
    // Before the body is read: a wrong address or method is not the body's fault.
    done(request.is404 ? nothingHere(request, reply) : undefined)
  })
  app.setNotFoundHandler((request, reply) => {
    throw nothingHere(request, reply)
  })
  for (const route of parts.routes) {
    const body = name === 'staging' ? (route.stagingBody ?? route.body) : route.body
    for (const url of route.paths)
      app.route({
        method: route.method,
        url,
        config: {
          scope: route.scope,
          ...(route.asksPassword && { asksPassword: true }),
          ...(deedOf(route) && { deed: deedOf(route)! }),
        },
        schema: {
          ...(body && { body }),
          querystring: route.query ?? noQuery,
          ...(route.response !== 'file' &&
            !route.stream && { response: { [route.success ?? 200]: route.response } }),
        },
        preValidation: (request, _reply, done) => {
          request.query = readQuery(request.query as Record<string, unknown>, route.query)
          if (body && request.body === undefined && mayBeLeftOut(body)) request.body = {}
          if (body) dropNulls(request.body, body)
          done()
        },
        handler: audited(parts, name, route, async (request, reply) => {
          const asked = {
            environment: parts.environment(name),
            key: keyOf(request),
            isPerson: request.visitor !== null,
            body: request.body,
            query: request.query,
            params: request.params as Record<string, string>,
            lastEventId: request.headers['last-event-id']?.toString(),
            isAllowed: () => parts.door.stillAllows(request, name),
          }
          const leave = route.stream ? streams.take(asked.key.id) : () => {}
          if (route.success) reply.code(route.success)
          const idempotencyKey = request.headers['idempotency-key']
          const repeatable = idempotencyKey !== undefined &&
            route.method === 'POST' && {
              environmentId: asked.environment.id,
              // An answer with a secret in it is for whoever asked, not for everybody who knows what was asked.
              operation: route.secret ? `${route.operation} by ${asked.key.id}` : route.operation,
              key: String(idempotencyKey),
              request: [asked.params, asked.body ?? null],
              isSecret: route.secret ?? false,
            }
          const act = (keep: Keeper) => route.action({ ...asked, keep })
          if (repeatable && !route.stream) {
            const answer = await parts.idempotency.once(repeatable, act as () => Promise<object>)
            if (answer.replayed) reply.header('idempotent-replayed', 'true')
            return reply.type('application/json; charset=utf-8').serializer(asText).send(answer.body)
          }
          const answer = await (repeatable
            ? parts.idempotency.stream(repeatable, route.stream!, act as () => Promise<StreamAnswer>)
            : act(keepNothing)
          ).catch(error => {
            leave()
            throw error
          })
          if (answer instanceof FileAnswer) return reply.headers(answer.headers()).send(answer.content)
          if (answer instanceof StreamAnswer) {
            streams.add(answer, reply.raw, leave)
            if (answer.replayed) reply.header('idempotent-replayed', 'true')
            // Proxies must pass on what comes as it comes.
            return reply
              .type(answer.type)
              .header('x-accel-buffering', 'no')
              .send(Readable.from(answer.text()))
          }
          return answer
        }),
      })
  }
}

const asText = (text: unknown) => text as string
