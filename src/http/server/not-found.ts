/** What is said where there is nothing: unknown addresses, and methods that a known one does not take. */

import { Problem } from '../../core/problem.ts'
import type { Exchange } from '../../edge/exchange.ts'
import { nothingHere } from '../../edge/router.ts'

/** Throws, for addresses under `base`, whose routes are these. */
export function notFoundAt(base: string, routes: readonly { method: string; paths: readonly string[] }[]) {
  const matchers = routes.flatMap(({ method, paths }) =>
    paths.map(path => ({ method, pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}/?$`) })),
  )
  return (exchange: Exchange): never => {
    const path = exchange.path.slice(base.length)
    const methods = new Set(matchers.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))
    if (methods.size === 0) return nothingHere()
    const allowed = [...methods].flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
    exchange.header('allow', allowed)
    throw new Problem('method_not_allowed', `This address takes ${allowed} only.`)
  }
}
