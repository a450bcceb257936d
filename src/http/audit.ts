/** Notes what people do, before they do it: nothing is done that nobody can look up later. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AuditDraft } from '../core/user.ts'
import type { UserStore } from '../core/user-store.ts'
import { asProblem } from './problems.ts'

export type AuditParts = { audit: Pick<UserStore, 'audit' | 'auditRefusal'> }

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

/** What is to be known of a route. */
type Noted = {
  operation: string
  method: string
  isLook?: true
  /** What the log should tell beside ids. */
  target?: (body: unknown) => string
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What the person wants to do is in the log already. */
    isNoted: boolean
  }
  interface FastifyContextConfig {
    /** The name of the operation, if it changes something. */
    deed?: string
  }
}

export const deedOf = ({ operation, method, isLook }: Noted): string | undefined =>
  method === 'GET' || isLook ? undefined : operation

/** Notes what people were refused before anything was tried: by their role, or because of what they gave. */
export function noteRefusals(app: FastifyInstance, { audit }: AuditParts, environment: string | null): void {
  app.addHook('onError', async (request, _reply, error) => {
    const { visitor, isNoted } = request
    const { deed } = request.routeOptions.config
    if (!visitor || isNoted || deed === undefined) return
    const draft = draftOf(request, visitor.user.email, environment, deed)
    await audit.audit({ ...draft, refusal: asProblem(error).code })
  })
}

const mostFields = 30

/** A handler whose use by a person is noted. Keys are programs, whose doings the journal tells. */
export function audited(
  { audit }: AuditParts,
  environment: string | null,
  { operation, method, isLook, target }: Noted,
  handler: Handler,
): Handler {
  if (method === 'GET' || isLook) return handler
  return async (request, reply) => {
    const { visitor } = request
    if (!visitor) return await handler(request, reply)
    request.isNoted = true
    const draft = draftOf(request, visitor.user.email, environment, operation)
    const id = await audit.audit({ ...draft, target: target ? target(request.body) : draft.target })
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
