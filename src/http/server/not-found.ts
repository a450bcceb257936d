/** What is said where there is nothing: unknown addresses, and methods that a known one does not take. */

import type { FastifyReply, FastifyRequest } from 'fastify'
import { Problem } from '../../core/problem.ts'

export const nothingHere = () => new Problem('not_found', 'There is nothing at this address.')

/** For addresses under `base`, whose routes are these. */
export function notFoundAt(base: string, routes: readonly { method: string; paths: readonly string[] }[]) {
  const matchers = routes.flatMap(({ method, paths }) =>
    paths.map(path => ({ method, pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`) })),
  )
  return (request: FastifyRequest, reply: FastifyReply): Problem => {
    const path = request.url.split('?')[0]!.slice(base.length)
    const methods = new Set(matchers.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
    if (methods.size === 0) return nothingHere()
    const allowed = [...methods].flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
    reply.header('allow', allowed)
    return new Problem('method_not_allowed', `This address takes ${allowed} only.`)
  }
}
