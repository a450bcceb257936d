/** Notes what people do, before they do it: nothing is done that nobody can look up later. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AuditDraft } from '../core/user.ts'
import type { UserStore } from '../core/user-store.ts'
import { asProblem } from './problems.ts'

export type AuditParts = { audit: Pick<UserStore, 'audit' | 'auditRefusal'> }

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

const mostFields = 30

/** A handler whose use by a person is noted. Keys are programs, whose doings the journal tells. */
export function audited(
  { audit }: AuditParts,
  environment: string | null,
  { operation, method, isLook }: { operation: string; method: string; isLook?: true },
  handler: Handler,
): Handler {
  if (method === 'GET' || isLook) return handler
  return async (request, reply) => {
    const { visitor } = request
    if (!visitor) return await handler(request, reply)
    const id = await audit.audit(draftOf(request, visitor.user.email, environment, operation))
    try {
      return await handler(request, reply)
    } catch (error) {
      await audit.auditRefusal(id, asProblem(error).code)
      throw error
    }
  }
}

export function draftOf(
  request: FastifyRequest,
  email: string,
  environment: string | null,
  action: string,
): AuditDraft {
  const { params, body } = request as { params: Record<string, string>; body: unknown }
  return {
    email,
    environment,
    action,
    // Ids only: a number in an address is a person's.
    target: Object.entries(params)
      .filter(([name]) => name.endsWith('_id'))
      .map(([, value]) => value.slice(0, 100))
      .join(' '),
    fields: Object.keys((body as object | null) ?? {}).slice(0, mostFields),
    address: request.ip,
    refusal: null,
  }
}
