/** The OpenAPI document and the reference page, both without a key and without any network but ours. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Exchange } from '../../edge/exchange.ts'
import { nothingHere } from '../../edge/router.ts'
import type { EdgeRoute } from '../../edge/site.ts'
import { errorsPage } from './errors-page.ts'

const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

const files: Record<string, { type: string; read: () => Buffer | string }> = {
  'swagger-ui.css': { type: 'text/css', read: () => readFileSync(join(assets, 'swagger-ui.css')) },
  'swagger-ui-bundle.js': {
    type: 'text/javascript',
    read: () => readFileSync(join(assets, 'swagger-ui-bundle.js')),
  },
  'errors.css': { type: 'text/css', read: () => readFileSync(new URL('./docs/errors.css', import.meta.url)) },
  'reference.css': {
    type: 'text/css',
    read: () => readFileSync(new URL('./docs/reference.css', import.meta.url)),
  },
  'reference.js': {
    type: 'text/javascript',
    read: () => readFileSync(new URL('./docs/reference.js', import.meta.url)),
  },
}

/** Only what the gateway itself serves may run or be loaded; Swagger UI sets styles and icons inline. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const reference = readFileSync(new URL('./docs/reference.html', import.meta.url), 'utf8')

/** The document is written out when it is first asked for. */
export function docsRoutes(document: () => object, bases: readonly string[]): readonly EdgeRoute[] {
  let text: string | undefined
  let errors: string | undefined
  const get = (path: string, handle: EdgeRoute['handle']): EdgeRoute => ({ method: 'GET', path, handle })
  const under = (base: string) => [
    get(`${base}/openapi.json`, exchange => {
      text ??= JSON.stringify(document())
      exchange.type = 'application/json; charset=utf-8'
      return text
    }),
    // Its links are relative, so it must not be shown under a name with a slash at its end.
    get(`${base}/docs`, exchange =>
      exchange.path.endsWith('/') ? exchange.redirect('../docs', 308) : show(exchange, reference),
    ),
    get(`${base}/docs/assets/:file`, serveAsset),
  ]
  return [
    ...['', ...bases].flatMap(under),
    get('/docs/errors', exchange => {
      errors ??= errorsPage()
      return show(exchange, errors)
    }),
  ]
}

const loaded = new Map<string, Buffer | string>()

function serveAsset(exchange: Exchange): Buffer | string {
  const { file = '' } = exchange.params
  const asset = Object.hasOwn(files, file) ? files[file] : undefined
  if (!asset) return nothingHere()
  const content = loaded.get(file) ?? asset.read()
  loaded.set(file, content)
  exchange.type = `${asset.type}; charset=utf-8`
  exchange.header('cache-control', 'public, max-age=3600')
  return content
}

function show(exchange: Exchange, page: string): string {
  exchange.type = 'text/html; charset=utf-8'
  exchange.setHeaders({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer' })
  return page
}
